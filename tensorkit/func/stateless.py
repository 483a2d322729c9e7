"""A module with other parameters and buffers than its own, for one call.

Source: https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorkit.nn.module import Module
from tensorkit.ops.joining.stack import stack


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with the parameters and buffers of a dictionary instead of its own.

    Args:
        module: what is called; it has its own ones again afterwards.
        parameter_and_buffer_dicts: tensors by the names of ``named_parameters``; or several such dictionaries.
        args: a tuple of arguments, or the only one. kwargs: named arguments.
        tie_weights: whether a tensor for one name is taken for all names of the same parameter.
        strict: whether there must be a tensor for each name, and for no other.

    Returns:
        What the module gives; gradients flow to the tensors of the dictionary.

    Raises:
        ValueError: for a name in two dictionaries, and for two tensors for one parameter.
        RuntimeError: for wrong names, when `strict`.

    >>> module = tk.nn.Module()
    >>> module.weight = tk.nn.Parameter(tk.ones(2))
    >>> module.forward = lambda x: x * module.weight
    >>> functional_call(module, {"weight": tk.full((2,), 3.0)}, tk.ones(2))
    tensor([3., 3.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html
    """
    given = _merged(parameter_and_buffer_dicts)
    used = _untied(module, given) if tie_weights else dict(given)
    if strict:
        _check_names(module, used)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with _exchanged(module, used) as now:
        try:
            return module(*arguments, **(kwargs or {}))
        finally:
            given.update({name: now(name) for name in given if name in used})


def _merged(several: Any) -> dict[str, Any]:
    if isinstance(several, dict):
        return several
    if not isinstance(several, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(several)}"
        )
    if not all(isinstance(one, dict) for one in several):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    repeated = [name for name, count in Counter(name for one in several for name in one).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        )
    return {name: value for one in several for name, value in one.items()}


def _all_names(module: Module) -> dict[str, Any]:
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _untied(module: Module, given: dict[str, Any]) -> dict[str, Any]:
    """The tensors, with those of a parameter of several names under each of them."""
    names: dict[int, list[str]] = {}
    for name, value in _all_names(module).items():
        names.setdefault(id(value), []).append(name)
    used = dict(given)
    for tied in names.values():
        values = [given[name] for name in tied if name in given]
        if any(value is not values[0] for value in values):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. "
                "Consider using tie_weights=False"
            )
        used.update(dict.fromkeys(tied, values[0]) if values and len(tied) > 1 else {})
    return used


def _check_names(module: Module, used: dict[str, Any]) -> None:
    own = _all_names(module)
    found = [
        f"{what} key(s): {', '.join(map(repr, names))}."
        for what, names in (
            ("Unexpected", [name for name in used if name not in own]),
            ("Missing", [name for name in own if name not in used]),
        )
        if names
    ]
    if found:
        lines = "\n\t".join(found)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{lines}")


@contextmanager
def _exchanged(module: Module, used: dict[str, Any]) -> Iterator[Any]:
    """A module with tensors instead of its own; gives a function that returns the current ones."""
    places: dict[str, tuple[dict[str, Any], str]] = {}
    for name in used:
        path, _, last = name.rpartition(".")
        owner = module.get_submodule(path)
        home = owner._parameters if last in owner._parameters else owner._buffers
        places[name] = (home, last) if last in home else (owner.__dict__, last)
    before = {name: home.get(last) for name, (home, last) in places.items()}
    there = {name: last in home for name, (home, last) in places.items()}
    try:
        for name, (home, last) in places.items():
            home[last] = used[name]
        yield lambda name: places[name][0][places[name][1]]
    finally:
        for name, (home, last) in places.items():
            if there[name]:
                home[last] = before[name]
            else:
                home.pop(last, None)


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of several modules of one class, stacked, and their buffers: what `vmap` takes for an ensemble.

    Raises:
        RuntimeError: when they are of several classes, or not all in one mode.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.stack_module_state.html
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    return (
        _stacked([dict(model.named_parameters()) for model in models]),
        _stacked([dict(model.named_buffers()) for model in models]),
    )


def _stacked(several: list[dict[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in several[0]:
        tensors = [one[name] for one in several]
        wanting = {one.requires_grad for one in tensors}
        if len(wanting) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        result: Any = stack(tensors)
        made[name] = result.detach().requires_grad_() if wanting == {True} else result
    return made
