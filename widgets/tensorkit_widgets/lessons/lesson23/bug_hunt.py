"""The check of the bug hunt: it trains with the learner's script, watches what the net is given, and names each bug.

Each bug is known by something that no other one changes: what the net was given, the first loss, whether the losses
move, and what the net says in the end.
"""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.lessons.lesson23.trial_functions import (
    library_of,
    script,
    seen_through,
    without_a_step,
)
from tensorkit_widgets.practice.checking.checks import BLANK, Checker
from tensorkit_widgets.practice.checking.known_errors import known_slip
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, is_tensor
from tensorkit_widgets.practice.markup import quoted, told

SEEDS, STEPS = (0, 1, 2), 6

SHREDDED = Slip(
    "permute vs view",
    "the net is given shreds: `view` cuts rows of red, green and blue numbers into three, and does not sort them by "
    "colour.",
    behaves=script("view"),
)
MIRRORED = Slip(
    "a transpose is a mirror",
    "the colours are sorted, but every picture is mirrored: rows and columns changed places as well.",
    behaves=script("transpose"),
)
TWICE = Slip(
    "softmax twice",
    "the softmax is done twice: `cross_entropy` takes the scores themselves, and its loss can never come near 0 like "
    "this.",
    behaves=script(softmax=True),
)
EMPTIED = Slip(
    "empty before you walk",
    "the loss does not move at all: when `step` comes, the gradients have just been thrown away.",
    behaves=script(empty="between"),
)
NEVER = Slip(
    "backward adds",
    "the gradients of all steps are added up: somewhere `.grad` has to be emptied.",
    behaves=script(empty="never"),
)
PAIRS = Slip(
    "(N,1) against (N) gives (N,N)",
    "the share of right answers compares every answer with every label: a column met a row.",
    behaves=script(column=True),
)
ORDER = (SHREDDED, MIRRORED, EMPTIED, NEVER, TWICE, PAIRS)


class _Other(Exception):
    """Something else is wrong; `str(error)` is the sentence."""


def _hunted(answer: Answer) -> Verdict:
    function = answer.value
    if not callable(function):
        return Verdict(None, f"{quoted(function)} is not a function: give its name, without calling it.")
    if not is_tensor(answer.base):
        return Verdict(None, "give me the tensor of the cell as well: `check(train, base=t)`.")
    tk = library_of(answer.base)
    found: set[int] = set()
    other = ""
    with tk.random.fork_rng(devices=[]):
        for seed in SEEDS:
            try:
                _look(function, tk, seed, found)
            except _Other as problem:
                other = other or str(problem)
            except Exception as error:
                slip = known_slip(error)
                if slip is not None:
                    return slip.verdict()
                return Verdict(False, f"your function stopped with {told(error)}.")
    if other == BLANK:
        return Verdict(None, BLANK)
    bugs = [slip for place, slip in enumerate(ORDER) if place in found]
    if len(bugs) == 1:
        return bugs[0].verdict()
    if bugs:
        each = "; ".join(f"({number}) {slip.says.rstrip('.')}" for number, slip in enumerate(bugs, start=1))
        return Verdict(False, f"there are still {len(bugs)} in it: {each}.", bugs[0].misconception)
    return Verdict(False, other) if other else Verdict(True)


def _net(tk: Any, seed: int) -> Any:
    """The same net for the same seed."""
    nn = tk.nn
    tk.manual_seed(seed)
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.MaxPool2d(7), nn.Flatten(), nn.Linear(16, 3))


def _look(function: Any, tk: Any, seed: int, found: set[int]) -> None:
    """Find the bugs of one run: their places in `ORDER` are put into `found`."""
    net = _net(tk, seed)
    labels = tk.arange(3).repeat(4)
    pictures = tk.rand(12, 16, 16, 3) / 2 + tk.eye(3)[labels][:, None, None]
    got, seen = seen_through(function, net, pictures, labels, STEPS)
    losses, _ = _parts(got)
    if not seen:
        raise _Other("the net was never given a batch.")
    found |= _given(seen[0], pictures)
    found |= _share(function, tk, seed, pictures)
    found |= _losses(losses, tk, seed, seen[0], labels)


def _parts(got: Any) -> tuple[list[float], float]:
    """The losses and the share that a script gives."""
    if got is Ellipsis:
        raise _Other(BLANK)
    if not (isinstance(got, tuple) and len(got) == 2 and isinstance(got[0], list)):
        raise _Other("it should return the list of losses and the share of right answers, in this order.")
    losses = [loss.item() if is_tensor(loss) else loss for loss in got[0]]
    share = got[1].item() if is_tensor(got[1]) else got[1]
    if not all(isinstance(number, (int, float)) for number in (*losses, share)):
        raise _Other("the losses and the share should be numbers.")
    return losses, share


def _given(batch: Any, pictures: Any) -> set[int]:
    """What became of the pictures on their way to the net."""
    height, width = pictures.size()[1:3]
    ways = (
        ((), pictures.permute(0, 3, 1, 2)),
        ((ORDER.index(SHREDDED),), pictures.view(len(pictures), 3, height, width)),
        ((ORDER.index(MIRRORED),), pictures.transpose(1, 3)),
    )
    for bugs, way in ways:
        if batch.size() == way.size() and bool((batch == way).all()):
            return set(bugs)
    raise _Other(
        f"the net is given a batch of size {tuple(batch.size())}, and it is not the pictures with their colours first."
    )


def _losses(losses: list[float], tk: Any, seed: int, batch: Any, labels: Any) -> set[int]:
    """What the losses say: which loss it is, and whether the steps use the right gradients."""
    if len(losses) != STEPS:
        raise _Other(f"for {STEPS} steps it gives {len(losses)} losses.")

    def as_with(softmax: bool, empty: str, steps: int) -> list[float]:
        back = batch.permute(0, 2, 3, 1)
        made: list[float] = script(softmax=softmax, empty=empty)(_net(tk, seed), back, labels, steps)[0]
        return made

    away = {softmax: abs(losses[0] - as_with(softmax, "before", 1)[0]) for softmax in (False, True)}
    softmax = away[True] < away[False]
    if away[softmax] > 1e-3:
        raise _Other(f"the first loss is {losses[0]:.3f}; for this net and batch another one is right.")
    found = {ORDER.index(TWICE)} if softmax else set()
    if without_a_step(losses):
        return found | {ORDER.index(EMPTIED)}
    never = as_with(softmax, "never", STEPS)
    if all(abs(a - b) < 1e-4 for a, b in zip(losses, never, strict=True)):
        return found | {ORDER.index(NEVER)}
    if losses[-1] >= losses[0]:
        raise _Other("the loss does not get smaller.")
    return found


def _share(function: Any, tk: Any, seed: int, pictures: Any) -> set[int]:
    """What it says of a net that is not trained, of which the answers are known."""
    tk.manual_seed(seed)
    net = tk.nn.Sequential(tk.nn.Flatten(), tk.nn.Linear(pictures[0].numel(), 3))
    with tk.no_grad():
        net[1].bias.zero_()
    labels = tk.arange(3).repeat(4)
    (_, share), seen = _run(function, net, tk.randn(*pictures.size()), labels)
    said = net(seen[-1]).argmax(1)
    true = (said == labels).double().mean().item()
    pairs = (said[:, None] == labels).double().mean().item()
    if abs(share - true) < 1e-4:
        return set()
    if abs(share - pairs) < 1e-4:
        return {ORDER.index(PAIRS)}
    raise _Other(f"a share of {share:.2f} is given as right; it should be {true:.2f}.")


def _run(function: Any, net: Any, pictures: Any, labels: Any) -> tuple[tuple[list[float], float], list[Any]]:
    try:
        got, seen = seen_through(function, net, pictures, labels, 0)
    except UnboundLocalError as error:
        raise _Other("with 0 steps it fails: after the loop, give the net the batch once more.") from error
    if not seen:
        raise _Other("with 0 steps the net is never asked, so the share cannot be right.")
    return _parts(got), seen


HUNT = Checker(_hunted, ORDER)
