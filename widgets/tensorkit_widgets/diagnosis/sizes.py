"""Errors of sizes: views that cannot be, operands that do not fit, dimensions and indices that are not there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import Any

from tensorkit_widgets.diagnosis.case import Case, Culprit, Diagnosis, Rules, ints
from tensorkit_widgets.snapshot.geometry import conflicts
from tensorkit_widgets.snapshot.number_text import size_text

RULES = Rules()


def _both(dim: int, first: Sequence[int], second: Sequence[int]) -> tuple[Culprit, ...]:
    """The same dimension, counted from the right, of two operands."""
    from_right = max(len(first), len(second)) - dim
    return tuple(
        Culprit(k, len(size) - from_right)
        for k, size in enumerate((first, second))
        if len(size) >= from_right
    )


# -- sizes that a tensor cannot be given --------------------------------------------------------------------------


def _shape(case: Case, count: int) -> tuple[int, ...] | None:
    """The size that was asked for, -1 worked out."""
    args: Any = case.args
    if len(args) == 1 and isinstance(args[0], tuple | list):
        args = args[0]
    if not args or not all(isinstance(n, int) for n in args):
        return None
    known = prod(n for n in args if n != -1)
    return tuple(count // known if n == -1 and known else n for n in args)


@RULES.rule("view-strides", r"view size is not compatible with input tensor's size and stride")
def _view_strides(case: Case, match: re.Match[str]) -> Diagnosis:
    name = case.called()
    then = (
        "write .reshape(…) in place of .view(…): it copies when it must",
        "or copy first and see it: .contiguous().view(…)",
        "or view before you transpose: while the strides still run in order",
    )
    if not case.inputs:
        return Diagnosis(
            "view-strides", "the strides would have to change in the middle of one dimension", then
        )
    meta = case.inputs[0].meta
    shape = _shape(case, prod(meta.size))
    pairs = case.pairs or (conflicts(meta.size, meta.stride, shape) if shape else ())
    if not pairs:
        return Diagnosis("view-strides", f"no strides over {name}'s storage can walk that size", then)
    d, e = pairs[0]
    needed = meta.size[e] * meta.stride[e]
    why = (
        f"dimensions {d} and {e} of {name} cannot merge into one: at the end of dimension {e} the walk has gone "
        f"size[{e}]·stride[{e}] = {meta.size[e]}·{meta.stride[e]} = {needed} slots, but one step of dimension {d} is "
        f"stride[{d}] = {meta.stride[d]} slots, and a dimension has only one stride"
    )
    marks = tuple(Culprit(0, dim) for dim in sorted({dim for pair in pairs for dim in pair}))
    return Diagnosis("view-strides", why, then, marks, pairs)


@RULES.rule(
    "view-count",
    r"shape '\[(?P<shape>[-\d, ]*)\]' is invalid for input of size (?P<count>\d+)"
    r"|cannot reshape array of size (?P<c2>\d+) into shape \((?P<s2>[-\d, ]*)\)",
)
def _view_count(case: Case, match: re.Match[str]) -> Diagnosis:
    shape = ints(match["shape"] or match["s2"] or "")
    count = int(match["count"] or match["c2"])
    name = case.called()
    if -1 in shape:
        known = prod(n for n in shape if n != -1)
        why = (
            f"-1 means whatever is left, but {count} elements cannot be shared out by {known}: "
            f"{count} / {known} is no whole number"
        )
        return Diagnosis("view-count", why, (f"choose sizes that divide {count}",))
    why = f"a view shows the same elements: {size_text(shape)} has room for {prod(shape)}, and {name} has {count}"
    line = f"choose sizes that multiply to {count}, or write -1 for one of them to have it worked out"
    return Diagnosis("view-count", why, (line,))


RULES.says(
    "view-two-unknown",
    r"only one dimension can be inferred|can only specify one unknown dimension",
    "-1 means “work this size out from the others”, and that is possible for one size only",
    "keep one -1 and write the other sizes",
)


@RULES.rule(
    "expand",
    r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at "
    r"non-singleton dimension (\d+)",
)
def _expand(case: Case, match: re.Match[str]) -> Diagnosis:
    wanted, have, dim = (int(n) for n in match.groups())
    why = (
        f"expand repeats a dimension of size 1 by giving it stride 0; dimension {dim} has size {have}, and {wanted} "
        "different steps over it would need numbers that are not there"
    )
    then = ("expand only dimensions of size 1", "or copy the numbers side by side: .repeat(…)")
    return Diagnosis("expand", why, then, _expanded(case, dim))


def _expanded(case: Case, dim: int) -> tuple[Culprit, ...]:
    """The dimension of the tensor that the message counts in the target's size."""
    sizes = re.search(r"Target sizes: \[(.*?)\]\.\s+Tensor sizes: \[(.*?)\]", case.message)
    if sizes is None:
        return ()
    return (Culprit(0, dim - len(ints(sizes[1])) + len(ints(sizes[2]))),)


RULES.says(
    "expand-fewer",
    r"the number of sizes provided \((?P<n>\d+)\) must be greater or equal to the number of dimensions in the tensor "
    r"\((?P<d>\d+)\)",
    "expand can add dimensions on the left and repeat those of size 1, but not take any away: {n} is fewer than {d}",
    "give a size for every dimension; -1 keeps one as it is",
)
RULES.says(
    "as-strided",
    r"setStorage: sizes .* are out of bounds for storage of size (?P<bytes>\d+)",
    "offset + the sum of (size - 1)·stride is the last slot that would be read, and it lies behind the end of the "
    "storage, which has {bytes} bytes",
    "make a size or a stride smaller, or start at a lower offset",
)


# -- two operands that do not fit ---------------------------------------------------------------------------------


def _aligned(names: tuple[str, str], sizes: tuple[Sequence[int], Sequence[int]], dim: int) -> str:
    a, b = sizes
    rank = max(len(a), len(b))
    from_right = rank - dim
    return (
        f"sizes are compared from the right: {names[0]} {size_text(a)} and {names[1]} {size_text(b)} meet in "
        f"{a[-from_right]} and {b[-from_right]}, {_nth(from_right)} from the right, and neither is 1"
    )


def _nth(n: int) -> str:
    return {1: "the first", 2: "the second", 3: "the third"}.get(n, f"the {n}th")


def _broadcast_advice(a: Sequence[int], b: Sequence[int], names: tuple[str, str]) -> tuple[str, ...]:
    """Where a new dimension of size 1 would make the sizes meet."""
    small, large, name = (a, b, names[0]) if len(a) < len(b) else (b, a, names[1])
    if len(small) == 1 and len(small) < len(large) and small[0] in large[:-1]:
        dim = list(large).index(small[0])
        missing = len(large) - 1 - dim
        new = "[:" + ", None" * missing + "]"
        return (
            f"to line {name} up with dimension {dim}, give it {missing} dimension{'s' * (missing > 1)} of size 1 on "
            f"the right: {name}{new}",
        )
    if sorted(a) == sorted(b):
        return ("one of them seems to be transposed: .t() swaps its dimensions",)
    return ("two sizes meet when they are equal, or one of them is 1, or one is missing",)


@RULES.rule(
    "broadcast",
    r"The size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\) at non-singleton dimension "
    r"(?P<dim>\d+)|operands could not be broadcast together with shapes \((?P<s1>[\d,]*)\) \((?P<s2>[\d,]*)\)",
)
def _broadcast(case: Case, match: re.Match[str]) -> Diagnosis:
    names = (case.called(0), case.called(1))
    sizes = _broadcast_sizes(case, match)
    if sizes is None:
        why = (
            f"sizes are compared from the right; in dimension {match['dim']} one has {match['a']} and the other "
            f"{match['b']}, and neither is 1"
        )
        return Diagnosis("broadcast", why, ("two sizes meet when they are equal, or one of them is 1",))
    a, b = sizes
    dim = _clash(a, b)
    return Diagnosis(
        "broadcast", _aligned(names, (a, b), dim), _broadcast_advice(a, b, names), _both(dim, a, b)
    )


def _broadcast_sizes(case: Case, match: re.Match[str]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    a, b = case.size(0), case.size(1)
    if case.op in ("matmul", "bmm", "baddbmm") and a is not None and b is not None:
        return a[:-2], b[:-2]  # the matrices themselves fit; what comes before them is broadcast
    if a is not None and b is not None:
        return a, b
    if match["s1"] is not None:
        return ints(match["s1"]), ints(match["s2"])
    return None


def _clash(a: Sequence[int], b: Sequence[int]) -> int:
    """The last dimension, counted in the longer size, in which two sizes clash."""
    rank = max(len(a), len(b))
    for k in range(1, min(len(a), len(b)) + 1):
        if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
            return rank - k
    raise ValueError("these sizes fit")


@RULES.rule(
    "in-place-size",
    r"output with shape \[(.*?)\] doesn't match the broadcast shape \[(.*?)\]"
    r"|non-broadcastable output operand with shape \(([\d,]*)\) doesn't match the broadcast shape \(([\d,]*)\)",
)
def _in_place_size(case: Case, match: re.Match[str]) -> Diagnosis:
    own, wanted = (ints(text) for text in match.groups() if text is not None)
    why = (
        f"in place means into {case.called()}'s own slots: it has size {size_text(own)}, and the result would have "
        f"{size_text(wanted)}"
    )
    return Diagnosis("in-place-size", why, ("write the form that makes a new tensor: x = x + y, not x += y",))


@RULES.rule(
    "matmul",
    r"mat1 and mat2 shapes cannot be multiplied \((?P<a>\d+)x(?P<b>\d+) and (?P<c>\d+)x(?P<d>\d+)\)"
    r"|size mismatch, got input \(\d+\), mat \(\d+x(?P<v1>\d+)\), vec \((?P<v2>\d+)\)"
    r"|matmul: Input operand 1 has a mismatch in its core dimension 0.*"
    r"\(size (?P<n2>\d+) is different from (?P<n1>\d+)\)"
    r"|shapes \([\d,]*\) and \([\d,]*\) not aligned: (?P<k1>\d+) \(dim \d+\) != (?P<k2>\d+)"
    r"|inconsistent tensor size, expected tensor \[(?P<d1>\d+)\] and src \[(?P<d2>\d+)\]"
    r"|Expected size for first two dimensions of batch2 tensor to be: \[\d+, (?P<e1>\d+)\] "
    r"but got: \[\d+, (?P<e2>\d+)\]",
)
def _matmul(case: Case, match: re.Match[str]) -> Diagnosis:
    pairs = (("b", "c"), ("v1", "v2"), ("n1", "n2"), ("k1", "k2"), ("d1", "d2"), ("e1", "e2"))
    left, right = next((match[x], match[y]) for x, y in pairs if match[x] is not None)
    a, b = case.size(0), case.size(1)
    names = (case.called(0), case.called(1))
    if a is None or b is None:
        why = (
            f"a row of the first has {left} numbers and a column of the second {right}: they must be as many"
        )
        return Diagnosis("matmul", why, ("transpose one of them: .t()",))
    inner = max(len(b) - 2, 0)
    why = (
        f"each result is a row of {names[0]} times a column of {names[1]}: a row of {size_text(a)} has {left} numbers "
        f"(dimension {len(a) - 1}), a column of {size_text(b)} has {right} (dimension {inner})"
    )
    return Diagnosis("matmul", why, _matmul_advice(a, b, names), (Culprit(0, len(a) - 1), Culprit(1, inner)))


def _matmul_advice(a: Sequence[int], b: Sequence[int], names: tuple[str, str]) -> tuple[str, ...]:
    then = []
    if len(b) == 2 and b[1] == a[-1]:
        then.append(f"transpose the second: {names[0]} @ {names[1]}.t()")
    if len(a) == 2 and len(b) > 0 and a[0] == b[max(len(b) - 2, 0)]:
        then.append(f"transpose the first: {names[0]}.t() @ {names[1]}")
    if tuple(a) == tuple(b):
        then.append(f"if you meant number by number: {names[0]} * {names[1]}")
    return tuple(then) or ("the last size of the first must be the last but one of the second",)


RULES.says(
    "matmul-dims",
    r"(?:mat2 must be a matrix|self must be a matrix|matrices expected|vector \+ matrix @ vector expected"
    r"|1D tensors expected|batch\d must be a 3D tensor|expected a 1-D|does not have enough dimensions)",
    "mm takes two matrices, mv a matrix and a vector, dot two vectors, bmm two batches of matrices",
    "@ (matmul) looks at the dimensions and chooses among them",
    "or make a vector a column: v[:, None]",
)


@RULES.rule(
    "cat-sizes",
    r"Sizes of tensors must match except in dimension (?P<along>\d+)\. Expected size (?P<want>\d+) but got size "
    r"(?P<got>\d+) for tensor number (?P<at>\d+) in the list"
    r"|must match exactly, but along dimension (?P<dim>\d+), the array at index (?P<i>\d+) has size (?P<w2>\d+) "
    r"and the array at index (?P<j>\d+) has size (?P<g2>\d+)",
)
def _cat_sizes(case: Case, match: re.Match[str]) -> Diagnosis:
    want, got = match["want"] or match["w2"], match["got"] or match["g2"]
    at = int(match["at"] or match["j"])
    along = match["along"] or "the one that was named"
    why = (
        f"cat lays tensors end to end along dimension {along}; all others must agree, and tensor number {at} has "
        f"{got} where the first has {want}"
    )
    then = (
        "name the dimension in which they differ: dim=…, to lay them end to end along it",
        "or cut the longer one: [:, :n]",
    )
    first, other = case.size(0), case.size(at)
    marks: tuple[Culprit, ...] = ()
    if first and other and len(first) == len(other):
        skip = int(match["along"]) if match["along"] else -1
        dim = next(d for d in range(len(first)) if d != skip and first[d] != other[d])
        marks = (Culprit(0, dim), Culprit(at, dim))
        then = (f"they differ in dimension {dim}: dim={dim} lays them end to end along it", *then[1:])
    return Diagnosis("cat-sizes", why, then, marks)


RULES.says(
    "cat-dims",
    r"Tensors must have same number of dimensions: got (?P<a>\d+) and (?P<b>\d+)"
    r"|all the input arrays must have same number of dimensions",
    "cat lays tensors end to end along a dimension that they all have",
    "give the smaller one a dimension of size 1: x[None] or x.unsqueeze(0)",
    "or lay them along a new dimension: stack (all of one size)",
)
RULES.says(
    "stack-sizes",
    r"stack expects each tensor to be equal size, but got (?P<a>\[.*?\]) at entry 0 and (?P<b>\[.*?\]) at entry \d+"
    r"|all input arrays must have the same shape",
    "stack puts tensors beside one another along a new dimension, so all must have one size",
    "to lay tensors of different lengths end to end along a dimension they have: cat",
)


# -- dimensions and indices ---------------------------------------------------------------------------------------


@RULES.rule(
    "dim-range",
    r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)"
    r"|axis\d? (?P<axis>-?\d+) is out of bounds for array of dimension (?P<rank>\d+)",
)
def _dim_range(case: Case, match: re.Match[str]) -> Diagnosis:
    if match["axis"] is not None:
        rank, dim = int(match["rank"]), int(match["axis"])
        low, high = -rank, rank - 1
    else:
        low, high, dim = (int(n) for n in match.groups()[:3])
    size = case.size()
    which = f" of size {size_text(size)}" if size is not None else ""
    many = len(size) if size is not None else high + 1
    new = "unsqueeze" in case.op or "stack" in case.op
    places = "places for a new one" if new else "dimensions"
    why = (
        f"{case.called()}{which} has {many} dimension{'s' * (many != 1)}, so the {places} are 0 to {high}, or "
        f"{low} to -1 counted from the end; {dim} is not among them"
    )
    return Diagnosis("dim-range", why, ("the last dimension is -1, however many there are",))


@RULES.rule(
    "index-range",
    r"index (?P<i>-?\d+) is out of bounds for (?:dimension|axis) (?P<dim>\d+) with size (?P<n>\d+)"
    r"|select\(\): index (?P<i2>-?\d+) out of range for tensor of size .* at dimension (?P<d2>\d+)",
)
def _index_range(case: Case, match: re.Match[str]) -> Diagnosis:
    index, dim = int(match["i"] or match["i2"]), int(match["dim"] or match["d2"])
    size = case.size()
    many = int(match["n"]) if match["n"] else (size[dim] if size else 0)
    if size is not None and size[dim : dim + 1] != (many,) and many in size:
        dim = size.index(many)  # dimensions that lists index are counted as they are fetched, lists first
    why = (
        f"dimension {dim} of {case.called()} has size {many}, so its indices are 0 to {many - 1}, or -{many} to -1 "
        f"from the end; {index} is not among them"
        if many
        else f"dimension {dim} of {case.called()} has size 0: there is nothing to take"
    )
    marks = (Culprit(0, dim),) if size is not None and dim < len(size) else ()
    then = (
        ("count from 0: the last is size - 1, or -1",)
        if index == many
        else ("a slice stops at the end by itself: [a:b]",)
    )
    return Diagnosis("index-range", why, then, marks)


@RULES.rule("too-many-indices", r"too many indices for (?:tensor|array)(?:: array is| of dimension) (\d+)")
def _too_many(case: Case, match: re.Match[str]) -> Diagnosis:
    rank = int(match[1])
    why = f"{case.called()} has {rank} dimension{'s' * (rank != 1)}, and each index takes one of them away"
    return Diagnosis(
        "too-many-indices", why, ("look at .size() first: one index for each dimension at most",)
    )


RULES.says(
    "index-0d",
    r"invalid index of a 0-dim tensor|invalid index to scalar variable",
    "{t} has no dimension left to index: it is one number",
    "take the number out: .item()",
)
RULES.says(
    "index-kind",
    r"only integers, slices .* are valid indices",
    "an index says which one, so it is a whole number, a slice, ..., None, a list of whole numbers or a mask",
    "turn it into a whole number: int(i), or a tensor of indices: .long()",
)
RULES.says(
    "mask-size",
    r"The shape of the mask (?P<m>\[.*?\]) at index \d+ does not match the shape of the indexed tensor (?P<s>\[.*?\])"
    r"|boolean index did not match",
    "a mask says yes or no to each element, so its sizes must be those of the dimensions that it selects from",
    "make the mask from the tensor itself: t[t > 0]",
)
RULES.says(
    "negative-step",
    r"step must be greater than zero",
    "a step backwards would need a negative stride, and a tensor's strides are never negative",
    "copy it in reverse order: .flip(0)",
)
RULES.says(
    "negative-stride",
    r"At least one stride in the given numpy array is negative",
    "the array runs backwards through its memory (a negative stride); a tensor cannot share that",
    "copy it first: array.copy()",
)
RULES.says(
    "index-in-self",
    r"index out of range in self",
    "one of the indices is as large as the dimension, or larger: the last is size - 1",
    "compare the largest index, .max(), with the size of the dimension",
)
