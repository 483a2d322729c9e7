"""Is a derivative right? `gradcheck` compares it with small differences; `gradgradcheck` the derivative of it.

>>> x = tk.tensor([1.0, -2.0], dtype=tk.float64, requires_grad=True)
>>> tk.autograd.gradcheck(lambda x: x * x.abs(), x)
True

The matrix that is compared has a row for each number that goes in and a column for each that comes out. The
real and imaginary parts of complex results are checked separately; a complex input has ``d/dx + i d/dy`` in its row.

Source: behaviour and sentences are PyTorch 2.13's (https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.api import grad
from tensorkit.autograd.function import Function
from tensorkit.autograd.history import requires_grad
from tensorkit.errors import warn
from tensorkit.tensor import Array, Tensor, fresh

Numbers = Callable[..., Any]


class GradcheckError(RuntimeError):
    """A derivative that `gradcheck` or `gradgradcheck` found wrong."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_forward_ad: bool = False,
    fast_mode: bool = False,
) -> bool:
    """Compare the gradients of a function with small differences of its values.

    Args:
        func: takes the inputs, returns a tensor or a tuple of them.
        inputs: a tensor or a tuple; those that require grad are checked. They should be float64 or complex128.
        eps: how far an input is moved, to either side.
        atol, rtol: the difference allowed, absolute and relative to the numerical value.
        raise_exception: whether to raise `GradcheckError`; otherwise a wrong derivative gives False.
        nondet_tol: by how much two backward passes may differ.
        check_undefined_grad: also check that a gradient that is not there counts as zero.
        check_grad_dtypes: accepted as in PyTorch; here every gradient has its tensor's dtype.

    Returns:
        True when all derivatives are right.

    Raises:
        GradcheckError: (a RuntimeError) with both matrices, when one is wrong.
        ValueError: when no input requires grad, or for a check that is not implemented (`fast_mode`,
            `check_batched_grad`, `check_forward_ad`).

    >>> x = tk.tensor([3.0], dtype=tk.float64, requires_grad=True)
    >>> tk.autograd.gradcheck(lambda x: x * x.detach(), x, raise_exception=False)
    False
    """
    _refuse(fast_mode=fast_mode, check_batched_grad=check_batched_grad, check_forward_ad=check_forward_ad)
    del check_grad_dtypes
    given = _as_tuple(inputs)
    try:
        _check_inputs(given)
        results = _as_tuple(func(*given))
        check = _Check(func, given, eps, atol, rtol, nondet_tol)
        if not any(_is_differentiable(result) for result in results):
            check.all_zero(results)
            return True
        check.jacobians(results)
        if check_undefined_grad:
            _check_undefined(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    fast_mode: bool = False,
) -> bool:
    """Compare the second derivatives of a function with small differences of its first ones.

    Args:
        grad_outputs: the gradient that each output starts with; numbers between -1 and 1 if not given.
        gen_non_contig_grad_outputs: let those lie apart in memory.
        func, inputs, eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes: as for
            `gradcheck`.

    Returns:
        True when all derivatives are right.

    Raises:
        GradcheckError, ValueError: as `gradcheck`.

    >>> x = tk.tensor([1.0, -2.0], dtype=tk.float64, requires_grad=True)
    >>> tk.autograd.gradgradcheck(lambda x: x * x * x, x)
    True
    """
    given = _as_tuple(inputs)
    outputs = _differentiable(func(*given))
    starts = (
        _starts(outputs, gen_non_contig_grad_outputs) if grad_outputs is None else _as_tuple(grad_outputs)
    )
    wanted = [i for i, value in enumerate(given) if _wants(value)]

    def first_derivatives(*args: Any) -> tuple[Any, ...]:
        values, begun = args[: len(given)], args[len(given) :]
        found = grad(
            _differentiable(func(*values)),
            tuple(values[i] for i in wanted),
            begun,
            create_graph=True,
            allow_unused=True,
        )
        return tuple(one for one in found if one is not None)

    return gradcheck(
        first_derivatives,
        (*given, *starts),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
    )


# -- what goes in and what comes out ------------------------------------------------------------------------------


def _refuse(**asked: bool) -> None:
    for name, wanted in asked.items():
        if wanted:
            raise ValueError(f"{name}=True is not there: tensorkit compares the whole matrices, backwards")


def _as_tuple(values: Any) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def _wants(value: Any) -> bool:
    return isinstance(value, Tensor) and requires_grad(value)


def _is_differentiable(value: Any) -> bool:
    return _wants(value)


def _differentiable(results: Any) -> tuple[Any, ...]:
    return tuple(filter(_is_differentiable, _as_tuple(results)))


def _check_inputs(given: tuple[Any, ...]) -> None:
    wanted = [(i, value) for i, value in enumerate(given) if _wants(value)]
    for i, value in wanted:
        if value._dtype not in (dtypes.float64, dtypes.complex128):
            warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. "
            )
        lay = value._lay()
        if any(step == 0 and size > 1 for step, size in zip(lay.stride, lay.size, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _starts(outputs: Sequence[Any], apart: bool) -> tuple[Tensor, ...]:
    """A gradient for each output: the same numbers in every run, so that a failure can be looked at again."""
    random = numpy.random.default_rng(0)
    made = []
    for out in outputs:
        size = out._lay().size
        wide = (*size[:-1], size[-1] * 2) if apart and out.numel() > 1 else size
        values: Array = random.uniform(-1, 1, wide)
        if out._dtype.is_complex:
            values = values + 1j * random.uniform(-1, 1, wide)
        tensor: Any = fresh(numpy.asarray(values, out._dtype.numpy), out._dtype)
        start = tensor if wide == size else tensor[..., ::2]
        made.append(start.detach().requires_grad_())
    return tuple(made)


# -- the two matrices ---------------------------------------------------------------------------------------------


class _Check:
    """One function at one point."""

    def __init__(
        self, func: Numbers, given: tuple[Any, ...], eps: float, atol: float, rtol: float, nondet: float
    ) -> None:
        self.func, self.given = func, given
        self.eps, self.atol, self.rtol, self.nondet = eps, atol, rtol, nondet
        self.wanted = [i for i, value in enumerate(given) if _wants(value)]

    def all_zero(self, results: tuple[Any, ...]) -> None:
        """A function without derivative must not change with its inputs."""
        for i in self.wanted:
            if any(
                numpy.any(matrix != 0) for matrix in self._numerical(i, results, lambda values: values.real)
            ):
                raise GradcheckError("Numerical gradient for function expected to be zero")

    def jacobians(self, results: tuple[Any, ...]) -> None:
        """Run all requested comparisons for every output and every part of it."""
        parts: list[tuple[str, Callable[[Array], Array]]] = [("real", numpy.real)]
        if any(_wants(result) and result._dtype.is_complex for result in results):
            parts.insert(0, ("imaginary", numpy.imag))
        places = [nr for nr, result in enumerate(results) if _is_differentiable(result)]
        for part, take in parts:
            numerical = {i: self._numerical(i, results, take) for i in self.wanted}
            for shown, nr in enumerate(places):
                if part == "imaginary" and not results[nr]._dtype.is_complex:
                    continue
                analytical = self._analytical(results[nr], 1j if part == "imaginary" else 1)
                for place, (i, matrix) in enumerate(zip(self.wanted, analytical, strict=True)):
                    self._compare(
                        matrix,
                        numerical[i][nr],
                        (shown, place),
                        part,
                        results[nr]._dtype,
                        self.given[i]._dtype,
                    )

    def _compare(
        self,
        analytical: Array,
        numerical: Array,
        where: tuple[int, int],
        part: str,
        out: dtypes.dtype,
        kind: dtypes.dtype,
    ) -> None:
        if numpy.allclose(analytical, numerical, rtol=self.rtol, atol=self.atol):
            return
        which = f"While considering the {part} part of complex outputs only, " if out.is_complex else ""
        shown = [fresh(numpy.asarray(matrix, kind.numpy), kind) for matrix in (numerical, analytical)]
        raise GradcheckError(
            f"{which}Jacobian mismatch for output {where[0]} with respect to input {where[1]},\n"
            f"numerical:{shown[0]!r}\nanalytical:{shown[1]!r}\n"
        )

    def _numerical(self, i: int, results: tuple[Any, ...], take: Callable[[Array], Array]) -> list[Array]:
        """For each result, how it changes with each number of one input."""
        moved = self.given[i]
        wide = numpy.complex128 if moved._dtype.is_complex else numpy.float64
        counts = [result.numel() if isinstance(result, Tensor) else 0 for result in results]
        matrices: list[Array] = [numpy.zeros((moved.numel(), count), wide) for count in counts]
        steps = (self.eps, self.eps * 1j) if moved._dtype.is_complex else (self.eps,)
        for row, place in enumerate(itertools.product(*map(range, moved._lay().size))):
            for unit, step in zip((1, 1j), steps, strict=False):
                ahead, behind = self._values(i, place, step), self._values(i, place, -step)
                for matrix, after, before in zip(matrices, ahead, behind, strict=True):
                    if matrix.shape[1]:
                        matrix[row] += unit * (take(after) - take(before)) / (2 * self.eps)
        return matrices

    def _values(self, i: int, place: tuple[int, ...], step: complex) -> list[Array]:
        """What comes out when one number of one input is moved: the numbers of each result."""
        data = self.given[i].data  # writes through it are not counted
        kept = data[place].clone()
        data[place] = kept + step
        try:
            results = _as_tuple(self.func(*self._passed()))
            return [
                numpy.array(_wide(result)).reshape(-1) if isinstance(result, Tensor) else numpy.zeros(0)
                for result in results
            ]
        finally:
            data[place] = kept

    def _passed(self) -> Iterator[Any]:
        # Leaves of their own on the same memory: `gradgradcheck` differentiates by them.
        for value in self.given:
            yield value.detach().requires_grad_() if _wants(value) else value

    def _analytical(self, out: Any, unit: complex) -> list[Array]:
        """The gradient of each number of one output by each requested input."""
        columns = [self._rows(out, place, unit) for place in range(out.numel())]
        inputs = [self.given[i] for i in self.wanted]
        return [
            numpy.stack([column[k] for column in columns], axis=1)
            if columns
            else numpy.zeros((value.numel(), 0))
            for k, value in enumerate(inputs)
        ]

    def _rows(self, out: Any, place: int, unit: complex) -> list[Array]:
        start = numpy.zeros(out.numel(), out._dtype.numpy)
        start[place] = unit
        begun = fresh(start.reshape(out._lay().size), out._dtype)
        once, again = self._gradients(out, begun), self._gradients(out, begun)
        for first, second in zip(once, again, strict=True):
            if not numpy.allclose(first, second, rtol=0, atol=self.nondet, equal_nan=True):
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient.The tolerance for "
                    f"nondeterminism was {self.nondet}."
                )
        return once

    def _gradients(self, out: Any, begun: Tensor) -> list[Array]:
        inputs = tuple(self.given[i] for i in self.wanted)
        found = grad(out, inputs, begun, retain_graph=True, allow_unused=True)
        return [
            numpy.zeros(value.numel()) if one is None else numpy.array(_wide(one)).reshape(-1)
            for one, value in zip(found, inputs, strict=True)
        ]


def _wide(tensor: Any) -> Array:
    """The numbers as float64 or complex128."""
    kind = dtypes.complex128 if tensor._dtype.is_complex else dtypes.float64
    return tensor.detach().to(kind)._nd()  # type: ignore[no-any-return]


# -- a gradient that is not there ---------------------------------------------------------------------------------


class _NoGradient(Function):
    """Hands a tensor on, and no gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return None


_BACKWARDS_COMPATIBILITY = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    "existing callers of this function. If this is true for you, you can call this function with "
    '"check_undefined_grad=False" to disable the feature'
)


def _check_undefined(func: Numbers, given: tuple[Any, ...]) -> None:
    """Derivatives must take no gradient, for all of the outputs or for one of them, as zero."""
    count = len(_differentiable(func(*given)))
    for missing in (None, *range(count)) if count > 1 else (None,):
        outputs = [
            _NoGradient.apply(out) if missing in (None, nr) else out
            for nr, out in enumerate(_differentiable(func(*given)))
        ]
        _check_zero_in_zero_out(outputs, [value for value in given if _wants(value)])


def _check_zero_in_zero_out(outputs: list[Any], inputs: list[Any]) -> None:
    notes = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
    try:
        found = grad(outputs, inputs, [out.detach() * 0 for out in outputs], allow_unused=True)
    except RuntimeError as problem:
        warn(_BACKWARDS_COMPATIBILITY)
        raise GradcheckError(
            f"Expected backward function to handle undefined output grads. {notes}"
        ) from problem
    if any(one is not None and numpy.any(_wide(one) != 0) for one in found):
        warn(_BACKWARDS_COMPATIBILITY)
        raise GradcheckError(
            f"Expected all input grads to be undefined or zero when all output grads are undefined or zero. {notes}"
        )
