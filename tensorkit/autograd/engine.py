"""The backward pass: from the results, node by node, to the leaves.

Nodes run latest first, each once all gradients for its outputs have arrived and been added up (`_run`). Whatever a
formula returns is fitted to the value that it belongs to on the way (`_fit`): the one place where gradients are summed
over broadcast dimensions. The walk keeps its own heap, so a graph may be as deep as memory allows.
"""

from __future__ import annotations

import heapq
import itertools
import sys
import threading
import warnings
from collections.abc import Container, Iterable, Sequence
from typing import Any

from tensorkit.autograd import anomaly_mode
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.node import AccumulateGrad, Edge, Face, Meta, Node
from tensorkit.autograd.rule import RuleNode
from tensorkit.elementwise.output import empty_strided
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor

Capture = tuple[Node, int]
Grads = list[Tensor | None]


def run_backward(
    roots: Sequence[Edge],
    grads: Sequence[Tensor],
    *,
    retain_graph: bool,
    create_graph: bool,
    wanted: Sequence[Edge] = (),
    accumulate: bool = True,
) -> list[Tensor | None]:
    """Send gradients back from `roots`.

    Args:
        wanted: only walk to these; without `accumulate` their gradients are returned and no ``.grad`` changes.

    Returns:
        The gradient that arrived at each wanted edge, None where none did.
    """
    __tracebackhide__ = True
    walk = Walk(roots, wanted, accumulate, retain_graph)
    before, outer = state.grad, _here.walk
    state.grad, _here.walk = create_graph, walk
    try:
        for i, ((node, nr), grad) in enumerate(zip(roots, grads, strict=True)):
            walk.arrive(node, nr, _fit_root(grad, node.faces[nr], node, i))
        walk.run()
    finally:
        state.grad, _here.walk = before, outer
    if not wanted:
        return []
    return [walk.captured.get(edge) for edge in wanted]


class _Here(threading.local):
    walk: Walk | None = None


_here = _Here()


def current_walk() -> Walk | None:
    """The walk that this thread is on, for hooks that ask."""
    return _here.walk


class Walk:
    """One backward pass: what waits for how many gradients, and what has arrived."""

    def __init__(self, roots: Sequence[Edge], wanted: Sequence[Edge], accumulate: bool, retain: bool) -> None:
        self.waiting = _count_arrivals([node for node, _ in roots])
        self.captured: dict[Edge, Tensor | None] = {}
        self.wanted = set(wanted)
        self.accumulate = accumulate
        self.retain = retain
        self.needed: set[Node] | None = None
        self.targets = {node for node, _ in wanted}
        if wanted:
            self._narrow(self.targets, roots)
        self.buffers: dict[Node, Grads] = {}
        self.heap: list[tuple[float, int, Node]] = []
        self.ticket = itertools.count()
        #: The node to begin with, where there is but one: no need to send it through the heap.
        self.first: Node | None = roots[0][0] if len(roots) == 1 else None
        if self.first is None:
            for root in {node for node, _ in roots}:
                if self.waiting.get(root) == 0:
                    self._ready(root)
        elif self.waiting.get(self.first) != 0:
            self.first = None

    def _narrow(self, targets: set[Node], roots: Sequence[Edge]) -> None:
        """Visit only the nodes that lead to what is wanted, and those; compute only what must be computed."""
        leading = _leading_to(targets, self.waiting)
        self.needed = leading | targets if self.accumulate else leading
        visited = leading | targets | ({roots[0][0]} if len(roots) == 1 else set())
        self.waiting = {node: count for node, count in self.waiting.items() if node in visited}

    def will_run(self, node: Node) -> bool:
        """Whether this walk comes by a node.

        Raises:
            RuntimeError: for a leaf whose gradient is requested: it is returned, and not accumulated.
        """
        if self.needed is None or node not in self.waiting:
            return node in self.waiting
        asked = not self.accumulate and any(node is one for one, _ in self.wanted)
        if asked and not node.edges:
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). "
                "This is currently not supported."
            )
        return asked or node in self.needed

    def _ready(self, node: Node) -> None:
        heapq.heappush(self.heap, (-node.sequence, next(self.ticket), node))

    def arrive(self, node: Node, nr: int, grad: Tensor | None, also: Sequence[Tensor | None] = ()) -> None:
        """Add a gradient to those that wait before a node; `also` are those that came with it."""
        buffer = self.buffers.get(node)
        if buffer is None:
            buffer = self.buffers[node] = [None] * max(len(node.faces), nr + 1)
        if grad is not None:
            held = buffer[nr]
            if held is None:
                buffer[nr] = grad
                return
            total = held + grad
            # PyTorch adds in place to a gradient that has no other reference, and counts that as a write.
            here = _HELD_HERE + any(held is one for one in also)
            if not state.grad and sys.getrefcount(held) <= here and _owns_memory(held):
                total._counter = [held._version + 1]
            buffer[nr] = total

    def run(self) -> None:
        __tracebackhide__ = True
        heap = self.heap
        node, self.first = self.first, None
        while heap or node is not None:
            if node is None:
                node = heapq.heappop(heap)[2]
            # A chain of operations has one node at a time that can run: no need to send it through the heap.
            while node is not None:
                node = self._step(node)

    def _step(self, node: Node) -> Node | None:
        """Run one node and hand its results on; returns the next one when only one is ready."""
        __tracebackhide__ = True
        waiting, buffers = self.waiting, self.buffers
        plain = node.tensor_hooks is None and node.pre_hooks is None and node.post_hooks is None
        if plain and not anomaly_mode.on and (self.needed is None or self._runs_whole(node)):
            grads = buffers.pop(node, None) or [None] * len(node.faces)
            if node.__class__ is AccumulateGrad:
                _accumulate(node.variable, grads[0])
                return None
            results = node.apply(grads)
            del grads  # not to be held while the results are handed on
            if len(results) != len(node.edges):
                _checked_count(node, results)
            if not self.retain:
                node.release()
        else:
            results = self._results(node)
        ready: Node | None = None
        for i, edge in enumerate(node.edges):
            if edge is None or edge[0] not in waiting:
                continue
            target, nr = edge
            result = results[i]
            if result is not None:
                face = target.faces[nr]
                layout = result._layout
                size = result._array.shape if layout is None else layout.size  # type: ignore[union-attr]
                if face is None or result._dtype is not face.dtype or size != face.size:
                    result = _fit(result, face, node, i)
            left = waiting[target] - 1
            if left == 0 and nr == 0 and target not in buffers and len(target.faces) == 1:
                buffers[target] = [result]
            else:
                self.arrive(target, nr, result, results)
            waiting[target] = left
            if left == 0:
                if ready is not None:
                    self._ready(ready)
                ready = target
        if ready is not None and self.heap:
            self._ready(ready)
            return None
        return ready

    def _runs_whole(self, node: Node) -> bool:
        """Whether a node on the way to what is wanted has nothing to be kept, or left out."""
        if self.needed is None or node not in self.needed or node in self.targets:
            return False
        waiting = self.waiting
        return all(edge is None or edge[0] in waiting for edge in node.edges)

    def _results(self, node: Node) -> Sequence[Tensor | None]:
        __tracebackhide__ = True
        grads = self.buffers.pop(node, None)
        if grads is None:
            grads = [None] * len(node.faces)
        if node.tensor_hooks is not None or self.wanted:
            self._arrived(node, grads)
            if self.needed is not None and node not in self.needed:
                return [None] * len(node.edges)
        results = _evaluate(node, grads, None if self.needed is None else self.waiting)
        if not self.retain:
            node.release()
        return results

    def _arrived(self, node: Node, grads: Grads) -> None:
        """Show the gradients for a node's outputs to the hooks of those tensors, and keep those that are wanted.

        What is wanted of a node that will be computed is kept as it was before the hooks, as PyTorch does.
        """
        computed = self.needed is None or node in self.needed
        if computed:
            self._capture(node, grads)
        if node.tensor_hooks is not None:
            for nr, tables in node.tensor_hooks.items():
                grads[nr] = _through_hooks(grads[nr], tables)
            for nr, collect in (node.retains or {}).items():
                grad = grads[nr]
                if grad is not None:
                    collect(grad)
        elif isinstance(node, AccumulateGrad) and not computed:
            grads[0] = _through_hooks(grads[0], [node.variable._autograd.hooks or {}])
        if not computed:
            self._capture(node, grads)

    def _capture(self, node: Node, grads: Grads) -> None:
        if self.accumulate:
            return  # a second holder of the gradient would make the leaf keep a copy
        for nr, grad in enumerate(grads):
            if (node, nr) in self.wanted:
                self.captured[node, nr] = grad


_HELD_HERE = 3  # references to a gradient that lies in a buffer, as seen from where it is taken out


def _owns_memory(grad: Tensor) -> bool:
    """Whether a gradient lies densely in memory that no other tensor shares."""
    base = grad._base
    if base is not None and (base._base is not None or sys.getrefcount(base) > _HELD_HERE):
        return False
    return grad._lay().is_non_overlapping_and_dense()


def _size(tensor: Tensor) -> tuple[int, ...]:
    layout = tensor._layout
    return tensor._array.shape if layout is None and tensor._array is not None else tensor._lay().size


def _count_arrivals(roots: Iterable[Node]) -> dict[Node, int]:
    """For each node that can be reached, how many gradients will arrive at it from other nodes."""
    counts: dict[Node, int] = {}
    stack = list(dict.fromkeys(roots))
    for root in stack:
        counts[root] = 0
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            target = edge[0]
            if target in counts:
                counts[target] += 1
            else:
                counts[target] = 1
                stack.append(target)
    return counts


def write_out(roots: Sequence[Edge]) -> None:
    """Write out what was only noted of the graph behind `roots` (see `RuleNode`)."""
    _count_arrivals([node for node, _ in roots])


def _leading_to(targets: set[Node], reachable: dict[Node, int]) -> set[Node]:
    """The nodes from which a wanted one is reached: only these have anything to compute."""
    parents: dict[Node, list[Node]] = {}
    for node in reachable:
        for edge in node.edges:
            if edge is not None:
                parents.setdefault(edge[0], []).append(node)
    leading: set[Node] = set()
    stack = [node for node in targets if node in reachable]
    while stack:
        for parent in parents.get(stack.pop(), ()):
            if parent not in leading:
                leading.add(parent)
                stack.append(parent)
    return leading


# -- one node -----------------------------------------------------------------------------------------------------


def _evaluate(node: Node, grads: Grads, visited: Container[Node] | None) -> Sequence[Tensor | None]:
    """Run a node with its hooks.

    Args:
        visited: where to this walk goes; what leads elsewhere is not computed. None for everywhere.
    """
    __tracebackhide__ = True
    if node.pre_hooks:
        grads = _through_prehooks(node, grads)
    if isinstance(node, AccumulateGrad):
        _accumulate(node.variable, grads[0])
        results: Sequence[Tensor | None] = ()
    else:
        results = _apply(node, grads, visited)
    if node.post_hooks:
        pairs = enumerate(zip(results, node.edges, strict=True))
        results = [g if g is None or e is None else _fit(g, e[0].faces[e[1]], node, i) for i, (g, e) in pairs]
        results = _through_posthooks(node, results, grads)
    return results


def _checked_count(node: Node, results: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
    __tracebackhide__ = True
    if len(results) != len(node.edges):
        raise RuntimeError(
            f"Function {node.name()} returned an incorrect number of gradients (expected {len(node.edges)}, got "
            f"{len(results)})"
        )
    return results


def _apply(node: Node, grads: Grads, visited: Container[Node] | None) -> Sequence[Tensor | None]:
    __tracebackhide__ = True
    if not anomaly_mode.enabled():
        return _checked_count(node, _computed(node, grads, visited))
    try:
        results = _checked_count(node, _computed(node, grads, visited))
    except Exception:
        anomaly_mode.tell(node)
        raise
    anomaly_mode.check_nan(node, results)
    return results


def _computed(node: Node, grads: Grads, visited: Container[Node] | None) -> Sequence[Tensor | None]:
    if visited is not None and node.choosy:
        pairs = zip(node.apply(grads), node.edges, strict=True)
        return [g if e is not None and e[0] in visited else None for g, e in pairs]
    if visited is None or not isinstance(node, RuleNode):
        return node.apply(grads)
    node.check_saved()
    return node.partly(grads, [e if e is not None and e[0] in visited else None for e in node.edges])


def _through_hooks(grad: Tensor | None, tables: list[Any]) -> Tensor | None:
    for table in tables:
        for hook in tuple(table.values()):
            changed = hook(grad)
            if changed is not None:
                grad = _checked_hook(grad, changed, hook)
    return grad


def _checked_hook(grad: Tensor | None, changed: Any, hook: Any) -> Tensor:
    if grad is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(changed, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(changed).__name__}'")
    if changed._lay().size != grad._lay().size:
        raise RuntimeError(f"hook '{_called(hook)}' has changed the size of value")
    if changed._dtype is not grad._dtype:
        raise RuntimeError(
            f"hook '{_called(hook)}' has changed the type of value (was {_type(grad)} got {_type(changed)})"
        )
    return changed


def _called(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _type(tensor: Tensor) -> str:
    return f"tensorkit.{tensor._dtype.label}Tensor"


def _through_prehooks(node: Node, grads: Grads) -> Grads:
    assert node.pre_hooks is not None
    for hook in tuple(node.pre_hooks.values()):
        changed = hook(tuple(grads))
        if changed is not None:
            grads = list(_checked_values(hook, changed, grads))
    return grads


def _through_posthooks(node: Node, results: Sequence[Tensor | None], grads: Grads) -> Sequence[Tensor | None]:
    assert node.post_hooks is not None
    for hook in tuple(node.post_hooks.values()):
        changed = hook(tuple(results), tuple(grads))
        if changed is not None:
            results = _checked_values(hook, changed, results)
    return results


def _checked_values(hook: Any, changed: Any, values: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
    """What a node's hook returned instead of the values it was shown: as many, each of the same size and dtype."""
    changed = (changed,) if isinstance(changed, Tensor) else changed
    if not isinstance(changed, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(changed).__name__}'")
    if len(changed) != len(values):
        raise RuntimeError(
            f"hook '{_called(hook)}' has returned an incorrect number of values (got {len(changed)}, but expected "
            f"{len(values)})"
        )
    pairs = zip(values, changed, strict=True)
    return [old if new is None or new is old else _checked_hook(old, new, hook) for old, new in pairs]


# -- fitting and collecting ---------------------------------------------------------------------------------------


def sum_to_size(tensor: Any, size: tuple[int, ...]) -> Tensor:
    """Add up what broadcasting had repeated, so that the result has `size`."""
    have = tensor._lay().size
    if have and not size:
        return tensor.sum()  # type: ignore[no-any-return]
    extra = len(have) - len(size)
    dims = list(range(extra)) + [i + extra for i, n in enumerate(size) if n == 1 and have[i + extra] != 1]
    summed = tensor.sum(dims if len(dims) > 1 else dims[0], True) if dims else tensor
    return summed.view(size) if extra else summed  # type: ignore[no-any-return]


def _expands_to(size: tuple[int, ...], have: tuple[int, ...]) -> bool:
    extra = len(have) - len(size)
    return extra >= 0 and all(n in (1, have[i + extra]) for i, n in enumerate(size))


def _fit(grad: Any, face: Face | None, node: Node, i: int) -> Tensor:
    """The gradient with the size and dtype of the value that it belongs to."""
    if face is None:
        return grad  # type: ignore[no-any-return]
    have = grad._lay().size
    apart = grad._dtype.is_complex and not face.dtype.is_complex and not face.loose
    if have != face.size:
        if not _expands_to(face.size, have):
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {i} - got {list(have)} but expected "
                f"shape compatible with {list(face.size)}"
            )
        grad = sum_to_size(grad.real if apart else grad, face.size)
    elif apart:
        grad = grad.real
    if face.dtype.category < 2:
        raise RuntimeError(f"a gradient cannot have the dtype {face.dtype}, as the grad_dtype of a leaf says")
    if grad._device != face.device:
        raise RuntimeError(
            f"Function {node.name()} returned an invalid gradient at index {i} - expected device {face.device} but "
            f"got {grad._device}"
        )
    return grad if grad._dtype is face.dtype or face.loose else grad.to(face.dtype)  # type: ignore[no-any-return]


def _fit_root(grad: Any, face: Face | None, node: Node, i: int) -> Tensor:
    """The gradient that a walk starts with, checked against the graph: the tensor may have got another layout."""
    if face is None or (grad._dtype is face.dtype and _size(grad) == face.size):
        return grad  # type: ignore[no-any-return]
    if not _expands_to(face.size, _size(grad)):
        raise RuntimeError(
            f"invalid gradient at index {i} - got {list(_size(grad))} but expected shape compatible with "
            f"{list(face.size)}"
        )
    return _fit(grad, face, node, i)


def _accumulate(variable: Any, grad: Any) -> None:
    """Add to a leaf's ``.grad``, in place unless it will be differentiated through."""
    meta = variable._autograd
    if meta is None:
        return
    if meta.hooks:
        grad = _through_hooks(grad, [meta.hooks])
    if grad is not None and meta.node is not None:
        raise RuntimeError("leaf variable has been moved into the graph interior")
    if grad is not None and meta.leaf:
        _add_up(variable, meta, grad)
    if meta.after:
        for hook in tuple(meta.after.values()):
            hook(variable)


def _add_up(variable: Any, meta: Meta, grad: Any) -> None:
    if meta.grad is None:
        meta.grad = _first_grad(variable, grad)
    elif state.grad:
        meta.grad = meta.grad + grad
        _warn_of_strides(meta.grad, variable)
    else:
        held: Any = meta.grad
        held.add_(grad)
        _warn_of_strides(held, variable)


def _warn_of_strides(grad: Tensor, variable: Tensor) -> None:
    lay, own = grad._lay(), variable._lay()
    if _lie_alike(lay, own) if own.is_non_overlapping_and_dense() else lay.is_contiguous():
        return
    warnings.warn(
        "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance.\n"
        f"grad.sizes() = {list(lay.size)}, strides() = {list(lay.stride)}\n"
        f"param.sizes() = {list(own.size)}, strides() = {list(own.stride)}",
        UserWarning,
        stacklevel=6,
    )


_OURS_ALONE = 5  # references to a gradient that only this backward pass holds


def _first_grad(variable: Tensor, grad: Any) -> Tensor:
    """The gradient itself if it has no other reference and the strides of the leaf; otherwise a copy with them."""
    lay, own = grad._lay(), variable._lay()
    solid = grad._array is not None and grad._solid and grad._base is None and grad._autograd is None
    if solid and lay.stride == own.stride and not state.grad and sys.getrefcount(grad) <= _OURS_ALONE:
        return grad  # type: ignore[no-any-return]
    dense = own.is_non_overlapping_and_dense()
    lies_right = _lie_alike(lay, own) if dense else lay.is_contiguous()
    alone = not state.grad and sys.getrefcount(grad) <= _OURS_ALONE
    if alone and lies_right and grad._base is None:
        return grad.detach()  # type: ignore[no-any-return]
    if not dense:
        return grad.clone() if state.grad or lies_right else grad.contiguous().detach()  # type: ignore[no-any-return]
    if not lies_right or (lay.size != own.size and not alone):
        return _laid_like(variable, grad)
    copied: Tensor = grad.clone()
    if alone:
        return copied
    copied._bump()  # PyTorch copies into a tensor that it made
    copied._born = copied._version
    return copied


def _lie_alike(one: Layout, two: Layout) -> bool:
    """Whether the strides agree wherever they are ever used; one of 0 PyTorch takes for an expanded gradient's."""
    own = two.stride
    if len(one.size) > len(own):  # the leaf lost dimensions since it was recorded
        own = (*(own or (1,)), *[-1] * len(one.size))  # without any PyTorch still reads that 1
    return all(a == b if n != 1 else a for n, a, b in zip(one.size, one.stride, own, strict=False))


def _laid_like(variable: Tensor, grad: Tensor) -> Tensor:
    lay = variable._lay()
    own: Any = empty_strided(lay.size, lay.stride, grad._dtype, grad._device)
    return own.copy_(grad)  # type: ignore[no-any-return]
