"""`vmap`: a function of one sample, as a function of a batch.

Source: https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorkit.ops.joining.stack import stack
from tensorkit.random import get_rng_state, set_rng_state
from tensorkit.tensor import Tensor
from tensorkit.utils._pytree import broadcast_to_and_flatten, tree_flatten, tree_leaves, tree_unflatten


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", None) or repr(func)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that calls another for each sample of a batch, and stacks what it gives.

    Args:
        func: takes tensors of one sample, and gives tensors, in tuples, lists or dictionaries if it likes.
        in_dims: along which dimension each argument has its samples; None for one that is the same for all.
        out_dims: along which dimension each result gets its samples.
        randomness: whether the function may draw random numbers: ``"error"``, ``"different"`` for each sample, or the
            ``"same"`` for all.
        chunk_size: how many samples PyTorch computes at once; without effect, one follows the other here.

    Raises:
        ValueError: when dimensions and arguments do not fit, or something is not a tensor.
        RuntimeError: for random numbers in mode ``"error"``.

    >>> vmap(tk.dot)(tk.arange(4.0).view(2, 2), tk.ones(2, 2))
    tensor([1., 5.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def batched(*args: Any, **kwargs: Any) -> Any:
        _check_out_dims(func, out_dims)
        count, dims, leaves, spec = _opened(func, in_dims, args)
        results = []
        state = get_rng_state()
        for number in range(max(count, 1)):  # of no samples, one of zeros says the sizes
            sample = [
                leaf if dim is None else leaf.select(dim, number) if count else _zeros(leaf, dim)
                for leaf, dim in zip(leaves, dims, strict=True)
            ]
            if randomness == "same":
                set_rng_state(state)
            results.append(func(*tree_unflatten(sample, spec), **kwargs))
            if randomness == "error":
                _check_draws(state)
        return _stacked(func, results, out_dims, count)

    return batched


def _zeros(leaf: Any, dim: int) -> Any:
    return leaf.new_zeros([size for number, size in enumerate(leaf.shape) if number != dim])


def _check_draws(before: Any) -> None:
    if not (get_rng_state() == before).all():
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
            "randomness flags on vmap or perform the randomness operation out of vmap"
        )


def _check_out_dims(func: Callable[..., Any], out_dims: Any) -> None:
    if any(not isinstance(dim, int) and dim is not None for dim in tree_leaves(out_dims)):
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
            "ints representing where in the outputs the vmapped dimension should appear."
        )


def _opened(func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...]) -> Any:
    """How many samples there are, and each leaf of the arguments with the dimension of its samples."""
    where = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{where}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported."
        )
    leaves, spec = tree_flatten(args)
    dims = broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{where}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    wrapped = [_dim(leaf, dim, where) for leaf, dim in zip(leaves, dims, strict=True)]
    sizes = [leaf.shape[dim] for leaf, dim in zip(leaves, wrapped, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: at least one Tensor must be mapped over, but all `in_dims` are None")
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, "
            f"got sizes {sizes} for the mapped dimension"
        )
    return sizes[0], wrapped, leaves, spec


def _dim(leaf: Any, dim: Any, where: str) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{where}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
        )
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"{where}Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    if not -leaf.dim() <= dim < leaf.dim():
        raise ValueError(
            f"{where}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {leaf.dim()} so "
            f"expected in_dim to satisfy -{leaf.dim()} <= in_dim < {leaf.dim()}."
        )
    return dim % leaf.dim()


def _stacked(func: Callable[..., Any], results: list[Any], out_dims: Any, count: int) -> Any:
    """What the function gave for each sample, as one result."""
    flat = [tree_flatten(result) for result in results]
    spec = flat[0][1]
    if isinstance(results[0], Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        dims: Any = list(out_dims)
    else:
        dims = broadcast_to_and_flatten(out_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    columns = zip(*(leaves for leaves, _ in flat), strict=True)
    return tree_unflatten(
        [_column(func, list(column), dim, count) for column, dim in zip(columns, dims, strict=True)], spec
    )


def _column(func: Callable[..., Any], values: list[Any], dim: int | None, count: int) -> Any:
    first = values[0]
    if dim is None:
        if any(value is not first for value in values) and isinstance(first, Tensor):
            raise ValueError(
                f"vmap({_name(func)}, ...): `{_name(func)}` can not return a BatchedTensor when out_dim is None"
            )
        return first
    if not isinstance(first, Tensor):
        raise ValueError(
            f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type {type(first)}. "
            "Did you mean to set out_dims= to None for output?"
        )
    made: Any = stack(values, dim)
    return made if count else made.narrow(dim, 0, 0)
