"""Recording: what happens when an operation is called on tensors that want gradients.

``dispatch`` calls `record` for an out-of-place operation and `record_inplace` for one that writes into its first
operand, and only then: where nothing wants a gradient, neither is reached.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorkit.autograd import anomaly_mode, saved_tensors_hooks
from tensorkit.autograd.grad_mode import ONE_OF_SEVERAL, PLAIN, state
from tensorkit.autograd.history import differentiable, edge_of, made_by_none, requires_grad, set_history
from tensorkit.autograd.inplace_views import rebase, refuse_ambiguous
from tensorkit.autograd.node import RESULTS, Face, Meta, meta_of, sequence
from tensorkit.autograd.out_arguments import check_outs, not_recorded
from tensorkit.autograd.record_plan import Arguments, RecordPlan
from tensorkit.autograd.rule import Geometry, Rule, RuleNode
from tensorkit.autograd.saved import Saved, SavedResult, plain_alias, saved_result
from tensorkit.device import CPU
from tensorkit.dispatch import recording
from tensorkit.strides.view_cache import keep
from tensorkit.tensor import Tensor

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
    if rule is None or not state.grad or (rule.applies is not None and not rule.applies(arguments)):
        return body()
    written = arguments.get("out")
    if not _any_wants(rule, arguments) and not (isinstance(written, Tensor) and requires_grad(written)):
        return body()
    if rule.name not in _COPIES and _all_inference(rule, arguments):
        return body()
    if written is not None:
        raise not_recorded(name)
    node = _node(rule, arguments)
    out = _unrecorded(body, (), {})
    _keep(node, arguments, out)
    _link(node, out)
    if is_view:
        _note_origins(next(iter(arguments.values())), out)
    return out


def recorder(
    rule: Rule,
    body: Body,
    name: str,
    is_view: bool = False,
    *,
    names: tuple[str, ...] | None = None,
    arguments_of: Arguments | None = None,
) -> Callable[..., Any]:
    """What runs an operation and notes how to differentiate it: `record`, as short as it can be.

    Its calls have tensors, numbers and the like as positional arguments, and keywords that are not tensors. What
    recording such a call comes to is worked out once (`RecordPlan`).

    Args:
        names: the parameters, and `arguments_of` a call's arguments by them, where the body does not tell.
    """
    named = recording.parameters(body) if names is None else names
    by_name = functools.partial(recording.arguments_of, body) if arguments_of is None else arguments_of
    fixed = isinstance(rule.name, str) and rule.applies is None and rule.unread is None
    if not fixed and (len(rule.formulas) > 1 or rule.numbers_count):
        return lambda *args, **kwargs: record(
            rule, name, by_name(args, kwargs), lambda: body(*args, **kwargs), is_view=is_view
        )
    plans: dict[tuple[type, ...], RecordPlan] = {}
    number, here, full, copies = sequence.__next__, state, Meta, rule.name in _COPIES

    def decide(kinds: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The plan where the rule looks at the arguments: None for `record`, or what refuses the call afterwards.

        A layout that others know remembers it: it is asked again and again.
        """
        if kinds[0] is not Tensor or Tensor in kinds[1:]:
            return None
        input = args[0]
        layout = input._layout or input._lay()
        key = (run, input._dtype, kinds, args[1:], *kwargs.items())
        memo = layout._memo
        found = None if memo is None else memo.get(key)
        if found is None:
            if rule.applies is not None and not rule.applies(by_name(args, kwargs)):
                return None
            try:
                found = RecordPlan(rule, named, by_name, args, kwargs)
            except RuntimeError as refusal:
                return refusal
            if memo is not None and requires_grad(input):  # of others less may be refused
                keep(layout, key, found)
        return found

    def run(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if not here.grad:
            return body(*args, **kwargs)
        kinds = tuple(map(type, args))
        plan: Any = plans.get(kinds) if fixed else decide(kinds, args, kwargs)
        if plan.__class__ is not RecordPlan:
            if fixed:
                plan = plans[kinds] = RecordPlan(rule, named, by_name, args, kwargs)
            elif plan is not None:
                if not requires_grad(args[0]) or _all_inference(rule, by_name(args, kwargs)):
                    return body(*args, **kwargs)
                _unrecorded(body, args, kwargs)  # may have something against the call itself
                raise plan
        edges: list[Any] = []
        by_all, looked = plan is not None and plan.fits, copies
        for place in plan.places if by_all else ():
            edge: Any = None
            if place >= 0:
                tensor = args[place]
                edge = tensor._autograd
                if edge.__class__ is full:
                    if edge.inference and not looked:
                        looked = True
                        if _all_inference(rule, by_name(args, kwargs)):
                            return body(*args, **kwargs)
                    plainly = edge.leaf and edge.node is None and tensor._base is None
                    edge = tensor if plainly else _noted_edge(tensor)
                elif tensor._base is not None and _is_stale(tensor):
                    edge = _noted_edge(tensor)
            edges.append(edge)
            by_all = by_all and edge is not None
        if by_all:
            to_keep, to_measure, wanted = plan.kept_by_all
        else:
            mask = tuple([edge is not None for edge in edges])
            if True not in mask:  # views of leaves, made unrecorded: or nothing to be recorded
                arguments = by_name(args, kwargs)
                return record(rule, name, arguments, lambda: body(*args, **kwargs), is_view=is_view)
            to_keep, to_measure, wanted = plan.kept(mask)
        here.grad = False
        try:
            out = body(*args, **kwargs)
        finally:
            here.grad = True
        kept = [_kept(place, args[place]) for place in to_keep] if to_keep else ()
        node: Any = plan.cls()
        plain = out.__class__ is Tensor
        if not plain:
            size = kind = None
        else:
            layout, kind = out._layout, out._dtype
            size = out._array.shape if layout is None else layout.size
        faces: Any = [] if to_measure else ()
        for place in to_measure:
            tensor = args[place]
            faces.append((place, (tensor._layout or tensor._lay(), tensor._dtype, tensor._device)))
        node.note = (
            plan,
            edges,
            size,
            kind,
            kept,
            faces,
            _saved_results(wanted, (out,) if plain else out, rule.carries) if wanted else None,
            [args[place] for place in plan.rest] if plan.rest else (),
            kwargs,
            number(),
        )
        if kind is not None and out._autograd is None and out._device is CPU and kind.category >= 2:
            out._autograd = node
            if out._base is not None:
                if is_view:
                    out._origin = PLAIN if args[0]._base is None else args[0]._origin
                else:
                    out._born = out._version
            if anomaly_mode.watched:
                _look_at(node, out)
            return out
        node.settle()
        _link(node, out)
        if is_view:
            _note_origins(args[0], out)
        return out

    return run


def pair_recorder(
    rule: Rule, name: str, second: str, a: Tensor, b: Any
) -> Callable[[Tensor, Tensor, Any], None]:
    """What notes how to differentiate an operation of two operands that has just run on the CPU.

    `recorder`, inlined for ``x * y``: it buys the rows "`x + y, recorded`" and "`x + y, added by recording`" of the
    benchmarks.

    Args:
        second: the parameter of the second operand. a, b: operands of the types that it is for.
    """

    def arguments_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        return {"input": args[0], second: args[1], "alpha": 1}

    plan = RecordPlan(rule, ("input", second), arguments_of, (a, b), {})
    cls, wide, tensors = plan.cls, len(plan.places) == 2, isinstance(b, Tensor)
    # By whether the first operand has an edge, and the second: is the first kept, and the second?
    both = [(first, other)[: len(plan.places)] for first in (False, True) for other in (False, True)]
    keeps = [(0 in plan.kept(mask)[0], 1 in plan.kept(mask)[0]) for mask in both]
    at_length = bool(plan.kept_by_all[2])  # the result is saved
    number, here, full = sequence.__next__, state, Meta

    def note(out: Tensor, a: Tensor, b: Any) -> None:
        if not here.grad:
            return
        first, other = a._autograd, b._autograd if tensors else None
        whole = at_length or out._dtype.category < 2
        if first.__class__ is full or a._base is not None:
            whole = whole or (first is not None and first.inference)
            first = _noted_edge(a)
        if tensors and (other.__class__ is full or b._base is not None):
            whole = whole or (other is not None and other.inference)
            other = _noted_edge(b)
        if whole or (first is None and other is None):
            record(rule, name, arguments_of((a, b), {}), lambda: out, is_view=False)
            return
        keeps_a, keeps_b = keeps[2 * (first is not None) + (other is not None)]
        kept: Any = ()
        if keeps_a:
            kept = (_kept(0, a),)
        if keeps_b:
            kept = (*kept, _kept(1, b))
        node: Any = cls()
        edges = (first, other) if wide else (first,)
        size = out._array.shape  # type: ignore[union-attr]
        node.note = (plan, edges, size, out._dtype, kept, (), None, () if tensors else (b,), _NONE, number())
        out._autograd = node
        if anomaly_mode.watched:
            _look_at(node, out)

    return note


_NONE: dict[str, Any] = {}


def _kept(place: int, tensor: Tensor) -> tuple[int, Tensor, int, bool]:
    """An operand that is saved: with its version, and whether an operation made it."""
    held, base, counter = tensor._autograd, tensor._base, tensor._counter
    family = held if base is None else base._autograd
    if held is not None and family is not None and family.inference:
        _refuse_inference(tensor)
    made = held is not None and (held.__class__ is not Meta or held.node is not None)
    return place, tensor, 0 if counter is None else counter[0], made


def _unrecorded(body: Body, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    state.grad = False
    try:
        return body(*args, **kwargs)
    finally:
        state.grad = True


def _is_stale(view: Tensor) -> bool:
    """Whether a view has no node, or its family was written to since it has it."""
    counter = view._counter
    return view._autograd is None or counter is None or view._born != counter[0]


def _noted_edge(tensor: Tensor) -> Any:
    """`edge_of`, as a note has it: a node alone where it is the one result of its operation, a leaf for itself."""
    held = tensor._autograd
    if tensor._base is not None:
        return edge_of(tensor)
    if held is None or type(held) is not Meta:
        return held
    if held.node is not None:
        return held.node, held.output_nr
    return tensor if held.leaf else None


def record_inplace(rule: Rule | None, arguments: dict[str, Any], body: Callable[[], Any]) -> Any:
    """Run an operation that writes into its first argument, and rewrite that tensor's history.

    Raises:
        RuntimeError: for a leaf that requires grad, a view of one, or a view that shares its node with others.
    """
    __tracebackhide__ = True
    target: Tensor = next(iter(arguments.values()))
    refuse_inference_write(target)
    if not state.grad or not (requires_grad(target) or (rule is not None and _any_wants(rule, arguments))):
        return body()
    if rule is not None and (not rule.formulas or (rule.converts and not differentiable(target._dtype))):
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
        if anomaly_mode.watched:
            saved_tensors_hooks.pack_inputs(node)
        out = body()
    finally:
        state.grad = True
    if "out" in wanted:
        node.saved["out"] = SavedResult(target)
    if rule.geometry:
        set_history(target, node, 0, written=False)  # a base keeps its history: nothing was written to it
    else:
        rebase(target, node)
    if anomaly_mode.watched:
        _look_at(node, out)
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
    for name in rule.formulas:
        value = arguments.get(name)
        if isinstance(value, Tensor) and requires_grad(value):
            return True
    return False


def _node(rule: Rule, arguments: dict[str, Any]) -> RuleNode:
    """A node with its edges; what it saves is added when the operation has run."""
    cls = rule.node_class(arguments)
    node = cls()
    node.sequence = next(sequence)
    node.arguments = {
        key: value[:] if type(value) is list else value  # a caller's list may change before the backward pass
        for key, value in arguments.items()
        if not isinstance(value, Tensor)
    }
    node.saved = {}
    node.faces = []
    if len(cls.order) == 1:
        value = arguments[cls.order[0]]
        node.edges = (edge_of(value) if isinstance(value, Tensor) else None,)
    else:
        node.edges = tuple(
            [edge_of(v) if isinstance(v := arguments.get(name), Tensor) else None for name in cls.order]
        )
    return node


def _wanted(node: RuleNode) -> frozenset[str]:
    """What the formulas that will run mention."""
    cls, edges = type(node), node.edges
    mask = (edges[0] is not None,) if len(edges) == 1 else tuple([edge is not None for edge in edges])
    wanted = cls.mentions.get(mask)
    if wanted is None:
        wanted = cls.mentions[mask] = _mentioned(node)
    unread = node.rule.unread
    return wanted if unread is None else wanted - unread(node.arguments)


def _mentioned(node: RuleNode) -> frozenset[str]:
    saves = node.rule.saves
    wanted: set[str] = set()
    nowhere = len(node.order) > 1 and not any(node.edges) and node.rule.shared(node.order)
    for name, edge in zip(node.order, node.edges, strict=True):
        if edge is not None or nowhere:
            wanted |= saves[name]
    return frozenset(wanted)


def _keep(node: RuleNode, arguments: dict[str, Any], out: Any) -> None:
    """Save what the formulas mention: inputs, their sizes, the results."""
    wanted = _keep_inputs(node, arguments)
    if wanted.isdisjoint(RESULTS):
        return
    results = out if isinstance(out, tuple) else (out,)
    node.saved.update(_saved_results(wanted, results, node.rule.carries))


def _saved_results(
    wanted: frozenset[str], results: tuple[Tensor, ...], carries: int | None
) -> dict[str, Saved]:
    """The results of an operation that its formulas mention, by their names in the formulas."""
    if len(results) == 1:
        return {"out": saved_result(results[0])} if "out" in wanted else {}
    return {
        name: saved_result(result, nr) if carries is None or nr < carries else Saved(plain_alias(result))
        for nr, (name, result) in enumerate(zip(RESULTS, results, strict=False))
        if name in wanted
    }


def _keep_inputs(node: RuleNode, arguments: dict[str, Any]) -> frozenset[str]:
    wanted = _wanted(node)
    if not wanted:
        return wanted
    for name, value in arguments.items():
        if not isinstance(value, Tensor):
            continue
        if name in wanted:
            _refuse_inference(value)
            node.saved[name] = Saved(value)
        if name + "_face" in wanted:
            node.arguments[name + "_face"] = Geometry(value._lay(), value._dtype, value._device)
    return wanted


def _refuse_inference(tensor: Tensor) -> None:
    if tensor._autograd is not None and _is_inference(tensor):
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
            "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
            "it in autograd, or use `tensorkit.no_grad()` instead of `tensorkit.inference_mode()`."
        )


_COPIES = ("CloneBackward0", "ToCopyBackward0")  # PyTorch writes into a tensor outside, which is recorded


def _all_inference(rule: Rule, arguments: dict[str, Any]) -> bool:
    """Whether all tensors among a call's arguments were made in inference mode: PyTorch does not record that.

    A number that has an edge counts as a tensor, and was made outside.
    """
    if any(not isinstance(arguments.get(name), Tensor) for name in rule.order(arguments)):
        return False
    found = False
    for value in arguments.values():
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(one, Tensor):
                if not _is_inference(one):
                    return False
                found = True
    return found


def _is_inference(tensor: Tensor) -> bool:
    meta: Meta | None = tensor._autograd if tensor._base is None else tensor._base._autograd
    return meta is not None and meta.inference


def refuse_inference_write(target: Tensor) -> None:
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
            meta_of(result).inference = not any(_goes_on(arg, result) for arg in args)


def _goes_on(arg: Any, result: Tensor) -> bool:
    """Whether a result is the argument itself, or its memory is not an inference tensor's."""
    if arg is result or not isinstance(arg, Tensor):
        return arg is result
    held = result._storage
    return held is not None and held is arg._storage and not _is_inference(arg)


def _look_at(node: RuleNode, out: Any) -> None:
    """A node was recorded while anomalies are looked for, or while hooks pack what is saved."""
    anomaly_mode.remember(node)
    saved_tensors_hooks.pack(node, out)


def _link(node: RuleNode, out: Any) -> None:
    """Write the node into the results that can carry gradients."""
    if type(out) is Tensor and out._autograd is None and differentiable(out._dtype):
        node.faces = [Face(out)]  # a note, if there was one, was for a result of the CPU
        out._autograd = node  # which stands in for the `Meta`
        if out._base is not None:
            out._born = out._version
    else:
        results = out if isinstance(out, tuple) else (out,)
        node.several = isinstance(out, tuple)
        node.faces = []  # as many as reach to the last result that can carry a gradient, as in PyTorch
        for nr, result in enumerate(results[: node.rule.carries]):
            if isinstance(result, Tensor) and differentiable(result._dtype):
                set_history(result, node, nr)
        if not node.faces and results:
            _refuse_integers(type(node), results[0])
    if anomaly_mode.watched:
        _look_at(node, out)


def _refuse_integers(cls: type[RuleNode], out: Any) -> None:
    """Refuse to record what has no gradient: of integers into which something was written that wants one.

    Raises:
        RuntimeError: in PyTorch's words; not where there is no derivative to record.
    """
    if cls.__name__ != "NotImplemented":
        raise RuntimeError(f"Autograd not support dtype: {out._dtype.label}")


def _note_origins(source: Tensor, out: Any) -> None:
    """Views that were recorded: plain ones, if what they are views of was (their body ran unrecorded)."""
    if isinstance(out, tuple):
        for part in out:
            part._origin = ONE_OF_SEVERAL
    elif out._base is not None:
        out._origin = PLAIN if source._base is None else source._origin


# Late: `dispatch` calls what records, which is built on it.
recording.register_recorder(record, record_inplace, recorder, pair_recorder, _mark_inference, check_outs)
