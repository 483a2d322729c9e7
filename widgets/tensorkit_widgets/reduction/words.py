"""What is said about a reduction: which dimension goes, and why the result has its dtype."""

from __future__ import annotations

from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import size_text

_INTEGERS = ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
_HALVES = ("float16", "bfloat16")
_DOES = {
    "sum": "added up", "mean": "averaged", "prod": "multiplied", "max": "searched for the largest",
    "min": "searched for the smallest", "argmax": "searched for the place of the largest",
    "std": "measured for their spread", "var": "measured for their spread, squared",
    "any": "asked whether any is true", "all": "asked whether all are true",
    "norm": "squared, added up, and rooted", "median": "sorted, and the middle one taken",
}  # fmt: skip


def _names(dims: Ints) -> str:
    return " and ".join([", ".join(map(str, dims[:-1]))] * (len(dims) > 1) + [str(dims[-1])])


def story(name: str, op: str, dims: Ints, keepdim: bool, size: Ints, count: int, refused: bool) -> list[str]:
    """Which dimension goes, and what is left."""
    if refused:
        return ["The engine refuses this reduction:"]
    if not size:
        return ["There is no dimension to collapse: one number stays one number."]
    left = [n for d, n in enumerate(size) if d not in dims]
    what = f"dim {dims[0]} goes" if len(dims) == 1 else f"dims {_names(dims)} go"
    if len(dims) == len(size) > 1:
        what = "all dimensions go"
    numbers = f"its {count:,} numbers are" if count != 1 else "its one number is"
    if left:
        one = "The named dimension is the one that disappears"
        if len(dims) > 1:
            one = "The named dimensions are the ones that disappear"
        out = [f"{one}: {what}.", f"At each index of the others, {numbers} {_DOES[op]}."]
        if not dims:
            out = ["No dimension goes: every number stays where it is."]
    else:
        out = [f"{what.capitalize()}: all {count:,} numbers are {_DOES[op]}."]
    if count == 0 and all(left):
        out.append("There are no numbers to take: the result is what the operation starts from.")
    if keepdim:
        kept = size_text(tuple(1 if d in dims else n for d, n in enumerate(size)))
        out.append(f"keepdim leaves a 1: {kept} still broadcasts against {size_text(size)}.")
    return out


def dtype_sentence(op: str, library: str, before: str, after: str) -> str:
    """Why the result has the dtype that it has."""
    whole = before in _INTEGERS or before == "bool"
    if op == "argmax":
        return f"The result counts positions, not values: {after}."
    if op in ("any", "all"):
        same = "" if after == "bool" else f" (and {before} keeps its own dtype here)"
        return f"The answer is yes or no: {after}{same}."
    if op in ("sum", "prod") and whole and before != after:
        why = "True counts as 1" if before == "bool" else f"{before} would overflow soon"
        return f"The result of {before} is {after}: {why}."
    if op in ("sum", "mean", "prod", "std", "var", "norm") and before in _HALVES and before == after:
        return (
            f"It is computed in float32 and rounded to {after} once, at the end."
            if library != "numpy"
            else ""
        )
    if op in ("mean", "std", "var", "norm", "median") and whole and before != after:
        return (
            f"NumPy turns {before} into {after} for it; PyTorch would refuse." if library == "numpy" else ""
        )
    if library == "numpy" and op in ("std", "var"):
        return "NumPy divides by n here, PyTorch by n − 1."
    if op in ("std", "var"):
        return "The squared distances from the mean are divided by n − 1 (correction=1), not by n."
    if op == "median":
        return (
            ""
            if library == "numpy"
            else "Of an even number of values, the lower of the two in the middle is taken."
        )
    return f"The result stays {after}." if before == after else ""
