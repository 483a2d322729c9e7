"""Errors of everything but sizes: dtypes, devices, gradients, one number where there are several, names and calls."""

from __future__ import annotations

import difflib
import re
import sys
from typing import Any

from tensorkit_widgets.diagnosis.case import Case, Diagnosis, Rules

RULES = Rules()


# -- dtypes and devices -------------------------------------------------------------------------------------------


RULES.says(
    "dtype-mismatch",
    r"expected .*? to have the same dtype, but got: (?P<a>[\w: ]+) != (?P<b>[\w: ]+)"
    r"|expected .*?dtype (?P<c>\w+) .*but (?:got|found) (?P<d>\w+)",
    "+ and * turn two dtypes into one, but a matrix product takes both operands as they are, and these differ",
    "turn one into the other's dtype: b.to(a.dtype)",
)
RULES.says(
    "result-cast",
    r"result type (?P<a>\w+) can't be cast to the desired output type (?P<b>\w+)",
    "in place the results go into {t}'s own slots, which hold {b}; the result is {a}, and its fraction would be lost",
    "make a new tensor: x = x + 1.5, not x += 1.5",
    "or begin with floats: .float()",
)
RULES.says(
    "result-cast",
    r"Cannot cast ufunc '(?P<f>\w+)' output from dtype\('(?P<a>\w+)'\) to dtype\('(?P<b>\w+)'\)",
    "in place the results go into {t}'s own slots, which hold {b}; the result is {a}, and its fraction would be lost",
    "make a new array: x = x + 1.5, not x += 1.5",
    "or begin with floats: .astype(float)",
)
RULES.says(
    "integer-mean",
    r"(?P<op>\w+)\(\): could not infer output dtype\. Input dtype must be either a floating point or complex dtype\. "
    r"Got: (?P<d>\w+)",
    "a mean of whole numbers is seldom whole, and a {d} has no place for the fraction",
    "turn it into floats first: .float().{op}()",
)
RULES.says(
    "float-index",
    r"Expected dtype int32/int64 for index|tensors used as indices must be long",
    "an index says which one, so it must be a whole number",
    "turn the indices into whole numbers: .long()",
)
RULES.says(
    "grad-dtype",
    r"Only Tensors of floating point and complex dtype can require gradients",
    "a gradient says what a small change would do, and whole numbers cannot change a little",
    "make it of floats: 1.0 in place of 1, or dtype=float32",
)
RULES.says(
    "bool-arithmetic",
    r"(?:Subtraction|Negation), the `-` operator, .*bool tensor",
    "True and False are no quantities to subtract",
    "~mask turns each around; a ^ b says where two masks differ",
    "or turn them into numbers: .int()",
)
RULES.says(
    "condition",
    r"where expected condition to be a boolean tensor",
    "where chooses by yes or no, and {t} holds numbers",
    "say what is asked: {t} > 0, or {t}.bool()",
)
RULES.says(
    "device",
    r"Expected all tensors to be on the same device"
    r"|Tensor on device (?P<a>\S+) is not on the expected device (?P<b>[^\s!]+)"
    r"|can't convert (?P<c>\S+) device type tensor to numpy",
    "each device has a memory of its own, and one call cannot read from two of them",
    "send one to the other's device: b.to(a.device)",
    "check .device of each operand: the line that raised is often not the line that put it there",
)
RULES.says(
    "meta-data",
    r"Cannot copy out of meta tensor|cannot be called on meta tensors",
    "a tensor on the meta device has a size and strides, but no numbers",
    "make it on a real device: device='cpu'",
)
RULES.says(
    "device-name",
    r"Expected one of cpu, cuda, .* device type at start of device string: (?P<d>\S*)",
    "there is no kind of device called {d}",
    "device names are 'cpu', 'cuda', 'cuda:0', 'meta'",
)


# -- autograd -----------------------------------------------------------------------------------------------------


RULES.says(
    "leaf-in-place",
    r"a (?P<v>view of a )?leaf Variable that requires grad is being used in an in-place operation",
    "{t} is a leaf: its gradient is wanted for the value it has, and writing over that value would lose it",
    "for an update step: with no_grad(): {t} -= …",
    "otherwise make a new tensor: y = {t} + 1",
)
RULES.says(
    "shared-write",
    r"more than one element of the written-to tensor refers to a single memory location",
    "{t} reads some slots more than once (stride 0, as expand gives, or overlapping windows): a write to one element "
    "would change others",
    "copy first, so that each element has a slot of its own: .clone() or .contiguous()",
)
RULES.says(
    "second-backward",
    r"Trying to backward through the graph a second time",
    "the graph kept some tensors for the walk backwards and let them go once it was done, to free their memory",
    "compute the loss again: every forward pass makes a new graph",
    "or keep them the first time: .backward(retain_graph=True)",
)
RULES.says(
    "saved-changed",
    r"one of the variables needed for gradient computation has been modified by an inplace operation: .* is at version "
    r"(?P<now>\d+); expected version (?P<then>\d+)",
    "the graph kept a tensor for the walk backwards at version {then}, and it was written to since: it is at version "
    "{now}, and the numbers that the formula needs are gone",
    "use the form without the underscore in the step after it: y = y + 1, not y += 1",
)
RULES.says(
    "backward-size",
    r"grad can be implicitly created only for scalar outputs",
    "backward asks how one number depends on everything; {t} has several",
    "make it one number first: .sum().backward() or .mean().backward()",
    "or say what each counts: .backward(gradient)",
)
RULES.says(
    "no-graph",
    r"does not require grad and does not have a grad_fn",
    "nothing that went into {t} wants a gradient, so no graph was kept",
    "make the leaves with requires_grad=True, before the computation",
    "see whether a detach(), a .data or a no_grad() lies on the way",
)
RULES.says(
    "numpy-grad",
    r"Can't call numpy\(\) on Tensor that requires grad",
    "the array would share {t}'s memory, and what NumPy writes the graph cannot see",
    "cut it off the graph first: .detach().numpy()",
)
RULES.says(
    "resize-grad",
    r"cannot resize variables that require grad",
    "{t} belongs to a graph, which counts on its size",
    "resize a detached copy: .detach().clone()",
)


# -- one number, or several ---------------------------------------------------------------------------------------


RULES.says(
    "item-several",
    r"a Tensor with (?P<n>\d+) elements? cannot be converted to Scalar"
    r"|only one element tensors can be converted to Python scalars"
    r"|only (?:length-1|0-dimensional|size-1) arrays can be converted|can only convert an array of size 1",
    "a Python number is one number, and {t} has several",
    "choose one: t[0].item(); or make them one: .sum().item()",
    "or take them all as a list: .tolist()",
)
RULES.says(
    "bool-ambiguous",
    r"Boolean value of Tensor with (?:more than one value|no values) is ambiguous"
    r"|truth value of an (?:empty array|array with more than one element) is ambiguous",
    "if, while, and, or, not ask for one yes or no; a comparison of tensors gives one for every element",
    "say which is meant: .any() (at least one) or .all() (every one)",
    "for element by element write & | ~ in place of and or not, each side in brackets",
)
RULES.says(
    "len-0d",
    r"(?:iteration over|len\(\) of) a 0-d (?:tensor|array)|len\(\) of unsized object",
    "{t} has no dimension to go along: it is one number",
    "take the number out: .item()",
)
RULES.says(
    "ragged",
    r"expected sequence of length (?P<a>\d+) at dim (?P<d>\d+) \(got (?P<b>\d+)\)"
    r"|setting an array element with a sequence",
    "every row must be as long as the first: a size is one number for each dimension",
    "fill the short rows up, or keep a list of tensors",
)
RULES.says(
    "t-dims",
    r"t\(\) expects a tensor with <= 2 dimensions, but self is (?P<n>\d+)D",
    "t() swaps the two dimensions of a matrix; of {n} it would have to know which two",
    "name them: .transpose(0, 1), or all at once: .permute(…)",
)
RULES.says(
    "permute-dims",
    r"permute\(.*is not equal to len\(dims\)|permute\(\): duplicate dims are not allowed|axes don't match array"
    r"|repeated axis in transpose",
    "permute names every dimension once, in the new order",
    "list them all: .permute(2, 0, 1) for three",
)
RULES.says(
    "read-only",
    r"assignment destination is read-only|output array is read-only",
    "this array may not be written to: its memory belongs to somebody who said so, or it was broadcast",
    "copy it first: .copy()",
)
RULES.says(
    "square",
    r"A must be batches of square matrices, but they are (?P<a>\d+) by (?P<b>\d+)"
    r"|Last 2 dimensions of the array must be square",
    "only a square matrix has an inverse, a determinant, eigenvalues",
    "for a rectangular one: linalg.lstsq or linalg.pinv",
)
RULES.says(
    "singular",
    r"because the input matrix is singular|Singular matrix",
    "its rows say the same twice, so nothing undoes it",
    "look at linalg.matrix_rank; linalg.lstsq and linalg.pinv take such matrices",
)


@RULES.rule("no-attribute", r"'(?:Tensor|Parameter|numpy\.ndarray|ndarray)' object has no attribute '(\w+)'")
def _no_attribute(case: Case, match: re.Match[str]) -> Diagnosis:
    word = match[1]
    array = "ndarray" in match[0]
    kind = "a numpy.ndarray" if array else "a tensor"
    owner: Any = sys.modules["numpy"].ndarray if array else sys.modules["tensorkit"].Tensor
    twin = _TWINS.get((array, word))
    near = difflib.get_close_matches(word, [name for name in dir(owner) if name[0] != "_"], 2)
    then = (f"here it is written .{twin}",) if twin else tuple(f"did you mean .{name}?" for name in near)
    return Diagnosis(
        "no-attribute", f"{kind} has nothing called {word}", then or ("type a dot and press Tab to see all",)
    )


_TWINS = {
    (False, "astype"): "to(dtype)", (False, "copy"): "clone()",
    (True, "permute"): "transpose(…)", (True, "t"): "T", (True, "clone"): "copy()", (True, "numel"): "size",
    (True, "unsqueeze"): "[None]", (True, "contiguous"): "copy()", (True, "to"): "astype(dtype)",
    (True, "float"): "astype(numpy.float32)", (True, "dim"): "ndim",
}  # fmt: skip


RULES.says(
    "no-name",
    r"name '(?P<n>\w+)' is not defined",
    "Python does not know the name {n} yet",
    "run the cell that makes it, or look at how it is written there",
)
RULES.says(
    "wrong-call",
    r"received an invalid combination of arguments|missing \d+ required|positional arguments? but \d+ w"
    r"|unexpected keyword argument|argument '\w+'.* must be .*, not|unsupported operand type",
    "the arguments fit none of the ways in which this can be called",
    "look at the forms: put the cursor on the name and press Shift-Tab, or write help(…)",
)
