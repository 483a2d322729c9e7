"""The base class of optimizers: groups, states, hooks, text and errors, as PyTorch has them."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from typing import Any

import pytest

import tensorkit
from tests.support.warnings import recorded
from tests.torch_oracle import sentence
from tests.training.optim.training import CASES, arrays, distance, flat, make, train

pytestmark = pytest.mark.parity

BEGIN = "w = lib.ones(2, requires_grad=True); v = lib.zeros(3, requires_grad=True); optim = lib.optim\n"

#: Programs whose last line is what is compared: its text, or the error.
PROGRAMS = """
optim.SGD([])
optim.SGD(w)
optim.SGD([w, 3])
optim.SGD([w * 2])
optim.SGD({w})
optim.SGD([{'params': {w}}])
optim.SGD([w, w])
optim.SGD([{'params': w}, {'params': [w]}])
optim.SGD([{'params': w, 'lr': 0.5}, {'params': [v], 'momentum': 0.9}], lr=0.1)
optim.SGD([('w', w), ('v', v)]).param_groups[0]['param_names']
optim.SGD([('w', w), v])
o = optim.SGD([('w', w)]); o.add_param_group({'params': [v]})
o = optim.SGD([w]); o.add_param_group({'params': [('v', v)]})
o = optim.SGD([w]); o.add_param_group([v])
o = optim.SGD([w]); o.add_param_group({'params': v, 'lr': 3}); o
optim.SGD([w], lr=-1)
optim.SGD([w], momentum=-1)
optim.SGD([w], weight_decay=-1)
optim.SGD([w], nesterov=True)
optim.SGD([w], nesterov=True, momentum=0.9, dampening=0.5)
optim.SGD([w], lr=lib.ones(2))
optim.SGD([w], fused=True, foreach=True)
optim.SGD([w], fused=True, differentiable=True)
optim.SGD([w], lr=lib.tensor(0.5))
optim.SGD([w], lr=0.1, unknown=1)
optim.SGD()
optim.Adam([w])
optim.Adam([w], lr=-1)
optim.Adam([w], lr=float('nan'))
optim.Adam([w], eps=-1)
optim.Adam([w], betas=(1.0, 0.5))
optim.Adam([w], betas=(0.5, -0.5))
optim.Adam([w], betas=(0.5, 0))
optim.Adam([w], betas=(0.5, lib.tensor(0.5)))
optim.Adam([w], weight_decay=-1)
optim.Adam([w], lr=lib.tensor(0.1), foreach=True)
optim.Adam([w], lr=lib.ones(2))
optim.Adam([w], betas=(lib.tensor(0.1), lib.tensor(0.1)), foreach=True)
optim.Adam([w], betas=(lib.ones(2), lib.ones(2)) if 0 else (lib.tensor([0.5]), lib.tensor([0.5])))
optim.Adam([w], fused=True, foreach=True)
z = lib.ones(2, dtype=lib.complex64, requires_grad=True); z.grad = z.detach(); optim.Adam([z], fused=True).step()
z = lib.ones(2, dtype=lib.complex64, requires_grad=True); z.grad = z.detach(); optim.SGD([z], fused=True).step()
optim.AdamW([w])
optim.AdamW([w], decoupled_weight_decay=True)
optim.RMSprop([w])
optim.RMSprop([w], alpha=-1)
optim.RMSprop([w], momentum=-1)
optim.RMSprop([w], eps=-1)
optim.Adagrad([w])
optim.Adagrad([w], lr_decay=-1)
optim.Adagrad([w], initial_accumulator_value=-1)
optim.Adagrad([w], fused=True, differentiable=True)
optim.Adagrad([w]).state_dict()
optim.Adagrad([w], initial_accumulator_value=0.5, fused=True).state_dict()
optim.Adadelta([w])
optim.Adadelta([w], rho=1.5)
optim.Adamax([w])
optim.Adamax([w], betas=(2, 0))
optim.NAdam([w])
optim.NAdam([w], momentum_decay=-1)
optim.RAdam([w])
optim.Rprop([w])
optim.Rprop([w], etas=(1.5, 2))
optim.ASGD([w])
optim.ASGD([w], weight_decay=-1)
optim.LBFGS([w])
optim.LBFGS([w], max_iter=7)
optim.LBFGS([{'params': w}, {'params': v}])
optim.LBFGS([w]).step()
w.grad = w.detach(); o = optim.LBFGS([w], line_search_fn='wolfe'); o.step(lambda: 1.0)
optim.Optimizer([w], {})
optim.Optimizer([w], {'lr': 1, 'b': 'text'})
optim.Optimizer([w], {}).step()
optim.Optimizer([{'params': [w]}], {'lr': __import__(lib.__name__ + '.optim.optimizer', fromlist=['x']).required})
o = optim.SGD([w, v]); o.state_dict()
o = optim.Adagrad([{'params': [w, v], 'lr': 1}, {'params': lib.zeros(1)}]); o.state_dict()
o = optim.Adagrad([{'params': [('w', w), ('v', v)]}, {'params': [('x', lib.zeros(1))]}]); o.state_dict()
o = optim.SGD([w, v], momentum=0.5); w.grad = w.detach() * 2; o.step(); o.state_dict()
o = optim.SGD([w, v]); w.grad = w.detach() * 2; o.step(); o.state_dict()
o = optim.Adam([v, w], amsgrad=True); w.grad = w.detach() * 2; o.step(); o.state_dict()
o = optim.AdamW([w], fused=True); w.grad = w.detach() * 2; o.step(); o.state_dict()
o = optim.RMSprop([w], momentum=0.5, centered=True); w.grad = w.detach() * 2; o.step(); o.state_dict()
o = optim.NAdam([w]); w.grad = w.detach() * 2; o.step(); o.state_dict()
o = optim.ASGD([w], lr=0.5); w.grad = w.detach() * 2; o.step(); o.state_dict()
o = optim.Rprop([w], lr=0.5); w.grad = w.detach() * 2; o.step(); o.state_dict()
o = optim.SGD([w]); o.load_state_dict(optim.SGD([{'params': w}, {'params': v}]).state_dict())
o = optim.SGD([w]); o.load_state_dict(optim.SGD([w, v]).state_dict())
o = optim.SGD([('w', w)]); o.load_state_dict(optim.SGD([v], lr=7).state_dict()); o
o = optim.SGD([w]); o.load_state_dict(optim.SGD([('v', v)], lr=7).state_dict()); o
load(optim.SGD([w]), {}, more=[v])
load(optim.Adam([w]), {'step': 4, 'exp_avg': lib.ones(2).double()}, lr=3)
load(optim.NAdam([w]), {'step': 4, 'mu_product': 0.5})
load(optim.SGD([w]), {'momentum_buffer': [v, (1, v)]})
load(optim.Adagrad([w]), {'step': 3})
load(optim.ASGD([w]), {'step': 3, 'eta': 0.5, 'mu': 1})
o = optim.AdamW([w]); o.load_state_dict(optim.Adam([w]).state_dict()); o
o = optim.SGD([w]); w.grad = w.detach(); o.zero_grad(); w.grad
o = optim.SGD([w]); w.grad = w.detach().clone(); o.zero_grad(set_to_none=False); w.grad
o = optim.SGD([w]); w.grad = v[:2] * 2 + 1; o.zero_grad(False); w.grad
o = optim.SGD([w], lr=0.5); w.grad = w.detach().clone(); o.step(lambda: 'the loss'), w
o = optim.SGD([w]); o.register_step_pre_hook(lambda *a: 3); o.step()
o = optim.Adam([w], capturable=True); w.grad = w.detach(); o.step()
o = optim.Adam([w], capturable=True, foreach=True); w.grad = w.detach(); o.step()
o = optim.RMSprop([w], capturable=True, foreach=True); w.grad = w.detach(); o.step()
o = optim.Adadelta([w], capturable=True); w.grad = w.detach(); o.step()
o = optim.NAdam([w], capturable=True); w.grad = w.detach(); o.step()
o = optim.ASGD([w], capturable=True); w.grad = w.detach(); o.step()
o = optim.Rprop([w], capturable=True); w.grad = w.detach(); o.step()
o = optim.SGD([w], differentiable=True, foreach=True); w.grad = w.detach(); o.step()
o = optim.Adam([w], differentiable=True, foreach=True); w.grad = w.detach(); o.step()
o = optim.Adam([w], foreach=True); o.param_groups[0]['lr'] = lib.tensor(0.1); w.grad = w.detach(); o.step()
"""


def loaded(optimizer: Any, state: dict[str, Any], **options: Any) -> Any:
    """The state dict of an optimizer that has loaded another one, as it may have been written years ago."""
    optimizer.load_state_dict({"state": {9: state, "more": 7}, "param_groups": [{"params": [9], **options}]})
    return optimizer.state_dict()


def outcome(lib: Any, program: str) -> tuple[str, list[str]]:
    """The text of the last expression of a program, or its error; and the warnings."""
    *first, last = program.split("; ") if "lambda" not in program or "; " in program else [program]
    names: dict[str, Any] = {"lib": lib, "load": loaded}
    with recorded() as warned:
        try:
            exec(BEGIN + "\n".join(first), names)
            said = repr(eval(last, names))
        except Exception as error:
            said = f"{type(error).__name__}: {sentence(error)}"
    plain = re.sub("<function .* at 0x.*>", "<function>", said.replace("torch.", "tensorkit."))
    return plain, [str(one.message).replace("torch.", "tensorkit.") for one in warned]


@pytest.mark.parametrize("program", PROGRAMS.strip().splitlines())
def test_a_program_says_what_pytorch_says(torch: Any, program: str) -> None:
    own, theirs = outcome(tensorkit, program), outcome(torch, program)
    assert own == theirs


def test_hooks_are_called_in_pytorchs_order(torch: Any) -> None:
    def run(lib: Any) -> list[Any]:
        seen: list[Any] = []
        w = lib.ones(2, requires_grad=True)
        w.grad = lib.ones(2)
        optimizer, place = lib.optim.SGD([w], lr=0.5), lib.optim.optimizer if lib is tensorkit else None
        if place is None:
            place = __import__("torch.optim.optimizer", fromlist=["optimizer"])
        handles = [
            place.register_optimizer_step_pre_hook(lambda *a: seen.append("before all")),
            place.register_optimizer_step_post_hook(lambda *a: seen.append("after all")),
            optimizer.register_step_pre_hook(lambda o, a, k: ((o, lambda: "changed"), k)),
            optimizer.register_step_post_hook(lambda o, a, k: seen.append(("after", len(a), k))),
            optimizer.register_state_dict_pre_hook(lambda o: seen.append("saving")),
            optimizer.register_state_dict_pre_hook(lambda o: seen.append("saving first"), prepend=True),
            optimizer.register_state_dict_post_hook(lambda o, s: {**s, "more": 1}),
            optimizer.register_load_state_dict_pre_hook(lambda o, s: seen.append(sorted(s))),
            optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded")),
        ]
        seen.append(optimizer.step())
        optimizer.load_state_dict(optimizer.state_dict())
        for handle in handles:
            handle.remove()
        seen.append(optimizer.step())
        seen.append(sorted(optimizer.state_dict()))
        return seen

    assert run(tensorkit) == run(torch)
    assert "changed" in run(tensorkit)


def test_a_class_of_ones_own_is_an_optimizer(torch: Any) -> None:
    def run(lib: Any) -> Any:
        class Half(lib.optim.Optimizer):  # type: ignore[misc]
            def __init__(self, params: Any) -> None:
                super().__init__(params, {"lr": 0.5})

            @lib.no_grad()  # type: ignore[untyped-decorator]
            def step(self, closure: Any = None) -> None:
                for group in self.param_groups:
                    for param in group["params"]:
                        param.add_(param.grad, alpha=-group["lr"])
                        self.state[param]["seen"] = self.state[param].get("seen", 0) + 1

        w = lib.tensor([1.0, 2.0], requires_grad=True)
        optimizer, called = Half([w]), []
        optimizer.register_step_post_hook(lambda *a: called.append(1))
        for _ in range(2):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
        return repr(optimizer), w.tolist(), optimizer.state_dict(), called

    assert run(tensorkit) == run(torch)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_goes_on_alone(duplicate: Any) -> None:
    w = tensorkit.tensor([1.0, 2.0], requires_grad=True)
    optimizer = tensorkit.optim.Adam([w], lr=0.1)
    w.grad = tensorkit.ones(2)
    optimizer.step()
    other = duplicate(optimizer)
    (theirs,) = other.param_groups[0]["params"]
    assert repr(other) == repr(optimizer)
    assert theirs is not w
    theirs.grad = tensorkit.ones(2)
    optimizer.step()
    assert not theirs.equal(w)
    other.step()
    assert theirs.equal(w)
    assert list(other.state) == [theirs]


def test_every_optimizer_has_pytorchs_signature(torch: Any) -> None:
    for name in tensorkit.optim.__all__:
        if name != "lr_scheduler":
            own, theirs = (
                [
                    (one.name, one.kind, one.default)
                    for one in inspect.signature(getattr(lib.optim, name).__init__).parameters.values()
                ]
                for lib in (tensorkit, torch)
            )
            assert own == theirs, name


def test_emulated_devices_give_the_numbers_of_the_cpu() -> None:
    def run(name: str, device: str) -> Any:
        params = [param.detach().to(device).requires_grad_() for param in make(tensorkit, "float32")]
        capturable = {"capturable": True} if device == "cuda" and name not in ("SGD", "Adagrad") else {}
        optimizer = getattr(tensorkit.optim, name)(params, **CASES[name][1], **capturable)
        train(tensorkit, optimizer, params, "float32", 2)
        state = optimizer.state_dict()["state"]
        assert (
            all(one.device.type == device for part in state.values() for one in part.values())
            or not capturable
        )
        return flat(arrays([params, state]))

    with tensorkit.cuda.emulate():
        for name in CASES:
            assert distance(run(name, "cuda"), run(name, "cpu"), "float32") < 16, name
