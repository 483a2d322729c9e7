"""In a region of `autocast` each operation computes in the dtype that PyTorch's does, and gives nearly the same."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit.amp import casting
from tensorkit.dispatch.registry import registry
from tests.torch_oracle import require_torch

# Each is given the library, its functions, and what draws a tensor: of float32, or of bfloat16.
CASES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "mm": lambda t, f, g: t.mm(g(3, 4), g(4, 2)),
    "matmul": lambda t, f, g: g(2, 3, 4) @ g(4, 2),
    "mv": lambda t, f, g: t.mv(g(3, 3), g(3)),
    "bmm": lambda t, f, g: t.bmm(g(2, 3, 4), g(2, 4, 3)),
    "addmm": lambda t, f, g: t.addmm(g(3, 3), g(3, 3), g(3, 3)),
    "addbmm": lambda t, f, g: t.addbmm(g(3, 3), g(2, 3, 3), g(2, 3, 3)),
    "baddbmm": lambda t, f, g: t.baddbmm(g(2, 3, 3), g(2, 3, 3), g(2, 3, 3)),
    "linear": lambda t, f, g: f.linear(g(3, 3), g(3, 3), g(3)),
    "einsum": lambda t, f, g: t.einsum("ij,jk->ik", g(3, 3), g(3, 3)),
    "tensordot": lambda t, f, g: t.tensordot(g(3, 3), g(3, 3), 1),
    "multi_dot": lambda t, f, g: t.linalg.multi_dot([g(3, 3), g(3, 3)]),
    "matrix_power": lambda t, f, g: t.matrix_power(g(3, 3), 2),
    "out": lambda t, f, g: t.mm(g(3, 3), g(3, 3), out=g(3, 3)),
    "in place": lambda t, f, g: g(3, 3).addmm_(g(3, 3), g(3, 3)),
    "conv1d": lambda t, f, g: f.conv1d(g(1, 2, 5), g(3, 2, 3)),
    "conv2d": lambda t, f, g: f.conv2d(g(1, 2, 5, 5), g(3, 2, 3, 3), g(3), padding=1),
    "conv_transpose2d": lambda t, f, g: f.conv_transpose2d(g(1, 2, 5, 5), g(2, 3, 3, 3)),
    "attention": lambda t, f, g: f.scaled_dot_product_attention(g(1, 2, 3, 4), g(1, 2, 3, 4), g(1, 2, 3, 4)),
    "prelu": lambda t, f, g: f.prelu(g(3) - 0.3, g(1)),
    "rnn_cell": lambda t, f, g: t.rnn_tanh_cell(g(2, 3), g(2, 3), g(3, 3), g(3, 3)),
    "lstm_cell": lambda t, f, g: t.lstm_cell(g(2, 3), (g(2, 3), g(2, 3)), g(12, 3), g(12, 3))[0],
    "softmax": lambda t, f, g: f.softmax(g(3), 0),
    "layer_norm": lambda t, f, g: f.layer_norm(g(3, 3), (3,)),
    "exp": lambda t, f, g: g(3).exp(),
    "pow": lambda t, f, g: g(3) ** 2,
    "sum": lambda t, f, g: g(3).sum(),
    "prod": lambda t, f, g: g(3).prod(),
    "add": lambda t, f, g: g(3) + 1,
    "mse_loss": lambda t, f, g: f.mse_loss(g(3), g(3)),
    "l1_loss": lambda t, f, g: f.l1_loss(g(3), g(3)),
    "bce": lambda t, f, g: f.binary_cross_entropy(g(3), g(3)),
    "bce_with_logits": lambda t, f, g: f.binary_cross_entropy_with_logits(g(3), g(3)),
    "cross_entropy": lambda t, f, g: f.cross_entropy(g(3, 3), t.tensor([0, 1, 2])),
    "kl_div": lambda t, f, g: f.kl_div(g(3), g(3), reduction="sum"),
    "cdist": lambda t, f, g: t.cdist(g(3, 3), g(3, 3)),
    "inverse": lambda t, f, g: t.linalg.inv(g(3, 3) + 2 * t.eye(3, dtype=g(1).dtype)),
    "fft": lambda t, f, g: t.fft.rfft(g(4)),
    "reflect": lambda t, f, g: f.pad(g(1, 4), (1, 1), mode="reflect"),
    "constant": lambda t, f, g: f.pad(g(1, 4), (1, 1)),
    "max_pool2d": lambda t, f, g: f.max_pool2d(g(1, 1, 4, 4), 2),
    "mixed product": lambda t, f, g: g(3, 3) @ g(3, 3).bfloat16(),
    "mixed cat": lambda t, f, g: t.cat([g(3), g(3).bfloat16()]),
    "cat of three dtypes": lambda t, f, g: t.cat([g(3).half(), g(3).bfloat16()]),
    "float64": lambda t, f, g: f.linear(g(3, 3).double(), g(3, 3).double()),
    "whole numbers": lambda t, f, g: t.arange(4).view(2, 2) @ t.arange(4).view(2, 2),
    "own dtype": lambda t, f, g: g(3).bfloat16().prod(dtype=t.float64),
}


def drawn(lib: Any, kind: str) -> Callable[..., Any]:
    source = numpy.random.default_rng(0)

    def draw(*size: int) -> Any:
        return lib.tensor((source.random(size) * 0.5 + 0.1).tolist(), dtype=getattr(lib, kind))

    return draw


def numbers(tensor: Any) -> Any:
    tensor = tensor.detach()
    return tensor.numpy() if tensor.is_complex() else tensor.double().numpy()


@pytest.mark.parity
@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_an_operation_is_computed_in_pytorchs_dtype(name: str, kind: str) -> None:
    made = []
    for lib in (require_torch(), tk):
        with lib.autocast("cpu", dtype=lib.bfloat16):
            try:
                made.append(CASES[name](lib, lib.nn.functional, drawn(lib, kind)))
            except RuntimeError as error:
                made.append(str(error))
    theirs, ours = made
    if isinstance(theirs, str):
        assert ours == theirs
        return
    assert str(ours.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
    numpy.testing.assert_allclose(numbers(ours), numbers(theirs), rtol=1e-2, atol=1e-2)


def mlp(lib: Any) -> tuple[Any, Any]:
    nn = lib.nn
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 3)), (5, 6)


def conv_net(lib: Any) -> tuple[Any, Any]:
    nn = lib.nn
    layers = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)
    return nn.Sequential(*layers), (5, 1, 8, 8)


class Recurrent:
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __call__(self, lib: Any) -> tuple[Any, Any]:
        class Last(lib.nn.Module):  # type: ignore[misc]
            def __init__(inner) -> None:
                super().__init__()
                inner.read = getattr(lib.nn, self.kind)(6, 4, batch_first=True)
                inner.head = lib.nn.Linear(4, 3)

            def forward(inner, x: Any) -> Any:
                return inner.head(inner.read(x)[0][:, -1])

        return Last(), (5, 2, 6)


def trained(lib: Any, build: Callable[[Any], Any]) -> tuple[list[str], list[Any]]:
    """Two steps of training: the dtypes that were seen, and the losses, gradients and weights."""
    lib.manual_seed(0)
    model, size = build(lib)
    draw, target = drawn(lib, "float32"), lib.tensor([0, 1, 2, 0, 1])
    optimizer = lib.optim.SGD(model.parameters(), lr=0.1)
    scaler = lib.amp.GradScaler("cpu", enabled=False)
    kinds, seen = [], []
    for _ in range(2):
        optimizer.zero_grad()
        with lib.autocast("cpu", dtype=lib.bfloat16):
            output = model(draw(*size))
            loss = lib.nn.functional.cross_entropy(output, target)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        weights = list(model.parameters())
        kinds += [
            str(one.dtype).split(".")[1] for one in (output, loss, *weights, *(w.grad for w in weights))
        ]
        seen += [numbers(one) for one in (loss, *weights, *(w.grad for w in weights))]
    return kinds, seen


@pytest.mark.parity
@pytest.mark.parametrize("build", [mlp, conv_net, Recurrent("LSTM"), Recurrent("GRU")])
def test_a_step_of_training_is_pytorchs(build: Callable[[Any], Any]) -> None:
    kinds, seen = trained(tk, build)
    try:
        wanted_kinds, wanted = trained(require_torch(), build)
    except RuntimeError as refused:
        if "could not create a primitive descriptor" not in str(refused):
            raise
        pytest.skip("PyTorch's oneDNN has no bfloat16 kernel for this layer on this processor")
    assert kinds == wanted_kinds
    assert kinds[:3] == ["bfloat16", "float32", "float32"]
    for ours, theirs in zip(seen, wanted, strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-2, atol=1e-2)


def test_regions_within_regions() -> None:
    x = tk.ones(2, 2)
    kinds = []
    with tk.autocast("cpu", dtype=tk.float16):
        kinds.append((x @ x).dtype)
        with tk.autocast("cpu", enabled=False):
            kinds.append((x @ x).dtype)
            with tk.autocast("cpu", dtype=tk.bfloat16):
                kinds.append((x @ x).dtype)
        kinds.append((x @ x).dtype)
        elsewhere: list[Any] = []
        thread = threading.Thread(target=lambda: elsewhere.append((x @ x).dtype))
        thread.start()
        thread.join()
        kinds += elsewhere
    kinds.append((x @ x).dtype)
    assert kinds == [tk.float16, tk.float32, tk.bfloat16, tk.float16, tk.float32, tk.float32]
    assert not tk.tracing.active


@pytest.mark.parametrize("kept", [True, False])
def test_a_weight_is_cast_once_in_a_region(kept: bool) -> None:
    weight, x = tk.ones(2, 2, requires_grad=True), tk.ones(2, 2)
    with tk.autocast("cpu", cache_enabled=kept), tk.tracing.record() as events:
        with tk.autocast("cpu", cache_enabled=kept):
            total = (x @ weight).sum()
        total = total + (x @ weight).sum()
    casts = [one for one in events if isinstance(one, tk.tracing.OpEvent) and one.name == "to"]
    assert sum(one.args[0] is weight for one in casts) == (1 if kept else 2)
    total.backward()
    assert weight.grad is not None
    assert weight.grad.dtype == tk.float32
    assert weight.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]
    with tk.no_grad(), tk.autocast("cpu"):
        assert not (x @ weight).requires_grad
        with tk.enable_grad():
            assert (x @ weight).requires_grad


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_computes_again_in_its_region(reentrant: bool) -> None:
    weight, x = tk.ones(2, 2, requires_grad=True), tk.ones(2, 2, requires_grad=True)
    kinds = []

    def function(x: Any) -> Any:
        product = x @ weight
        kinds.append(product.dtype)
        return product.exp()

    with tk.autocast("cpu"):
        out = tk.utils.checkpoint.checkpoint(function, x, use_reentrant=reentrant)
    out.sum().backward()
    assert kinds == [tk.bfloat16, tk.bfloat16]
    assert weight.grad is not None
    assert weight.grad.dtype == tk.float32


def test_an_emulated_gpu_has_the_lists_of_cuda() -> None:
    with tk.cuda.emulate():
        x = tk.ones(3, 3, device="cuda")
        f = tk.nn.functional
        with tk.autocast("cuda"):
            half = x @ x
            made = [half, tk.mv(x, x[0]), half.exp(), half.softmax(0), half.sum(), half + 1, half.relu()]
            made += [f.layer_norm(half, (3,)), f.mse_loss(half, half), tk.cat([x, half])]
            made += [tk.addcmul(x, half, half), tk.addcmul(half, half, half), tk.ones(2, 2) @ tk.ones(2, 2)]
            kinds = "".join("h" if one.dtype is tk.float16 else "f" for one in made)
            assert kinds == "hhfffhhffffhf"
            with pytest.raises(RuntimeError, match="BCELoss are unsafe to autocast"):
                f.binary_cross_entropy(x, x)


def test_what_is_listed_is_an_operation() -> None:
    """But for functions that ask for the cast themselves."""
    for module in (tk.nn.functional, tk.fft, tk.linalg):
        assert module.__name__
    asking = {"gru", "l1_loss", "lstm", "lstm_packed", "rnn_relu", "rnn_tanh"}
    listed = {name for rules in casting._RULES.values() for name in rules}
    assert listed - set(registry) == asking


def test_outside_nothing_takes_the_long_way() -> None:
    with warnings.catch_warnings(), tk.autocast("cpu"):
        assert tk.tracing.active
        tk.clear_autocast_cache()
    assert not tk.tracing.active
    tk.set_autocast_enabled("cpu", True)
    assert (tk.ones(1, 1) @ tk.ones(1, 1)).dtype is tk.bfloat16
    tk.set_autocast_enabled("cpu", False)
    assert not tk.tracing.active
