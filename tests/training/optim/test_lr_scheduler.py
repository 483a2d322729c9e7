"""Schedules of the learning rate: rates, states, warnings and errors are PyTorch's, to the last bit."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

import tensorkit
from tests.support.warnings import recorded
from tests.torch_oracle import sentence

pytestmark = pytest.mark.parity

STEPS = 50
METRICS = [5 / (1 + i) + random.Random(i).random() for i in range(STEPS)]


class Decay:
    """A callable object, whose attributes a state dict keeps."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, epoch: float) -> Any:
        return self.rate**epoch


CASES: dict[str, list[dict[str, Any]]] = {
    "LambdaLR": [{"lr_lambda": lambda e: 0.95**e}, {"lr_lambda": [lambda e: 1 / (1 + e), Decay(0.9)]}],
    "MultiplicativeLR": [{"lr_lambda": lambda e: 0.95}, {"lr_lambda": [Decay(0.99), lambda e: 0.99]}],
    "StepLR": [{"step_size": 7}, {"step_size": 3, "gamma": 0.7}],
    "MultiStepLR": [{"milestones": [30, 4, 4, 11], "gamma": 0.3}],
    "ConstantLR": [{}, {"factor": 0.7, "total_iters": 9}],
    "LinearLR": [{}, {"start_factor": 0.1, "end_factor": 0.4, "total_iters": 30}],
    "ExponentialLR": [{"gamma": 0.93}],
    "PolynomialLR": [{}, {"total_iters": 40, "power": 0.9}],
    "CosineAnnealingLR": [{"T_max": 10}, {"T_max": 17, "eta_min": 1e-3}],
    "CosineAnnealingWarmRestarts": [{"T_0": 7}, {"T_0": 4, "T_mult": 2, "eta_min": 1e-3}],
    "CyclicLR": [
        {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 5},
        {
            "base_lr": 0.01,
            "max_lr": [0.1, 0.3],
            "step_size_up": 5,
            "step_size_down": 8,
            "mode": "triangular2",
        },
        {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 6, "mode": "exp_range", "gamma": 0.97},
        {"base_lr": 0.01, "max_lr": 0.1, "scale_fn": Decay(0.9), "cycle_momentum": False},
        {"base_lr": 0.01, "max_lr": 0.1, "scale_fn": lambda x: 0.9**x, "scale_mode": "iterations"},
    ],
    "OneCycleLR": [
        {"max_lr": 0.1, "total_steps": 60},
        {
            "max_lr": [0.1, 0.2],
            "epochs": 10,
            "steps_per_epoch": 6,
            "anneal_strategy": "linear",
            "three_phase": True,
        },
        {"max_lr": 0.1, "total_steps": 55, "cycle_momentum": False, "pct_start": 0.5, "div_factor": 10.0},
    ],
    "ReduceLROnPlateau": [
        {},
        {"mode": "max", "factor": 0.5, "patience": 2, "cooldown": 3},
        {"patience": 1, "threshold_mode": "abs", "threshold": 0.2, "min_lr": [0.01, 0.02]},
        {"mode": "max", "threshold_mode": "abs", "patience": 0},
    ],
}
ALL = [(name, options) for name, cases in CASES.items() for options in cases]


def optimizer_of(lib: Any, kind: str = "SGD", tensors: bool = False) -> Any:
    """An optimizer with two groups; the rates are numbers or tensors."""
    first, second = (lib.zeros(2, requires_grad=True) for _ in range(2))
    rates = [lib.tensor(rate) if tensors else rate for rate in (0.2, 0.05)]
    more = {"momentum": 0.9} if kind == "SGD" else {}
    groups = [{"params": [first]}, {"params": [second], "lr": rates[1]}]
    return getattr(lib.optim, kind)(groups, lr=rates[0], **more)


def plain(value: Any) -> Any:
    """Tensors by their values, and of parameters nothing."""
    if isinstance(value, dict):
        return [(name, plain(one)) for name, one in value.items() if name != "params"]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(plain, value)]
    return ("tensor", value.item()) if hasattr(value, "item") else value


def walk(optimizer: Any, scheduler: Any, steps: range, closed: bool = False) -> list[Any]:
    """What a schedule does to the groups, step by step, and what it remembers in the end."""
    seen = [plain(scheduler.state_dict()), plain(optimizer.param_groups)]
    for count in steps:
        optimizer.step()
        if type(scheduler).__name__ == "ReduceLROnPlateau":
            scheduler.step(METRICS[count])
        else:
            scheduler.step(*([count * 2] if closed else []))
        seen += [plain(scheduler.get_last_lr()), plain(optimizer.param_groups)]
    return [*seen, plain(scheduler.state_dict())]


def same(own: Any, theirs: Any) -> None:
    """Ask for equality, and show the first difference alone: pytest would compare long texts for minutes."""
    first = next((pair for pair in zip(own, theirs, strict=True) if pair[0] != pair[1]), None)
    assert first is None


@pytest.mark.parametrize("tensors", [False, True], ids=["numbers", "tensors"])
@pytest.mark.parametrize("case", ALL, ids=lambda case: case[0])
def test_rates_are_pytorchs(torch: Any, case: tuple[str, dict[str, Any]], tensors: bool) -> None:
    name, options = case
    for kind in (
        ("SGD", "Adam") if name in ("CyclicLR", "OneCycleLR") else ("SGD",)
    ):  # they move its momentum too
        seen = []
        for lib in (tensorkit, torch):
            optimizer = optimizer_of(lib, kind, tensors)
            scheduler = getattr(lib.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))
            seen.append(walk(optimizer, scheduler, range(STEPS)))
        same(*seen)


@pytest.mark.parametrize(
    "case", [case for case in ALL if case[0] != "ReduceLROnPlateau"], ids=lambda case: case[0]
)
def test_a_schedule_goes_to_an_epoch(torch: Any, case: tuple[str, dict[str, Any]]) -> None:
    """By its closed form where it has one, and with the warning that this will go."""
    name, options = case
    seen = []
    for lib in (tensorkit, torch):
        optimizer = optimizer_of(lib)
        scheduler = getattr(lib.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))
        with recorded() as warned:
            walked = walk(optimizer, scheduler, range(20), closed=True)
        seen.append([*walked, [(str(one.message), one.category) for one in warned]])
    same(*seen)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case[0])
def test_a_schedule_goes_on_after_it_was_saved(torch: Any, case: tuple[str, dict[str, Any]]) -> None:
    """The state of one library, after ten steps, in the other."""
    name, options = case
    seen = []
    for lib, other in ((tensorkit, torch), (torch, tensorkit), (torch, torch)):
        optimizers = [optimizer_of(one) for one in (lib, other)]
        schedulers = [
            getattr(one.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options))
            for one, optimizer in zip((lib, other), optimizers, strict=True)
        ]
        walk(optimizers[0], schedulers[0], range(10))
        optimizers[1].load_state_dict(optimizers[0].state_dict())
        schedulers[1].load_state_dict(schedulers[0].state_dict())
        seen.append(walk(optimizers[1], schedulers[1], range(10, 20)))
        schedulers = [
            getattr(one.optim.lr_scheduler, name)(optimizer, **copy.deepcopy(options), last_epoch=7)
            for one, optimizer in zip((lib, other), optimizers, strict=True)
            if name != "ReduceLROnPlateau"
        ]
        seen[-1] += [walk(optimizers[1], scheduler, range(3)) for scheduler in schedulers[1:]]
    same(seen[0], seen[2])
    same(seen[1], seen[2])


COMPOSED = """
s.SequentialLR(o, [s.ConstantLR(o, 0.1, 5), s.ExponentialLR(o, 0.9)], [8])
s.SequentialLR(o, [s.LinearLR(o, 0.1), s.CosineAnnealingLR(o, 20), s.StepLR(o, 3)], [5, 25])
s.SequentialLR(o, [s.LambdaLR(o, lambda e: 1 / (1 + e)), s.OneCycleLR(o, 0.5, 60)], [4])
s.SequentialLR(o, [s.ChainedScheduler([s.StepLR(o, 2), s.ExponentialLR(o, 0.9)]), s.PolynomialLR(o, 9)], [20])
s.SequentialLR(o, [s.SequentialLR(o, [s.StepLR(o, 2), s.StepLR(o, 3, 0.5)], [3]), s.ExponentialLR(o, 0.9)], [7])
s.ChainedScheduler([s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.9)])
s.ChainedScheduler([s.LinearLR(o), s.MultiStepLR(o, [3, 9]), s.CyclicLR(o, 0.1, 0.2, 4)], optimizer=o)
"""


@pytest.mark.parametrize("text", COMPOSED.strip().splitlines())
def test_composed_schedules_are_pytorchs(torch: Any, text: str) -> None:
    seen = []
    for lib in (tensorkit, torch):
        optimizer = optimizer_of(lib)
        names = {"s": lib.optim.lr_scheduler, "o": optimizer}
        with recorded() as warned:
            scheduler = eval(text, names)
            walked = walk(optimizer, scheduler, range(STEPS))
            other = eval(text, names)
            other.load_state_dict(scheduler.state_dict())
            walked += walk(optimizer, other, range(5))
        seen.append([*walked, [str(one.message) for one in warned]])
    same(*seen)


#: Programs whose last line is what is compared: its text, or the error.
PROGRAMS = """
s.StepLR(3, 1)
s.StepLR(o)
s.StepLR(o, 1, verbose=True)
s.StepLR(o, 1, last_epoch=3)
s.ReduceLROnPlateau(3)
s.CyclicLR(3, 1, 2)
s.OneCycleLR(3, 1, 2)
s.LambdaLR(o, [lambda e: 1])
s.MultiplicativeLR(o, [1, 2, 3])
s.MultiplicativeLR(o, 3)
s.ConstantLR(o, 1.5)
s.LinearLR(o, 0)
s.LinearLR(o, 0.5, 1.5)
s.CosineAnnealingWarmRestarts(o, 0)
s.CosineAnnealingWarmRestarts(o, 2.5)
s.CosineAnnealingWarmRestarts(o, 2, 0)
s.CosineAnnealingWarmRestarts(o, 2, 1, 'a')
s.CosineAnnealingWarmRestarts(o, 2).step(-1)
c = s.CosineAnnealingWarmRestarts(o, 4, 2); c.step(9.25); (c.get_last_lr(), c.T_cur, c.T_i, c.last_epoch)
s.CyclicLR(o, 0.1, 0.2, mode='other')
s.CyclicLR(o, [0.1], 0.2)
s.CyclicLR(o, 0.1, [0.1, 0.2, 0.3])
s.CyclicLR(lib.optim.Adagrad([lib.ones(1)]), 0.1, 0.2)
s.OneCycleLR(o, 0.1)
s.OneCycleLR(o, 0.1, 0)
s.OneCycleLR(o, 0.1, epochs=3)
s.OneCycleLR(o, 0.1, epochs=0, steps_per_epoch=1)
s.OneCycleLR(o, 0.1, epochs=1, steps_per_epoch=1.5)
s.OneCycleLR(o, 0.1, 10, pct_start=2)
s.OneCycleLR(o, 0.1, 10, pct_start=1)
s.OneCycleLR(o, 0.1, 10, anneal_strategy='other')
s.OneCycleLR(o, [0.1], 10)
s.OneCycleLR(lib.optim.Adagrad([lib.ones(1)]), 0.1, 10)
c = s.OneCycleLR(o, 0.1, 2); o.step(); c.step(); c.step(); c.step()
s.ReduceLROnPlateau(o, factor=1)
s.ReduceLROnPlateau(o, mode='other')
s.ReduceLROnPlateau(o, threshold_mode='other')
s.ReduceLROnPlateau(o, min_lr=[1])
c = s.ReduceLROnPlateau(o, patience=0, min_lr=[0, 0]); o.add_param_group({'params': lib.ones(3)}); c.step(1); c.step(1)
c = s.ReduceLROnPlateau(o, min_lr=0.03); o.add_param_group({'params': lib.ones(3)}); c.step(1, 7); c.get_last_lr()
c = s.ReduceLROnPlateau(o, 'max', .5, 0, min_lr=.04); o.add_param_group({'params': v}); c.step(1); c.step(1); c.min_lrs
s.SequentialLR(o, [], [])
s.SequentialLR(o, [s.StepLR(o, 1)], [3])
s.SequentialLR(o, [3], [])
s.SequentialLR(o, [s.ReduceLROnPlateau(o)], [])
s.SequentialLR(p, [s.StepLR(o, 1)], [])
s.ChainedScheduler([])
s.ChainedScheduler([s.StepLR(o, 1), 3])
s.ChainedScheduler([s.StepLR(o, 1), s.ReduceLROnPlateau(o)])
s.ChainedScheduler([s.StepLR(o, 1), s.StepLR(p, 1)])
s.LRScheduler(o)
c = s.StepLR(o, 1); c.step()
c = s.StepLR(o, 1); o.step(); c.step(); c.get_lr()
c = s.StepLR(o, 1); o.step = lambda: 3; c.step()
c = s.ExponentialLR(o, 0.5); d = s.StepLR(o, 1); o.step(); c.step(); d.step(); o.param_groups[0]['lr']
[type(s.StepLR(o, 1)), type(s.OneCycleLR(o, 1, 2)), s._LRScheduler.__mro__]
issubclass(s.StepLR, s._LRScheduler), issubclass(s.StepLR, s.LRScheduler), issubclass(s._LRScheduler, s.LRScheduler)
s.EPOCH_DEPRECATION_WARNING
"""


def outcome(lib: Any, program: str) -> tuple[str, list[Any]]:
    *first, last = program.split("; ")
    names = {"lib": lib, "s": lib.optim.lr_scheduler, "o": optimizer_of(lib), "p": optimizer_of(lib, "Adam")}
    names["v"] = lib.zeros(3, requires_grad=True)
    with recorded() as warned:
        try:
            exec("\n".join(first), names)
            said = repr(eval(last, names)).partition(" object at ")[0]
        except Exception as error:
            said = f"{type(error).__name__}: {sentence(error)}"
    return said.replace("torch.", "tensorkit."), [(str(one.message), one.category) for one in warned]


@pytest.mark.parametrize("program", PROGRAMS.strip().splitlines())
def test_a_program_says_what_pytorch_says(torch: Any, program: str) -> None:
    assert outcome(tensorkit, program) == outcome(torch, program)


def test_a_schedule_of_ones_own(torch: Any) -> None:
    def run(lib: Any) -> Any:
        class Halves(lib.optim.lr_scheduler._LRScheduler):  # type: ignore[misc]
            def get_lr(self) -> list[float]:
                return [lr / 2**self.last_epoch for lr in self.base_lrs]

        optimizer = optimizer_of(lib)
        return walk(optimizer, Halves(optimizer), range(5))

    same(run(tensorkit), run(torch))


def test_every_schedule_has_pytorchs_names(torch: Any) -> None:
    own, theirs = tensorkit.optim.lr_scheduler, torch.optim.lr_scheduler
    assert set(theirs.__all__) <= set(own.__all__)
    for name in theirs.__all__:
        ours = getattr(own, name).__init__.__code__
        other = getattr(theirs, name).__init__.__code__
        count = other.co_argcount
        assert ours.co_varnames[:count] == other.co_varnames[:count], name
        assert getattr(own, name).__init__.__defaults__ == getattr(theirs, name).__init__.__defaults__
