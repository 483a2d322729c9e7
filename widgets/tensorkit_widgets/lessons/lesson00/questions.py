"""The questions and exercises of lesson 00, with what proves them."""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import Checker, choice_check, number_check, tensor_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, is_tensor, same
from tensorkit_widgets.practice.kinds import Question, Task


def _dtype(tensor: Any) -> str:
    return f"`{str(tensor.dtype).rpartition('.')[2]}`"


QUESTIONS = (
    Question(
        "know_python",
        "`numbers = [1.5, 2.5]` in plain Python. What does `numbers * 2` give?",
        "`[1.5, 2.5, 1.5, 2.5]`",
        "A list is a row of boxes for anything: times 2 repeats the boxes. A tensor would calculate, and give 3 and 5.",
        options=("`[3.0, 5.0]`", "`[1.5, 2.5, 1.5, 2.5]`", "An error"),
        recall=True,
        proof=lambda tk: f"`{[1.5, 2.5] * 2}`",
    ),
    Question(
        "know_bits",
        "A number of 32 bits: how many bytes is that?",
        4,
        "Eight bits make a byte.",
        slips=(Slip("bytes per element", "That is the number of bits.", given=32),),
        recall=True,
        proof=lambda tk: tk.ones(1).element_size(),
    ),
    Question(
        "know_kernel",
        "A notebook is open in the browser. Where does the Python in its cells run?",
        "In a separate Python process, the kernel",
        "The page shows and edits; the kernel calculates, on whichever machine it was started.",
        options=("In the browser", "In a separate Python process, the kernel", "In the notebook file"),
        slips=(
            Slip("an IDE is not the engine", "The page only shows and edits.", given="In the browser"),
            Slip(
                "an IDE is not the engine", "The file keeps text and outputs.", given="In the notebook file"
            ),
        ),
        recall=True,
    ),
    Question(
        "first_dtype",
        "`x = tk.tensor([1.5, 2.5])`: two Python floats, which have 64 bits each. Which dtype will `x` have?",
        "`float32`",
        "32 bits are enough for most of deep learning, take half the memory, and are faster. NumPy keeps 64.",
        options=("`float64`", "`float32`", "`int64`"),
        slips=(
            Slip("default dtype", "That is what NumPy makes of them.", given="`float64`"),
            Slip("default dtype", "Only whole numbers without a dot become integers.", given="`int64`"),
        ),
        proof=lambda tk: _dtype(tk.tensor([1.5, 2.5])),
    ),
    Question(
        "first_device",
        "And where will `x` live on a machine that has a fast GPU?",
        "On the CPU, as on any machine",
        "A tensor goes to a GPU only when you send it there: `x.to('cuda')`.",
        options=("On the GPU, because it is there", "On the CPU, as on any machine"),
        slips=(
            Slip(
                "tensors start on the CPU",
                "Nothing moves on its own, or your program would depend on the machine.",
                given="On the GPU, because it is there",
            ),
        ),
        proof=lambda tk: (
            "On the CPU, as on any machine" if str(tk.tensor([1.5, 2.5]).device) == "cpu" else "elsewhere"
        ),
    ),
)


def _device_check() -> Checker:
    """The device's name, as text or as a device."""

    def check(answer: Answer) -> Verdict:
        said = answer.value
        name = said.strip(" '\"`") if isinstance(said, str) else str(getattr(said, "type", said))
        if same(name, "cpu"):
            return Verdict(True)
        if is_tensor(said):
            return Verdict(False, "that is the tensor itself. Ask it for its device: `x.device`.")
        if name.strip().lower().startswith(("cuda", "gpu")):
            return Verdict(
                False,
                "you have not sent this tensor to a GPU. Ask it: `x.device`.",
                "tensors start on the CPU",
            )
        return Verdict(False, "that is not a device. A tensor knows its own: `x.device`.")

    return Checker(check)


TASKS = (
    Task(
        "a_first_tensor",
        "A first tensor",
        "Worked: `tk.tensor([1., 2., 3.])` makes a tensor of three numbers, `float32`, on the CPU.\n\n"
        "Your turn: make `x`, the tensor of the two rows `[1., 2., 3.]` and `[4., 5., 6.]`.\n\n"
        "    x = ...",
        tensor_check(
            size=(2, 3),
            dtype="float32",
            values=((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)),
            slips=(
                Slip("default dtype", "these are integers: write the dots, `1.` and not `1`.", dtype="int64"),
                Slip(
                    "default dtype",
                    "`float32` was wanted; it is the default, so leave `dtype=` out.",
                    dtype="float64",
                ),
                Slip(
                    "a storage has no shape", "all six are in one row; give two lists in a list.", size=(6,)
                ),
                Slip(
                    "rows come before columns",
                    "those are the two rows as **columns**. Each inner list is a row.",
                    behaves=lambda t: tensorkit.tensor([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]),
                ),
                Slip(
                    "brackets are dimensions",
                    "that is three rows of two. Two rows of three are wanted: each inner list is a row.",
                    behaves=lambda t: tensorkit.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
                ),
            ),
        ),
        (
            "A list of lists: each inner list is a row.",
            "`tk.tensor([[…], […]])`, with a dot behind each number.",
            "The first row is `[1., 2., 3.]`; the second follows after a comma.",
        ),
        "x = tk.tensor([[1., 2., 3.], [4., 5., 6.]])",
        stage="worked",
        right=(
            lambda tk, t: tk.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
            lambda tk, t: tk.arange(1.0, 7.0).view(2, 3),
            lambda tk, t: tk.tensor([[1, 2, 3], [4, 5, 6]]).float(),
        ),
        wrong=(
            (lambda tk, t: tk.tensor([[1, 2, 3], [4, 5, 6]]), "default dtype"),
            (lambda tk, t: tk.arange(1.0, 7.0), "a storage has no shape"),
            (lambda tk, t: tk.tensor([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]), "rows come before columns"),
            (lambda tk, t: tk.arange(1.0, 7.0).view(3, 2), "brackets are dimensions"),
            (lambda tk, t: tk.zeros(3, 2), ""),
            (lambda tk, t: tk.arange(6.0).view(2, 3), ""),
            (lambda tk, t: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], ""),
        ),
    ),
    Task(
        "count_the_bytes",
        "Count the bytes",
        "How many bytes do the numbers of `tk.zeros(1000, 1000)` take? Type it, or let Python count.",
        number_check(
            4_000_000,
            slips=(
                Slip(
                    "bytes per element",
                    "that is how many numbers there are; each takes 4 bytes.",
                    given=1_000_000,
                ),
                Slip("default dtype", "that would be `float64`; the default is `float32`.", given=8_000_000),
                Slip("bytes per element", "those are bits; 8 bits make a byte.", given=32_000_000),
            ),
        ),
        (
            "How many numbers are there, and how many bytes has one `float32`?",
            "`x.numel()` counts the numbers and `x.element_size()` gives the bytes of one.",
            "1000 · 1000 · 4",
        ),
        "1000 * 1000 * 4   # or ask: tk.zeros(1000, 1000).untyped_storage().nbytes()",
        entry="1000",
        right=(
            lambda tk, t: 4_000_000,
            lambda tk, t: "4000000",
            lambda tk, t: "4_000_000",
            lambda tk, t: "4,000,000",
            lambda tk, t: "tk.zeros(1000, 1000).nbytes",
            lambda tk, t: "1000 * 1000 * 4",
            lambda tk, t: tk.zeros(1000, 1000).untyped_storage().nbytes(),
            lambda tk, t: tk.zeros(1000, 1000).numel() * tk.zeros(1).element_size(),
        ),
        wrong=(
            (lambda tk, t: 1_000_000, "bytes per element"),
            (lambda tk, t: 8_000_000, "default dtype"),
            (lambda tk, t: 4_000, ""),
        ),
    ),
    Task(
        "where_does_it_live",
        "Where does it live?",
        "Ask a tensor of yours for its device, and pass on its answer.",
        _device_check(),
        (
            "A tensor knows its size, its dtype and its device.",
            "They are attributes: a name after a dot, without brackets.",
            "`x.device`",
        ),
        "ex.check(x.device)",
        right=(
            lambda tk, t: tk.zeros(2).device,
            lambda tk, t: "cpu",
            lambda tk, t: str(tk.zeros(2).device),
        ),
        wrong=(
            (lambda tk, t: "cuda", "tensors start on the CPU"),
            (lambda tk, t: "gpu", "tensors start on the CPU"),
            (lambda tk, t: tk.zeros(2), ""),
            (lambda tk, t: 3, ""),
        ),
    ),
    Task(
        "the_order_of_a_cluster",
        "In order, on a cluster",
        "These five lines prepare and start a job on a cluster, but they are shuffled:\n\n"
        "    a   virtualenv --no-download env\n"
        "    b   pip install --no-index torch\n"
        "    c   module load python/3.11\n"
        "    d   source env/bin/activate\n"
        "    e   sbatch job.sh\n\n"
        "Give the order as five letters.",
        choice_check(
            "c a d b e",
            slips=(
                Slip(
                    "the module comes first",
                    "the environment is built from the Python that is loaded; load that one first.",
                    when=lambda answer, mine, base: _before(answer.value, "a", "c"),
                ),
                Slip(
                    "",
                    "`pip` fills the environment that is active; activate yours before you install.",
                    when=lambda answer, mine, base: _before(answer.value, "b", "d"),
                ),
                Slip(
                    "",
                    "an environment has to exist before it can be activated.",
                    when=lambda answer, mine, base: _before(answer.value, "d", "a"),
                ),
                Slip(
                    "work on the login node",
                    "the job starts on another machine, and finds only what you have prepared.",
                    when=lambda answer, mine, base: _before(answer.value, "e", "b"),
                ),
            ),
            hint="give each of the five letters once, such as `a b c d e`.",
        ),
        (
            "Which line needs nothing of the others?",
            "An environment is made, then activated, then filled.",
            "First `c`, last `e`.",
        ),
        "c a d b e",
        stage="reverse",
        entry="a b c d e",
        right=(
            lambda tk, t: "c a d b e",
            lambda tk, t: "C, A, D, B, E",
            lambda tk, t: " -> ".join("cadbe").replace("->", ","),
        ),
        wrong=(
            (lambda tk, t: "a c d b e", "the module comes first"),
            (lambda tk, t: "c b a d e", ""),
            (lambda tk, t: "c d a b e", ""),
            (lambda tk, t: "c a d e b", "work on the login node"),
            (lambda tk, t: "c a d b", ""),
        ),
    ),
)


def _before(text: object, one: str, other: str) -> bool:
    """Do both letters occur, and this one before the other?"""
    order = [c for c in str(text).lower() if c in "abcde"]
    return one in order and other in order and order.index(one) < order.index(other)
