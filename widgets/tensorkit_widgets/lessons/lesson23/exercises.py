"""The exercises of lesson 23, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.lessons.lesson23.bug_hunt import HUNT
from tensorkit_widgets.lessons.lesson23.tiles import for_training, held_back
from tensorkit_widgets.lessons.lesson23.trial_functions import (
    by_differences,
    by_kernels,
    by_unfold,
    by_windows,
    every_row,
    full_batches,
    keeps_its_graph,
    library_of,
    mean_of_all,
    mean_of_means,
    means_per_patient,
    one_case,
    script,
    side_by_side,
    strides_by_size,
    sum_of_means,
    trained,
    turned_kernel,
    two_batches,
)
from tensorkit_widgets.practice.checking.checks import Checker, number_check, tuple_check
from tensorkit_widgets.practice.checking.checks_autograd import trial_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, is_tensor, read
from tensorkit_widgets.practice.kinds import Task
from tensorkit_widgets.practice.markup import quoted, told

DOWNHILL = "learning goes downhill"
LAST = "a short last batch"
KEEPS = "a loss keeps its graph"
WINDOW = "a window is a view"
TURNED = "a kernel is not turned"
PLACES = "weights belong to places"
STAYS = "the batch stays"
LARGE = "a rate too large"
NN = "(N,1) against (N) gives (N,N)"


def _two(tk: Any) -> Any:
    return tk.tensor([1.0, 2.0], requires_grad=True)


# -- a net for the tiles


def _told_apart(answer: Answer) -> Verdict:
    """A net is judged on the tiles that it was not trained with."""
    net: Any = answer.value
    if not callable(net):
        return Verdict(None, f"{quoted(net)} is not a net: give the net itself.")
    if not is_tensor(answer.base):
        return Verdict(None, "give me the tensor of the cell as well: `check(net, base=t)`.")
    tk = library_of(answer.base)
    x, y = held_back(tk)
    try:
        with tk.no_grad():
            scores = net(x)
    except Exception as error:
        return Verdict(
            False, f"your net was given {len(x)} tiles, of size (1, 16, 16), and stopped with {told(error)}."
        )
    if not is_tensor(scores):
        return Verdict(False, f"your net gave {quoted(scores)}, and not a tensor of scores.")
    size = read(scores).size
    if size != (len(x), 2):
        name = STAYS if not size or size[0] != len(x) else ""
        return Verdict(
            False, f"for {len(x)} tiles it gives scores of size {size}; it should be ({len(x)}, 2).", name
        )
    share = (scores.argmax(1) == y).double().mean().item()
    if share >= 0.9:
        return Verdict(True)
    if share <= 0.1:
        return Verdict(False, "it tells them apart, but the wrong way round: class 0 is blurred downwards.")
    if _adds_up(net, x, scores):
        return Verdict(
            False,
            f"{share:.0%} are right, and more steps will not help. Your net only multiplies each pixel by a weight of "
            "its own and adds up; what it learns of one place it does not know of another.",
            PLACES,
        )
    return Verdict(
        False, f"{share:.0%} of the tiles that were held back are right; it should be 90 %. Train it longer?"
    )


def _adds_up(net: Any, x: Any, scores: Any) -> bool:
    """Is the net nothing but a weighted sum? Then the scores of a mean of two tiles are the mean of their scores."""
    tk = library_of(x)
    with tk.no_grad():
        between = net((x + x.flip(0)) / 2)
    return bool(tk.allclose(between, (scores + scores.flip(0)) / 2, atol=1e-4))


def _layers(tk: Any, *, convolution: bool) -> Any:
    """Nets that are not trained."""
    nn = tk.nn
    tk.manual_seed(3)
    if convolution:
        return nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(7), nn.Flatten(), nn.Linear(32, 2))
    return nn.Sequential(nn.Flatten(), nn.Linear(256, 2))


TASKS = (
    Task(
        "one_step",
        "One step by hand",
        "A neuron guesses `w * x + b`. Its loss is the square of how far the guess is from `y`, so the gradients are "
        "`2 * (guess - y) * x` for `w`, and `2 * (guess - y)` for `b`.\n"
        "\n"
        "Worked: w = 4, b = 1, x = 2, y = 6, and a rate of 0.5. The guess is 9, which is 3 too much. The gradients are "
        "12 and 6. After the step, w = 4 - 0.5 · 12 = -2, and b = 1 - 0.5 · 6 = -2.\n"
        "\n"
        "Your turn: w = 2, b = 1, x = 3, y = 10, and again a rate of 0.5. What are `w` and `b` after one step?",
        tuple_check(
            11,
            4,
            slips=(
                Slip(
                    DOWNHILL,
                    "that goes up the gradient. The guess was too small, so `w` and `b` should grow.",
                    given=(-7, -2),
                ),
                Slip("", "those are the gradients. The step is minus 0.5 times these.", given=(-18, -6)),
                Slip("", "the rate is missing: go half as far.", given=(20, 7)),
                Slip("", "in the gradient of `b` there is no `x`.", given=(11, 10)),
                Slip("", "in the gradient of `w` there is an `x` as well.", given=(5, 4)),
                Slip("", "that is how far they move. Where do they end?", given=(9, 3)),
            ),
        ),
        (
            "First the guess: 2 · 3 + 1. How far is it from 10, and on which side?",
            "It is 3 too little, so the gradients are 2 · (-3) · 3 and 2 · (-3).",
            "w = 2 - 0.5 · (-18), and b = 1 - 0.5 · (-6).",
        ),
        "(11, 4)",
        stage="worked",
        entry="(-2, -2)",
        right=(lambda tk, t: (11, 4), lambda tk, t: "11, 4", lambda tk, t: [11, 4]),
        wrong=(
            (lambda tk, t: (-7, -2), DOWNHILL),
            (lambda tk, t: (20, 7), ""),
            (lambda tk, t: (11, 10), ""),
            (lambda tk, t: 11, ""),
        ),
    ),
    Task(
        "mean_loss",
        "The mean over a data set",
        "How good is a net on all its data? Go through them in batches of 8, without shuffling, and return the mean "
        "squared error **per example**, as a number. The data may not fill the last batch. Fill the gaps.\n\n"
        "    def mean_loss(net, x, y):\n"
        "        loader = tk.utils.data.DataLoader(tk.utils.data.TensorDataset(___), batch_size=___)\n"
        "        total = 0.0\n"
        "        for a, b in loader:\n"
        "            loss = tk.nn.functional.mse_loss(net(a), b)  # the mean over this batch\n"
        "            total += ___\n"
        "        return total / ___",
        trial_check(
            full_batches,
            two_batches,
            slips=(
                Slip(
                    LAST,
                    "with 16 examples it is right, and with 20 it is not: the last batch has only 4, and counts as "
                    "much as one of 8. Weigh each mean by the length of its batch.",
                    behaves=mean_of_means,
                ),
                Slip(
                    LAST,
                    "each loss is a *mean* over its batch already. Multiply it by the number of examples in it before "
                    "you divide by all.",
                    behaves=sum_of_means,
                ),
                Slip(
                    LAST,
                    "you have added up all errors: then divide by the number of examples, and not of batches.",
                    behaves=means_per_patient,
                ),
                Slip(
                    KEEPS,
                    "the number is computed with recording on: it requires grad, and keeps the graphs of all batches. "
                    "Compute it under `no_grad`, or add up `loss.item()`.",
                    behaves=keeps_its_graph,
                ),
            ),
        ),
        (
            "A `TensorDataset` takes the tensors whose rows belong together, one after the other.",
            "A mean times the number of its examples is a sum. How many examples does `a` have?",
            "`total += loss.item() * len(a)`, and in the end divide by `len(x)`.",
        ),
        "def mean_loss(net, x, y):\n"
        "    loader = tk.utils.data.DataLoader(tk.utils.data.TensorDataset(x, y), batch_size=8)\n"
        "    total = 0.0\n"
        "    for a, b in loader:\n"
        "        loss = tk.nn.functional.mse_loss(net(a), b)\n"
        "        total += loss.item() * len(a)\n"
        "    return total / len(x)",
        stage="faded",
        base=_two,
        right=(
            lambda tk, t: mean_of_all,
            lambda tk, t: lambda net, x, y: ((net(x) - y) ** 2).mean().item(),
            lambda tk, t: lambda net, x, y: tk.nn.functional.mse_loss(net(x), y).detach(),
        ),
        wrong=(
            (lambda tk, t: mean_of_means, LAST),
            (lambda tk, t: sum_of_means, LAST),
            (lambda tk, t: means_per_patient, LAST),
            (lambda tk, t: keeps_its_graph, KEEPS),
            (lambda tk, t: lambda net, x, y: None, ""),
            (lambda tk, t: lambda net, x, y: 3.0, ""),
        ),
    ),
    Task(
        "by_hand",
        "Two steps at a time",
        "`conv2d(…, stride=2)` moves its window by **two** rows or columns at a time. Write it by hand: a function "
        "that takes a picture `x` and a `kernel`, both of two dimensions, and returns what `conv2d` would. Use windows "
        "and a sum, and no loop. Mind that `x` may be a view: its rows need not follow one another in the storage.",
        trial_check(
            one_case("of 5 rows and 5 columns", 5, 5),
            one_case("of 7 rows and 9 columns", 7, 9),
            one_case("of 9 rows and 7 columns, a transposed view", 7, 9, transposed=True),
            slips=(
                Slip(
                    WINDOW,
                    "every window is there, as in the lesson. Take every second one, down and across.",
                    behaves=every_row,
                ),
                Slip(
                    WINDOW,
                    "your windows do not overlap: they are 3 apart, and should be 2.",
                    behaves=side_by_side,
                ),
                Slip(
                    "a size is not a stride",
                    "it is right where the rows follow one another. For a transposed view they do not: take the steps "
                    "from `x.stride()`.",
                    behaves=strides_by_size,
                ),
                Slip(
                    TURNED,
                    "you have turned the kernel round. `conv2d` lays it on as it is.",
                    behaves=turned_kernel,
                ),
            ),
        ),
        (
            "`x.unfold(0, 3, 2)` gives windows of three rows, two rows apart.",
            "After two `unfold`, for the rows and for the columns, the size is (rows, columns, 3, 3).",
            "Multiply that by the kernel, and sum over the last two dimensions.",
        ),
        "def by_hand(x, kernel):\n"
        "    windows = x.unfold(0, kernel.size(0), 2).unfold(1, kernel.size(1), 2)\n"
        "    return (windows * kernel).sum((2, 3))",
        base=_two,
        right=(
            lambda tk, t: by_unfold,
            lambda tk, t: by_windows,
            lambda tk, t: (
                lambda x, kernel: tk.nn.functional.conv2d(x[None, None], kernel[None, None], stride=2)[0, 0]
            ),
            lambda tk, t: lambda x, kernel: every_row(x, kernel)[::2, ::2],
        ),
        wrong=(
            (lambda tk, t: every_row, WINDOW),
            (lambda tk, t: side_by_side, WINDOW),
            (lambda tk, t: strides_by_size, "a size is not a stride"),
            (lambda tk, t: turned_kernel, TURNED),
            (lambda tk, t: lambda x, kernel: None, ""),
            (lambda tk, t: lambda x, kernel: by_unfold(x, kernel)[None], ""),
        ),
    ),
    Task(
        "tiles",
        "Which way did the camera slip?",
        "`t` holds 384 grey tiles of the photograph, in size (384, 1, 16, 16). A slip of the camera blurred each of "
        "them along a diagonal: the first 192 downwards to the right (class 0), the last 192 upwards (class 1). "
        "Build a net with `tk.nn.Sequential`, train it, and give me the net. I shall show it 192 tiles that it has "
        "never seen, and it should be right for 90 % of them.",
        Checker(_told_apart),
        (
            "The blur is the same in all places of a tile. Which layer uses the same weights in all places?",
            "`Conv2d(1, 8, 3)`, `ReLU()`, `MaxPool2d(7)`, `Flatten()`, and a `Linear`: from 14 by 14 numbers the "
            "pooling makes 2 by 2.",
            "The linear layer has 8 · 2 · 2 = 32 inputs and 2 outputs. With batches of 32, a rate of 0.02 and "
            "`momentum=0.9`, ten epochs are enough.",
        ),
        "labels = tk.arange(2).repeat_interleave(192)\n"
        "nn = tk.nn\n"
        "sorter = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(7), nn.Flatten(), nn.Linear(32, 2))\n"
        "optimiser = tk.optim.SGD(sorter.parameters(), lr=0.02, momentum=0.9)\n"
        "for _ in range(10):\n"
        "    for rows in tk.randperm(len(t)).split(32):\n"
        "        optimiser.zero_grad()\n"
        "        nn.functional.cross_entropy(sorter(t[rows]), labels[rows]).backward()\n"
        "        optimiser.step()\n"
        "sorter",
        stage="free",
        base=for_training,
        right=(
            lambda tk, t: trained(tk),
            lambda tk, t: by_differences,
            lambda tk, t: by_kernels,
        ),
        wrong=(
            (lambda tk, t: _layers(tk, convolution=False), PLACES),
            (lambda tk, t: _layers(tk, convolution=True), ""),
            (lambda tk, t: lambda x: by_differences(x).flip(1), ""),
            (lambda tk, t: lambda x: by_differences(x).sum(0, keepdim=True), STAYS),
            (lambda tk, t: lambda x: by_differences(x)[:, :1], ""),
            (lambda tk, t: tk.nn.Linear(3, 2), ""),
        ),
    ),
    Task(
        "bug_hunt",
        "The bug hunt",
        "This script trains a net on pictures with three classes, and gives its losses and the share of right answers. "
        "It runs without an error, and there are **four bugs** in it. The pictures have the size (N, height, width, "
        "3), and the net wants (N, 3, height, width).\n"
        "\n"
        "    def train(net, pictures, labels, steps):\n"
        "        height, width = pictures.size()[1:3]\n"
        "        batch = pictures.view(-1, 3, height, width)\n"
        "        optimiser = tk.optim.SGD(net.parameters(), lr=0.1)\n"
        "        losses = []\n"
        "        for _ in range(steps):\n"
        "            chances = net(batch).softmax(dim=1)\n"
        "            loss = tk.nn.functional.cross_entropy(chances, labels)\n"
        "            loss.backward()\n"
        "            optimiser.zero_grad()\n"
        "            optimiser.step()\n"
        "            losses.append(loss.item())\n"
        "        said = net(batch).argmax(dim=1, keepdim=True)\n"
        "        share = (said == labels).float().mean().item()\n"
        "        return losses, share\n"
        "\n"
        "Four symptoms, one for each bug:\n"
        "\n"
        "    1   The loss does not move: the same number in every step.\n"
        "    2   Once it falls, it never comes below 0.55, even when every answer is right.\n"
        "    3   With equally many pictures of three classes, 33 % are right, whatever the net says.\n"
        "    4   What the net is given looks like shreds of pictures.\n"
        "\n"
        "Repair all four. I train with it from three seeds, and name those that are left.",
        HUNT,
        (
            "Take the symptoms one by one. For 1: which line gives `step` its gradients, and what happens before it?",
            "For 2: `cross_entropy` does a softmax itself. For 3: which sizes do `said` and `labels` have?",
            "For 4: the colours have to become dimension 1. `view` only cuts the row of numbers; `permute` moves it.",
        ),
        "def train(net, pictures, labels, steps):\n"
        "    batch = pictures.permute(0, 3, 1, 2)\n"
        "    optimiser = tk.optim.SGD(net.parameters(), lr=0.1)\n"
        "    losses = []\n"
        "    for _ in range(steps):\n"
        "        loss = tk.nn.functional.cross_entropy(net(batch), labels)\n"
        "        optimiser.zero_grad()\n"
        "        loss.backward()\n"
        "        optimiser.step()\n"
        "        losses.append(loss.item())\n"
        "    said = net(batch).argmax(dim=1)\n"
        "    share = (said == labels).float().mean().item()\n"
        "    return losses, share",
        base=_two,
        right=(
            lambda tk, t: script(),
            lambda tk, t: script(empty="after"),
            lambda tk, t: (
                lambda net, pictures, labels, steps: script("permute")(
                    net, pictures.contiguous(), labels, steps
                )
            ),
        ),
        wrong=(
            (lambda tk, t: script("view", softmax=True, empty="between", column=True), "permute vs view"),
            (lambda tk, t: script(softmax=True, empty="between", column=True), "empty before you walk"),
            (lambda tk, t: script(softmax=True, column=True), "softmax twice"),
            (lambda tk, t: script(column=True), NN),
            (lambda tk, t: script("transpose"), "a transpose is a mirror"),
            (lambda tk, t: script(empty="never"), "backward adds"),
            (lambda tk, t: lambda net, pictures, labels, steps: None, ""),
            (lambda tk, t: lambda net, pictures, labels, steps: ([1.0] * steps, 0.5), ""),
        ),
    ),
    Task(
        "which_rate",
        "Which rate was it?",
        "The loss is `(w - 3) ** 2`, and `w` begins at 0. After each step the loss was written down:\n\n"
        "    9    3.24    1.1664    0.419904\n\n"
        "And in every step `w` jumped over 3 to the other side. What was the learning rate, in hundredths?",
        number_check(
            80,
            slips=(
                Slip(
                    LARGE,
                    "a rate of 0.20 gives the same losses, but then `w` comes closer from one side. Here it jumped "
                    "over the minimum.",
                    given=20,
                ),
                Slip(
                    LARGE,
                    "0.60 is what is left of the distance to 3 in each step, with the other sign.",
                    given=60,
                ),
                Slip("", "that is 2 times the rate: the gradient is `2 * (w - 3)`.", given=160),
                Slip(LARGE, "with 1.00 the loss would stay at 9: `w` jumps from 0 to 6 and back.", given=100),
                Slip(LARGE, "with 0.50 `w` arrives in one step.", given=50),
                Slip("", "0.36 is how much of the *loss* is left after a step.", given=36),
                Slip("", "0.40 is how far `w` would go if it stayed on one side.", given=40),
            ),
        ),
        (
            "From step to step the loss is multiplied by 0.36. So the distance from 3 is multiplied by what?",
            "By -0.6, since `w` changes sides. A step subtracts rate · 2 · distance from the distance.",
            "1 - 2 · rate = -0.6.",
        ),
        "80",
        stage="reverse",
        entry="25",
        right=(lambda tk, t: 80, lambda tk, t: "80", lambda tk, t: 80.0),
        wrong=(
            (lambda tk, t: 20, LARGE),
            (lambda tk, t: 60, LARGE),
            (lambda tk, t: 160, ""),
            (lambda tk, t: 7, ""),
        ),
    ),
)
