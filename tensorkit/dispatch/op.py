"""`op`: the decorator that makes an operation of its body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Unpack, cast, overload

from tensorkit.dispatch.call import as_function, respelled, traced_method
from tensorkit.dispatch.creation import may_require_grad
from tensorkit.dispatch.library import through_library
from tensorkit.dispatch.out_and_inplace import as_method, inplace_values, inplace_view, through_bits
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.registry import Fields, Op, P, R, register
from tensorkit.dispatch.shortcut import Slot, calls
from tensorkit.dispatch.strict_types import strictly
from tensorkit.dispatch.view_call import remembering, view_method
from tensorkit.tensor import attach


class _OpFields(Fields, total=False):
    name: str | None
    aliases: tuple[str, ...]
    function: bool
    methods: tuple[str, ...] | None
    inplace: bool
    derivative: Any
    inplace_derivative: Any
    grad_flag: bool | None
    namespace: str
    strict: bool
    handles_conj: bool
    library: str
    family: str


@overload
def op(  # a factory takes ``requires_grad=`` too
    *, kind: Literal["create"], **fields: Unpack[_OpFields]
) -> Callable[[Callable[..., R]], Callable[..., R]]: ...


@overload
def op(
    *,
    kind: Literal["view", "copy", "inplace", "pointwise", "reduce", "resize", "scan"] = "view",
    **fields: Unpack[_OpFields],
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def op(
    *,
    kind: str = "view",
    name: str | None = None,
    aliases: tuple[str, ...] = (),
    function: bool = True,
    methods: tuple[str, ...] | None = None,
    inplace: bool = False,
    derivative: Any = None,
    inplace_derivative: Any = None,
    grad_flag: bool | None = None,
    namespace: str = "",
    strict: bool = False,
    handles_conj: bool = False,
    library: str = "",
    family: str = "",
    **fields: Unpack[Fields],
) -> Any:
    """Register the decorated function as an operation.

    Args:
        kind: what family it belongs to.
        name: PyTorch's name; the function's own name if not given.
        aliases: further spellings, as functions and as methods.
        function: whether the namespace offers it.
        methods: the method spellings, if they differ from the name and its aliases; ``()`` for none.
        inplace: whether to derive ``name_``: of a view the form that changes this tensor's own layout, of anything
            else the form that writes into this tensor. The body of a pointwise operation or a scan is then called with
            ``out=IN_PLACE``, which `elementwise.apply` understands; other results are copied into the tensor.
        derivative: how gradients pass back through it.
        inplace_derivative: of ``name_``, where it is not `derivative`.
        grad_flag: whether it takes ``requires_grad=``; by default, if it creates tensors.
        namespace: ``"linalg"`` for ``tensorkit.linalg.name``; it is registered as ``linalg_name``, has no methods
            unless they are named, and the namespace's module imports it by hand. A namespace with a dot, such as
            ``"nn.functional"``, is Python's: what is in it has its plain name in the registry.
        strict: whether to look at the types of the arguments first, for a body that would take what PyTorch refuses:
            ``3`` for a bool, ``True`` for an integer.
        handles_conj: whether a body that writes into its tensor does as a view with bits asks for, or nothing.
        library: what does it on a CUDA device, if no kernel of the kit's own does: see ``dispatch.library``.
        family: the kernels of the kit's own that can do it there as well, if they are chosen, or there is no library:
            "products" or "sorting" (see ``kernels.cuda.choice``). The body then takes tensors on a device too.
        fields: the other attributes of `Op`.
    """

    def register_as(body: Callable[P, R]) -> Callable[P, R]:
        if (forms := body.__dict__.get("__forms__")) is not None:
            fields["forms"] = forms
        short = name or body.__name__
        own = f"{namespace}_{short}" if namespace and "." not in namespace else short
        body = through_library(own, library, body, family) if library else body
        bare: Callable[..., Any] | None = None
        if kind == "create" if grad_flag is None else grad_flag:
            bare, body = strictly(body, own) if strict else body, may_require_grad(body)
        if kind == "inplace" and not handles_conj:
            body = through_bits(body)
        if strict:
            body = strictly(body, own)
        told = "__by_layout__" in body.__dict__
        # A body without a derivative of its own is made of operations, which have to be recorded.
        noted = remembering(body) if told and derivative is not None else body
        plain, body = body, differentiable(noted, derivative, own, kind)
        spelled = (short, *aliases)
        given = (() if namespace else spelled) if methods is None else methods
        # Without keywords nothing asks for a gradient.
        slot = calls[own] = Slot()
        public = as_function(own, body, plain if bare is None else bare, slot)
        for spelling in given:
            taking = as_method(body)
            method = view_method(own, taking, plain) if told else traced_method(own, taking, plain, slot)
            attach(spelling, respelled(method, own, spelling if spelling in aliases else own, method=True))
        if inplace:
            if kind == "view":
                changing = inplace_view(plain, None if derivative is None else derivative.inplace())
                writing = None
            else:
                changing, writing = inplace_values(plain, inplace_derivative or derivative, own, kind)
            for spelling in given:
                method = traced_method(own + "_", as_method(changing), writing)
                attach(
                    spelling + "_",
                    respelled(
                        method, own + "_", (spelling if spelling in aliases else own) + "_", method=True
                    ),
                )
        register(
            Op(
                own,
                public if function else None,
                kind,
                functions=tuple(f"{namespace}.{n}" if namespace else n for n in spelled) if function else (),
                methods=(*given, *(f"{m}_" for m in given if inplace)),
                derivative=derivative,
                **fields,
            )
        )
        return cast(Callable[P, R], public)

    return register_as
