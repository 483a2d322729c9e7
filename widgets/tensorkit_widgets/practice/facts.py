"""What a right answer is: facts about a tensor, verdicts, and the slips behind a wrong one.

An answer is judged by *behaviour*, by which slots of which storage it reads, never by the text that was
typed. The checkers themselves are in `tensorkit_widgets.practice.checking.checks`; the words used here are theirs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorkit_widgets.practice.markup import LONGEST_TEXT, escape, markup, plain, told
from tensorkit_widgets.snapshot.adapter import Meta, describe, library_of, look, same_buffer
from tensorkit_widgets.snapshot.geometry import all_indices, slot_of
from tensorkit_widgets.snapshot.window import Window

MOST_ELEMENTS = 100_000
"""Elements of a tensor that a checker walks through; lessons use a few dozen."""

MISCONCEPTIONS: Mapping[str, str] = {
    "permute vs view": "view regroups the numbers in storage order; transpose and permute swap strides.",
    "transpose moves no data": "transpose makes a new tensor object; the storage stays as it was.",
    "a transpose is a mirror": "a transpose mirrors a picture along its diagonal; with a flip as well it is a turn.",
    "NumPy shares memory": "numpy() and from_numpy() copy nothing: tensor and array read the same bytes.",
    "a slice aliases its base": "a slice is a new tensor on the same storage; a write to one shows in both.",
    "a copy is not a view": "a copy has a storage of its own; a write to it never reaches its source.",
    "strides of size-1 dimensions": "no step is ever taken along a dimension of size 1, so its stride means nothing.",
    "id() as a storage test": "id() tells Python objects apart; two objects may share one storage.",
    "data_ptr() of the tensor": "t.data_ptr() is the address of its first element, after the offset.",
    "equal is not shared": "two tensors may hold equal numbers in different storages.",
    "strides follow the view": "strides depend on how a view was made; its size does not show them.",
    "strides count slots": "a stride is a number of storage slots, not of rows, columns or bytes.",
    "offsets count slots": "the offset is a number of storage slots, not of rows.",
    "counting from zero": "the first row, the first column and the first slot have the number 0.",
    "a step multiplies the stride": "a slice with step s multiplies that dimension's stride by s.",
    "a size is not a stride": "the size counts elements; the stride says how far apart they are.",
    "view after transpose fails": "view needs strides that can merge; after a transpose they cannot.",
    "reshape may copy": "reshape gives a view if it can, and a copy if it must: do not rely on either.",
    "what -1 means in view": "-1 is the one size that is left over: it is worked out from the others.",
    "what contiguous means": "contiguous: read in order, the slots follow one another without gap or jump.",
    "chunk counts pieces": "chunk(n) says how many pieces, and the last may be short; split(n) says how long each is.",
    "a length is not an end": "narrow takes a start and a length; a slice takes a start and an end.",
    "unsqueeze": "unsqueeze(d) puts a new dimension of size 1 at place d; the later ones move to the right.",
    "squeeze eats the batch dimension": "squeeze() removes every dimension of size 1, even a batch of one: say which.",
    "a saved slice saves the whole storage": "a slice keeps, and saves, all of its storage; clone it first.",
    "del removes a name": "del takes a name away; memory is freed when nothing leads to it any more.",
    "a loss keeps its graph": "a loss that requires grad keeps its history, and all tensors that the history saved.",
    "a storage has no shape": "a storage is one row of slots; size and stride belong to the tensor.",
    "default dtype": "Python floats become float32, Python integers int64.",
    "bytes per element": "a float32 takes 4 bytes; a float64 and an int64 take 8.",
    "work on the login node": "a login node is for preparing; the scheduler sends the work to a compute node.",
    "the module comes first": "load the module with Python first; that Python then builds the environment.",
    "tensors start on the CPU": "a tensor is made on the CPU, unless you name another device.",
    "operands on one device": "all tensors of an operation have to be on one device; a 0-d one may be on the CPU.",
    "`.to()` may give the same tensor": "if nothing has to change, to() copies nothing and returns the same tensor.",
    "reading is a crossing": "item(), tolist(), print and if need numbers on the CPU: they cross each time.",
    "same seed, other device": "a seed fixes what one device draws; another device draws other numbers from it.",
    "a device is named once": "name the device in one place, and let everything else follow its tensors.",
    "a value is not a gradient": "the value says how much; the gradient says how fast it changes.",
    "every path counts": "each use of a tensor is a path of its own, and the gradients of all paths are added.",
    "a leaf is made, not computed": "the result of a recorded operation is not a leaf, whatever it was made from.",
    "backward adds": "backward adds to .grad and never empties it; you have to do that.",
    "recorded as it ran": "each run makes a new graph, of the branch that it took and the turns that it made.",
    "saved for the way back": "a step saves only what its own derivative will need, and many steps need nothing.",
    "second backward fails": "backward frees what the graph saved: compute again, or use retain_graph=True.",
    "backward starts from one number": "backward needs one number to start from, or a weight for each.",
    "`.grad` of a non-leaf": "only leaves keep their gradient; others do so after retain_grad().",
    "detach vs clone": "detach shares the numbers and drops the history; clone copies them and keeps it.",
    "detach cuts a path": "no gradient passes through a detached tensor; the other paths stay.",
    "a hook runs on the way back": "a hook is called when the gradient arrives at its tensor, during backward.",
    "in-place on a leaf": "you can write into a leaf that requires grad only under no_grad.",
    "x += y vs x = x + y": "x += y writes into the old tensor; x = x + y makes a new one and moves the name.",
    "a saved tensor was changed": "backward needs the saved numbers unchanged; if you write into them first, it fails.",
    "in-place on an expanded tensor": "several of its elements share one slot, so adding to each has no clear meaning.",
    "`Tensor` vs `tensor`": "tensor(...) holds what you give it; Tensor(...) is the float32 class, and takes a size.",
    "integer mean": "a mean is rarely whole, so mean() refuses integers: name a float dtype for it.",
    "a cast drops the fraction": "a cast to integers drops the digits after the point; round() rounds.",
    "integers wrap": "an integer that overflows starts again at the other end, and there is no error.",
    "everything but 0 is True": "a cast to bool neither rounds nor drops: 0 is False, and everything else is True.",
    "category before width": "bool < integer < float: the higher category decides; width counts only within it.",
    "`.to()` returns": "`.to()` gives another tensor and leaves yours as it was; keep what it returns.",
    "floats have gaps": "between two neighbouring floats there is nothing; larger numbers are further apart.",
    "range is not precision": "exponent bits decide how large a float can be, mantissa bits how fine.",
    "bits are not the value": "a dtype is the rule that reads bits: view changes only the rule, to() makes new bits.",
    "`dim=` in a reduction": "dim= names the dimension that disappears, not the one that stays.",
    "keepdim leaves a 1": "keepdim=True leaves a 1 where a dimension was: the result still lines up with its source.",
    "True counts as 1": "in a sum True counts as 1 and False as 0: the sum of a mask counts.",
    "max gives two": "with a dim, max gives the values and the places; without one, it gives only the value.",
    "std divides by n - 1": "std and var divide by n - 1, the usual estimate from a sample; correction=0 divides by n.",
    "the end of arange": "arange leaves out its end; with float steps rounding decides, so use linspace and a count.",
    "logspace takes powers": "logspace(a, b, n) goes from 10 to the power of a to 10 to the power of b.",
    "*_like keeps the strides": "a `*_like` tensor has the same strides too; a tensor from `new_*` is contiguous.",
    "a seed is a position": "a seed sets the reading position once; each call reads on where the last one ended.",
    "the stream knows no shape": "the size only says how many numbers are read; it does not change which ones.",
    "randn works in blocks": "fewer than 16 normal numbers are made in pairs, from 16 on in blocks of 16.",
    "a seed disturbs others": "manual_seed resets the generator that all code shares: use a Generator of your own.",
    "two draws are two orders": "two calls of randperm give two orders: draw one, and use it twice.",
    "a ruler has one mark more": "n numbers have n - 1 steps between them.",
    "fancy indexing copies": "a list or a mask between brackets makes a copy; a write to that copy is lost.",
    "two lists are pairs": "two lists between brackets walk together and choose pairs, not a block.",
    "a list names each one": "a list between brackets takes each entry in the list's order, as often as it is there.",
    "element loops": "a loop over elements pays for every single one in Python; one operation does them all at once.",
    "the ends of a running sum": "c[j] is the sum up to and including j: subtract the sum before the first.",
    "every pair takes memory": "a column against a row makes a number for every pair: count its bytes first.",
    "an index takes its dimension away": "a whole number takes its dimension away; a slice of length 1 keeps it.",
    "a 0-d tensor is a tensor": "a tensor without dimensions is still a tensor; item() takes the number out of it.",
    "rows come before columns": "the size of an image is (rows, columns): its height comes before its width.",
    "getsizeof of a list": "sys.getsizeof counts only the list's pointers; the objects they lead to come on top.",
    "brackets are dimensions": "each level of brackets is a dimension, and the outermost is dimension 0.",
    "text needs a table": "a tensor holds only numbers; text becomes numbers by a table that gives each piece one.",
    "a tensor is a full grid": "all rows of a tensor are equally long; shorter ones have to be filled up.",
    "one dtype for all": "all numbers of a tensor are of one dtype; one float among them makes floats of all.",
    "cat vs stack": "stack puts tensors into a new dimension; cat lengthens one that exists already.",
    "the batch comes first": "the items of a batch are counted by dimension 0.",
    "channels are a dimension": "a colour image has a third dimension: one place for each channel.",
    "(N,1) against (N) gives (N,N)": "a column against a row stretches both: you get a number for every pair.",
    "sizes line up from the right": "sizes are compared from the last one; what is missing in front counts as 1.",
    "only a 1 is stretched": "two sizes fit when they are equal or one of them is 1; nothing else is repeated.",
    "a size of 0 is a size": "an empty tensor broadcasts like any other: 0 against 1 is 0, against 2 an error.",
    "broadcasting copies nothing": "a stretched dimension has the stride 0: the same slots are read again.",
    "`if` on a tensor": "a comparison answers for each element; if, and, or and not need one single answer.",
    "`*` is not `@`": "* multiplies the elements in the same place; the product of matrices is @.",
    "a row meets a column": "a number of a @ b is a row of a times a column of b, added up.",
    "one side for all unknowns": "first bring all unknowns to one side: what changes sides changes its sign.",
    "solve reads n vectors": "with n matrices and n rows of B, solve takes each row as the right side of one matrix.",
    "solve, do not invert": "an inverse costs more and loses digits: give the problem itself to solve or lstsq.",
    "far from the mean is a long lever": "a point tilts a line by its distance from the mean, not by how odd it is.",
    "few singular values carry most": "singular values come sorted, and often a few carry nearly everything.",
    "real matrices, complex eigenvalues": "a real matrix that turns has no real eigenvalues, but complex ones.",
    "the ones column": "a column of ones in the design matrix lets a fit have an offset.",
    "planes or pixels": "channels first: all reds, then greens, then blues; channels last: pixel after pixel.",
    "a scale is not a shift": "bytes divided by 255 run from 0 to 1; to reach below 0 you have to subtract as well.",
    "asin knows one half": "many angles have the same sine; asin gives the one between -90 and 90 degrees.",
    "`~` of an integer": "~ flips every bit: True becomes False, and the integer 1 becomes -2.",
    "more threads, not more speed": "threads share the cores and the path to memory; if there are too many, they wait.",
    "blocks are rounded up": "a grid is a whole number of blocks: numbers that are left over need one block more.",
    "thread numbers begin again": "threadIdx begins again in each block; cuda.grid counts across all of them.",
    "more threads than elements": "some threads of the last block have no element: an if has to keep them out.",
    "x runs along a row": "cuda.grid(2) gives x, then y: x counts columns and y rows, so the element is a[y, x].",
    "a block does not go in step": "what another thread wrote can be read after the next barrier, and not before.",
    "all threads reach a barrier": "a barrier waits for every thread of its block: no thread may skip it.",
    "an update is two steps": "x[0] += 1 reads, then writes; cuda.atomic.add lets no other thread come between.",
    "memory moves in sectors": "global memory moves in sectors of 32 bytes: let nearby threads read neighbours.",
    "a tree adds in rounds": "in each round half as many threads add the total of another, at twice the distance.",
    "a tile is read once": "what a block brings into shared memory serves all its threads: it is not fetched again.",
    "a call only queues": "a call gives the device work and returns; program and device run side by side.",
    "timing a GPU without synchronising": "a call returns before its work is done: wait, then stop the clock.",
    "small work is slower on a GPU": "handing over work takes microseconds, however little it is: give a lot at once.",
    "`.item()` waits for the device": "what Python has to see, it waits for: item(), print, the size of x[mask].",
    "streams race": "two streams do not wait for each other; an event of one lets the other wait.",
    "a stream waits, or the program does": "wait_event lets a queue wait; synchronize makes the whole program wait.",
    "non_blocking reads stale bytes": "a non_blocking copy is only queued: wait before you touch either end of it.",
    "device errors blame the wrong line": "an error on a device is reported by a later line, one that waits.",
    "learning goes downhill": "the gradient points uphill: subtract it, times the rate.",
    "a rate too large": "too long a step jumps over the minimum; a longer one lands higher than it began.",
    "a window is a view": "windows overlap: as_strided and unfold read the same slots again, and copy nothing.",
    "a kernel compares neighbours": "a kernel with the sum 0 answers 0 on flat parts; it finds where things change.",
    "a kernel is not turned": "conv2d lays the kernel on as it is; mathematicians turn it round first.",
    "the batch stays": "flatten kernels, rows and columns of each picture; the batch keeps its dimension.",
    "weights belong to places": "a linear layer has a weight for each place; a kernel is used in all places.",
    "a short last batch": "the last batch may be shorter: weigh the mean of each batch by its length.",
    "softmax twice": "cross_entropy takes the scores as they are: the softmax is part of it.",
    "empty before you walk": "zero_grad comes before backward; after it, step would find no gradient.",
    "modules move in place": "net.to() moves the parameters of net itself; t.to() leaves t as it was.",
    "which rank's data wins": "distribute_tensor sends out what rank 0 made; what other ranks made is not looked at.",
    "a shard may be empty": "a dimension is cut as chunk cuts it: the last ranks may have fewer rows, or none.",
    "a sum may be in parts": "summed along a cut dimension, each rank has a part: Partial, until they are added.",
    "one layout fits both": "cut along what a product sums over, and nothing is sent; cut elsewhere, and it is.",
    "count the bytes first": "how many bytes a redistribution sends follows from its two placements.",
    "a task has a price": "each operation costs milliseconds, however small it is: give each rank a lot at once.",
    "a lost part is made again": "the next worker repeats what made the part; nothing was copied beforehand.",
    "leave it where it is": "full_tensor() brings every element here, each time: reduce there, and bring the result.",
    "an IDE is not the engine": "editors show and edit; the Python kernel behind them does the work.",
}
"""The misconceptions that the lessons dissolve, by name, each with the sentence that dissolves it."""


class Unreadable(Exception):
    """The answer cannot be looked at; `str(error)` is a sentence for the learner."""


@dataclass(frozen=True)
class Verdict:
    """What a check found.

    `correct` is True, False, or None when there was nothing to judge; a verdict is true when correct.

    >>> Verdict(False, "the size is (3, 4).")
    Not yet: the size is (3, 4).
    >>> bool(Verdict(True)), bool(Verdict(False)), bool(Verdict(None))
    (True, False, False)
    """

    correct: bool | None
    says: str = ""
    misconception: str = ""

    @property
    def title(self) -> str:
        """`Right`, `Not yet` or `Not checked`."""
        return {True: "Right", False: "Not yet", None: "Not checked"}[self.correct]

    def __bool__(self) -> bool:
        return self.correct is True

    def __repr__(self) -> str:
        text = f"{self.title}: {self.says}" if self.says else f"{self.title}."
        return f"{text}\n({self.misconception})" if self.misconception else text

    def _repr_html_(self) -> str:
        colour = {True: "#00704F", False: "#C2410C", None: "#5b6470"}[self.correct]
        name = self.misconception
        sentence = f": {MISCONCEPTIONS[name]}" if name in MISCONCEPTIONS else ""
        name = f"<p><em>{escape(plain(name))}</em>{markup(sentence)[3:-4]}</p>" if name else ""
        says = markup(f"**{self.title}**: {self.says}" if self.says else f"**{self.title}.**")
        return f'<div style="border-left: 4px solid {colour}; padding-left: 12px">{says}{name}</div>'


@dataclass(frozen=True)
class Answer:
    """An answer to judge: `value`, and `base`, the tensor that the exercise started from (if any).

    `does_as(function)` says whether the answer is what this function makes, in all that a check looks at: for a
    function on every case, for a tensor from the base.
    """

    value: object
    base: object = None
    does_as: Callable[[Callable[..., Any]], bool] | None = None


@dataclass(frozen=True)
class Facts:
    """What a check may know of a tensor: plain Python, taken once, holding on to nothing.

    `values` are the numbers in reading order; `buffer` tells one memory from another.
    """

    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    dtype: str = ""
    device: str = ""
    values: tuple[Any, ...] = field(default=(), repr=False)
    meta: Meta | None = field(default=None, repr=False)

    def shares(self, other: Facts | None) -> bool:
        """Do both read the same storage?"""
        if other is None or self.meta is None or other.meta is None:
            return False
        return same_buffer(self.meta, other.meta)


def is_tensor(value: object) -> bool:
    """Is it a tensor of tensorkit or PyTorch?"""
    try:
        return library_of(value) != "numpy"
    except TypeError:
        return False


def read(value: object) -> Facts:
    """The facts of a tensor of tensorkit or PyTorch.

    Raises `Unreadable` with a sentence when it is something else, or will not be looked at.

    >>> read(tk.arange(6)[2:]).offset
    2
    >>> read([1, 2])
    Traceback (most recent call last):
    tensorkit_widgets.practice.facts.Unreadable: this is a list, not a tensor.
    """
    if not is_tensor(value):
        name = type(value).__name__
        if name == "ndarray":
            raise Unreadable("this is a NumPy array; `tk.from_numpy(a)` makes a tensor of it.")
        raise Unreadable(f"this is {'an' if name[:1].lower() in 'aeiou' else 'a'} {name}, not a tensor.")
    try:
        return _facts(value)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"this tensor cannot be read ({told(error)}).") from error


def _facts(tensor: Any) -> Facts:
    meta = describe(tensor)
    if math.prod(meta.size) > MOST_ELEMENTS:
        raise Unreadable(f"this tensor has more than {MOST_ELEMENTS:,} elements, too many to look through.")
    if meta.fault:
        raise Unreadable(f"{meta.fault}.")
    seen = look(tensor, Window((0,) * len(meta.size), meta.size), ())
    return Facts(meta.size, meta.stride, meta.offset, meta.dtype, meta.device, seen.grid, meta)


def slots(size: Sequence[int], stride: Sequence[int], offset: int = 0) -> Iterator[int]:
    """The storage slot of every element, in the order in which the tensor is read.

    >>> list(slots((2, 3), (1, 2), 4))
    [4, 6, 8, 5, 7, 9]
    """
    return (slot_of(index, stride, offset) for index in all_indices(size))


def same(value: object, want: object) -> bool:
    """Is this the wanted answer? Text is compared without case, spaces and punctuation.

    >>> same("A, b", "a b"), same([1, 2], (1, 2)), same(True, 1)
    (True, True, False)
    """
    if isinstance(want, str):
        return isinstance(value, str) and _letters(value) == _letters(want)
    if isinstance(want, tuple):
        return isinstance(value, (tuple, list)) and tuple(value) == want
    return isinstance(value, bool) is isinstance(want, bool) and value == want


def _letters(text: str) -> str:
    return "".join(re.findall(r"[a-z0-9_+-]+", text[:LONGEST_TEXT].lower()))


@dataclass(frozen=True, init=False)
class Slip:
    """A wrong answer that is understood: the misconception's name, what to say, and how to know it.

    It is known by the plain value `given`, by the tensor's `size`, `stride`, `offset`, `dtype`, or by
    `shares` (the base's storage, or another), all those named together; or by `when(answer, facts, base)`; or by
    `behaves`, the function that somebody with this misconception would write (or several such functions): the answer
    does the same as one of them wherever the check looks.

    >>> slip = Slip("a size is not a stride", "That is the size.", given=(3, 2))
    >>> slip.fits(Answer((3, 2))), slip.fits(Answer((1, 3)))
    (True, False)
    """

    misconception: str
    says: str
    looks: Mapping[str, Any]

    def __init__(self, misconception: str, says: str, **looks: Any) -> None:
        unknown = set(looks) - {"when", "behaves", "size", "stride", "offset", "dtype", "shares", "given"}
        if unknown or not looks:
            raise TypeError(f"a Slip cannot be known by {', '.join(sorted(unknown)) or 'nothing'}")
        object.__setattr__(self, "misconception", misconception)
        object.__setattr__(self, "says", says)
        object.__setattr__(self, "looks", looks)

    def fits(self, answer: Answer, mine: Facts | None = None, base: Facts | None = None) -> bool:
        """Is this the slip that was made?"""
        return all(self._fits(look, want, answer, mine, base) for look, want in self.looks.items())

    def _fits(self, look: str, want: Any, answer: Answer, mine: Facts | None, base: Facts | None) -> bool:
        if look == "when":
            return bool(want(answer, mine, base))
        if look == "behaves":
            return answer.does_as is not None and any(map(answer.does_as, _several(want)))
        if look == "given":
            return same(answer.value, want)
        if mine is None:
            return False
        if look == "shares":
            return want is mine.shares(base)
        return bool(getattr(mine, look) == want)

    def verdict(self) -> Verdict:
        """The verdict that this slip gives."""
        return Verdict(False, self.says, self.misconception)


def _several(functions: Any) -> tuple[Callable[..., Any], ...]:
    return functions if isinstance(functions, tuple) else (functions,)


class Note(str):
    """A hint or a solution: text that shows itself as it is, with its code set as code."""

    def __repr__(self) -> str:
        return plain(self)

    def _repr_html_(self) -> str:
        return f'<div style="border-left: 4px solid #0072B2; padding-left: 12px">{markup(self)}</div>'
