"""Recording: what happens when an operation is called on tensors that want gradients.

``dispatch`` calls `record` for an out-of-place operation and `record_inplace` for one that writes into its first
operand, and only then: where nothing wants a gradient, neither is reached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit import dispatch
from tensorkit.autograd import anomaly
from tensorkit.autograd.graph import (
    Face,
    Meta,
    Rule,
    RuleNode,
    Saved,
    SavedResult,
    differentiable,
    edge_of,
    made_by_none,
    meta_of,
    requires_grad,
    set_history,
)
from tensorkit.autograd.mode import ONE_OF_SEVERAL, PLAIN, state
from tensorkit.autograd.views import rebase, refuse_ambiguous
from tensorkit.tensor import Tensor

__all__ = ["check_inplace", "record", "record_inplace", "record_pair"]

Body = Callable[..., Any]


def record(
    rule: Rule | None, name: str, arguments: dict[str, Any], body: Callable[[], Any], *, is_view: bool
) -> Any:
    """Run an operation and note how to differentiate it.

    Args:
        rule: its derivative; None for an operation without.
        arguments: the call's arguments by parameter.
        body: runs the operation.
        is_view: whether its results are views of its first argument.
    """
    __tracebackhide__ = True
    if rule is not None and rule.applies is not None and not rule.applies(arguments):
        return body()
    if rule is None or not state.grad or not _any_wants(rule, arguments):
        return body()
    if arguments.get("out") is not None:
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    node = _node(rule, arguments)
    state.grad = False
    try:
        out = body()
    finally:
        state.grad = True
    _keep(node, arguments, out)
    _link(node, out)
    if is_view:
        _note_origins(next(iter(arguments.values())), out)
    return out


def record_pair(rule: Rule, second: str, out: Tensor, a: Tensor, b: Any) -> None:
    """Note how to differentiate an operation of two operands that has just run: the short way of `record`."""
    if not state.grad:
        return
    tensors = isinstance(b, Tensor)
    first_edge, second_edge = edge_of(a), edge_of(b) if tensors else None
    if (
        first_edge is None
        and second_edge is None
        and not (requires_grad(a) or (tensors and requires_grad(b)))
    ):
        return
    plan = rule._pairs.get(tensors) or rule.pair({"input": a, second: b})
    node = plan.cls({"alpha": 1} if tensors else {"alpha": 1, second: b})
    node.edges = (first_edge, second_edge) if plan.wide else (first_edge,)
    saved = node.saved
    by_first, by_second = first_edge is not None, second_edge is not None
    if (
        not by_first and not by_second
    ):  # views of a leaf, made unrecorded: PyTorch keeps what both derivatives need
        by_first = by_second = rule.shared(plan.cls.order)
    if (by_first and plan.first[0]) or (by_second and plan.first[1]):
        _refuse_inference(a)
        saved["input"] = Saved(a)
    if tensors and ((by_first and plan.second[0]) or (by_second and plan.second[1])):
        _refuse_inference(b)
        saved[second] = Saved(b)
    if (by_first and plan.out[0]) or (by_second and plan.out[1]):
        saved["out"] = SavedResult(out)
    node.faces = [Face(out)]
    meta = out._autograd = Meta()
    meta.node = node
    anomaly.remember(node)


def record_inplace(rule: Rule | None, arguments: dict[str, Any], body: Callable[[], Any]) -> Any:
    """Run an operation that writes into its first argument, and rewrite that tensor's history.

    Raises:
        RuntimeError: for a leaf that requires grad, a view of one, or a view that shares its node with others.
    """
    __tracebackhide__ = True
    target: Tensor = next(iter(arguments.values()))
    _refuse_inference_write(target)
    if not state.grad or not (requires_grad(target) or (rule is not None and _any_wants(rule, arguments))):
        return body()
    check_inplace(target)
    if rule is None:
        return body()
    node = _node(rule, arguments)
    first = next(iter(arguments))
    originals = dict(arguments)
    wanted = _wanted(node)
    if first in wanted:
        originals[first] = target.clone()  # recorded: it may be differentiated again
    state.grad = False
    try:
        _keep_inputs(node, originals)
        out = body()
    finally:
        state.grad = True
    if "out" in wanted:
        node.saved["out"] = SavedResult(target)
    if rule.geometry:
        set_history(target, node, 0, written=False)  # a base keeps its history: nothing was written to it
    else:
        rebase(target, node)
    anomaly.remember(node)
    return out


def check_inplace(target: Tensor) -> None:
    """Refuse an in-place write that autograd could not follow.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    base = target._base
    if base is not None:
        refuse_ambiguous(target)
        if requires_grad(target) and made_by_none(base):
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation."
            )
    if requires_grad(target) and made_by_none(target):
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


# -- the parts of a record ----------------------------------------------------------------------------------------


def _any_wants(rule: Rule, arguments: dict[str, Any]) -> bool:
    return any(isinstance(t := arguments.get(name), Tensor) and requires_grad(t) for name in rule.formulas)


def _node(rule: Rule, arguments: dict[str, Any]) -> RuleNode:
    """A node with its edges; what it saves is added when the operation has run."""
    plain = {key: value for key, value in arguments.items() if not isinstance(value, Tensor)}
    node = rule.node_class(arguments)(plain)
    node.edges = tuple(
        [edge_of(v) if isinstance(v := arguments.get(name), Tensor) else None for name in node.order]
    )
    return node


def _wanted(node: RuleNode) -> set[str]:
    """What the formulas that will run mention."""
    saves = node.rule.saves
    wanted: set[str] = set()
    nowhere = len(node.order) > 1 and not any(node.edges) and node.rule.shared(node.order)
    for name, edge in zip(node.order, node.edges, strict=True):
        if edge is not None or nowhere:
            wanted |= saves[name]
    return wanted if node.rule.unread is None else wanted - node.rule.unread(node.arguments)


def _keep(node: RuleNode, arguments: dict[str, Any], out: Any) -> None:
    """Save what the formulas mention: inputs, their sizes, the results."""
    wanted = _keep_inputs(node, arguments)
    results = out if isinstance(out, tuple) else (out,)
    for nr, name in enumerate(("out", "indices")):
        if name in wanted and nr < len(results):
            node.saved[name] = SavedResult(results[nr], nr)


def _keep_inputs(node: RuleNode, arguments: dict[str, Any]) -> set[str]:
    wanted = _wanted(node)
    for name, value in arguments.items():
        if not isinstance(value, Tensor):
            continue
        if name in wanted:
            _refuse_inference(value)
            node.saved[name] = Saved(value)
        if f"{name}_face" in wanted:
            node.arguments[f"{name}_face"] = _Geometry(value)
    return wanted


class _Geometry:
    """Size, stride, offset, dtype and device of an input, for formulas that need no values."""

    __slots__ = ("device", "dtype", "offset", "size", "stride")

    def __init__(self, tensor: Tensor) -> None:
        lay = tensor._lay()
        self.size, self.stride, self.offset = lay.size, lay.stride, lay.offset
        self.dtype, self.device = tensor._dtype, tensor._device


def _refuse_inference(tensor: Tensor) -> None:
    if tensor._autograd is not None and _is_inference(tensor):
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
            "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
            "it in autograd, or use `tensorkit.no_grad()` instead of `tensorkit.inference_mode()`."
        )


def _is_inference(tensor: Tensor) -> bool:
    meta: Meta | None = tensor._autograd if tensor._base is None else tensor._base._autograd
    return meta is not None and meta.inference


def _refuse_inference_write(target: Tensor) -> None:
    if _is_inference(target) and not state.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
            "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def _mark_inference(args: tuple[Any, ...], out: Any) -> None:
    """In inference mode, what an operation made from nothing can never be recorded."""
    if not state.inference:
        return
    for result in out if isinstance(out, tuple) else (out,):
        if isinstance(result, Tensor) and result._base is None and result._autograd is None:
            mine = any(result is arg for arg in args)
            meta_of(result).inference = not mine


def _link(node: RuleNode, out: Any) -> None:
    """Write the node into the results that can carry gradients."""
    results = out if isinstance(out, tuple) else (out,)
    node.several = isinstance(out, tuple)
    node.faces = [None] * len(results)
    for nr, result in enumerate(results):
        if isinstance(result, Tensor) and differentiable(result._dtype):
            set_history(result, node, nr)
    anomaly.remember(node)


def _note_origins(source: Tensor, out: Any) -> None:
    """Views that were recorded: plain ones, if what they are views of was (their body ran unrecorded)."""
    if isinstance(out, tuple):
        for part in out:
            part._origin = ONE_OF_SEVERAL
    elif out._base is not None:
        out._origin = PLAIN if source._base is None else source._origin


dispatch.register_recorder(record, record_inplace, record_pair, _mark_inference)
