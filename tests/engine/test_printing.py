"""The text of tensors and storages against PyTorch's, character for character."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tensorkit as tk
from tensorkit import dtypes, tracing
from tensorkit.printing import element_texts
from tensorkit.tensor import fresh
from tests.torch_oracle import exhaust, fuzz_seconds, require_torch

NAN, INF = float("nan"), float("inf")
KINDS = tuple(kind.name for kind in dtypes.ALL)
# Numbers on both sides of every rule: whole or not, below 1e-4, above 1e8, a ratio above 1000, rounding up.
TELLING = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 1 / 3, 1e-4, 9.9999e-5, 1e-5, 1e8, 100000001.0, 999.5, 1000.0, 1000.5),
    *(-123.456, NAN, INF, -INF, 1e-45, 1e38, 3e-320, 1e300, 12345678.0, 0.99995, 9.99995, 99.99995, 7.0),
)
SETTINGS: dict[str, tuple[Any, ...]] = {
    "precision": (0, 1, 2, 6, 10),
    "threshold": (0, 5, 50, 1000, INF),
    "edgeitems": (0, 1, 2, 5),
    "linewidth": (1, 20, 60, 120),
    "profile": ("short", "full", "default"),
    "sci_mode": (True, False),
}


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    tk.set_printoptions(profile="default")
    yield
    tk.set_printoptions(profile="default")


def ours_from(torch_tensor: Any) -> tk.Tensor:
    """The same elements, row-major, as our tensor."""
    whole = torch_tensor.contiguous()
    name = str(whole.dtype).removeprefix("torch.")
    if name == "bfloat16":
        array = whole.view(require_torch().int16).numpy().view(ml_dtypes.bfloat16)
    else:
        array = whole.numpy()
    return fresh(array.reshape(tuple(whole.shape)), getattr(dtypes, name))


def in_our_names(text: str) -> str:
    return text.replace("torch.", "tensorkit.")


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, ...]:
    ndim = draw(st.sampled_from((0, 1, 1, 2, 2, 3, 4, 5, 6)))
    long, middle = (0, 1, 2, 5, 30, 200, 1000, 1001, 1500), (0, 1, 2, 3, 6, 7, 8, 20, 30)
    lengths = long if ndim == 1 else middle if ndim < 4 else (0, 1, 2, 3, 7)
    return tuple(draw(st.sampled_from(lengths)) for _ in range(ndim))


@st.composite
def palettes(draw: st.DrawFn) -> list[float]:
    """The few numbers that a tensor is made of."""
    return draw(
        st.one_of(
            st.lists(st.sampled_from(TELLING), min_size=1, max_size=6),
            st.lists(st.floats(-2, 2), min_size=1, max_size=6),
            st.lists(st.integers(-(10**9), 10**9).map(float), min_size=1, max_size=6),
            st.lists(st.floats(width=32), min_size=1, max_size=6),
        )
    )


OPTIONS = st.one_of(
    st.just({}),
    st.just({}),
    st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in SETTINGS.items()}),
)


def tensor_of(torch: Any, kind: str, size: tuple[int, ...], palette: list[float]) -> Any:
    """A torch tensor that goes through the palette in a fixed, uneven rhythm."""
    count = int(numpy.prod(size, dtype=numpy.int64))
    rhythm = (numpy.arange(count) * 7 // 3) % len(palette)
    values = torch.from_numpy(numpy.array(palette)[rhythm])
    dtype = getattr(torch, kind)
    if dtype.is_complex:
        values = torch.complex(values, values.flip(0))
    elif not dtype.is_floating_point:
        values = values.nan_to_num(0.0, 1e9, -1e9).clamp(-1e18, 1e18).to(torch.int64)
    return values.to(dtype).reshape(size)


@pytest.mark.parity
def test_any_tensor_under_any_options_has_pytorchs_text() -> None:
    torch = require_torch()
    seen: Counter[str] = Counter()

    @settings(
        max_examples=700,
        derandomize=fuzz_seconds() == 0,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(KINDS), sizes(), palettes(), OPTIONS)
    def check(kind: str, size: tuple[int, ...], palette: list[float], options: dict[str, Any]) -> None:
        theirs = tensor_of(torch, kind, size, palette)
        ours = ours_from(theirs)
        for module in (torch, tk):
            module.set_printoptions(profile="default")
            module.set_printoptions(**options)
        try:
            text = repr(ours)
            assert text == in_our_names(repr(theirs))
        finally:
            torch.set_printoptions(profile="default")
        seen.update([kind, f"{len(size)}-d", *options])
        seen["cut short"] += "..." in text
        seen["scientific"] += "e+" in text or "e-" in text
        seen["empty"] += 0 in size
        seen["many lines"] += "\n" in text

    exhaust(check, "printing")
    print(dict(sorted(seen.items())))
    wanted = (
        *KINDS,
        *SETTINGS,
        *(f"{n}-d" for n in range(7)),
        "cut short",
        "scientific",
        "empty",
        "many lines",
    )
    for case in wanted:
        assert seen[case] > 0, f"no case of {case!r} was tried"


EXPRESSIONS = """
tk.tensor(3.5)
tk.tensor(-0.0)
tk.tensor(7)
tk.tensor(True)
tk.tensor(1 + 2j)
tk.tensor([1.0, 1000.0])
tk.tensor([1.0, 1001.0])
tk.tensor([0.5, 500.0])
tk.tensor(1e8)
tk.tensor(1e8 + 8)
tk.tensor(1e-4, dtype=tk.float64)
tk.tensor(9.99999e-5, dtype=tk.float64)
tk.tensor([])
tk.zeros(0, 3)
tk.zeros(2, 0, 3, dtype=tk.int32)
tk.zeros(0, dtype=tk.int64)
tk.zeros(2, 3, dtype=tk.float64)
tk.empty(2, 3, device="meta")
tk.empty((), device="meta")
tk.empty(0, device="meta")
tk.empty(2, 3, device="meta", dtype=tk.int64)
tk.arange(25)
tk.arange(25.0)
tk.arange(24).view(2, 3, 4)
tk.arange(24).view(2, 3, 4).permute(2, 0, 1)
tk.arange(3000).view(50, 60).t()
tk.arange(3000)[1::2]
tk.arange(12).view(3, 4)[1:, ::2]
tk.zeros(1).expand(1000)
tk.zeros(1).expand(10**9)
tk.zeros(1, 1).expand(10**5, 10**5)
tk.arange(4).as_strided((3, 3), (1, 0), 1)
tk.zeros(30, 30) - 1
tk.tensor([1.0, float("nan")])
tk.zeros(3, dtype=tk.bfloat16)
tk.Size([2, 3])
tk.Size([])
str(tk.tensor([1.5]))
f"{tk.tensor(3.14159):.2f}"
f"{tk.tensor(3.14159)}"
f"{tk.tensor(3):>5}"
f"{tk.tensor([3])}"
f"{tk.tensor([3]):>5}"
f"{tk.tensor(True)}"
f"{tk.empty((), device='meta')}"
tk.tensor([1.0, 2.0]).__repr__(tensor_contents="1 and 2")
tk.zeros(0, 2).__repr__(tensor_contents="nothing")
tk.empty(2, device="meta").__repr__(tensor_contents="something")
tk.tensor([1.0, 1 / 3]).untyped_storage()
tk.zeros(0).untyped_storage()
""".strip().splitlines()


def written(module: Any, expression: str) -> str:
    try:
        return in_our_names(repr(eval(expression, {"tk": module})))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parity
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_print_as_in_pytorch(expression: str) -> None:
    assert written(tk, expression) == written(require_torch(), expression)


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated:UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_typed_storages_print_as_in_pytorch(kind: str) -> None:
    torch = require_torch()
    for values in ([1.0, 0.0, 1.0], []):
        theirs = torch.tensor(values).to(getattr(torch, kind))
        ours = tk.tensor(values).to(getattr(dtypes, kind))
        assert repr(ours.storage()) == in_our_names(repr(theirs.storage()))


@pytest.mark.parity
def test_the_default_dtype_is_the_one_left_unsaid() -> None:
    torch = require_torch()
    for default in ("float64", "float16"):
        for module in (torch, tk):
            module.set_default_dtype(getattr(module, default))
        try:
            for kind in ("float32", "float64", "float16", "complex64", "complex128", "int64"):
                theirs = torch.ones(2).to(getattr(torch, kind))
                assert repr(ours_from(theirs)) == in_our_names(repr(theirs))
                assert repr(ours_from(theirs[:0])) == in_our_names(repr(theirs[:0]))
        finally:
            for module in (torch, tk):
                module.set_default_dtype(module.float32)


# -- without PyTorch ----------------------------------------------------------------------------------------


class AddBackward0:
    """Stands for a node of the graph: only its class's name is printed."""


def test_what_autograd_knows_follows_the_numbers() -> None:
    class Recorded(tk.Tensor):
        requires_grad = True
        grad_fn: object = None

    leaf = fresh(numpy.zeros(2, numpy.float32), dtypes.float32)
    leaf.__class__ = Recorded  # type: ignore[assignment]
    assert repr(leaf) == "Recorded([0., 0.], requires_grad=True)"
    Recorded.grad_fn = AddBackward0()
    assert repr(leaf) == "Recorded([0., 0.], grad_fn=<AddBackward0>)"


def test_only_what_is_shown_is_read() -> None:
    wide = tk.zeros(1, 1, 1).expand(1000, 1000, 1000)
    started = time.thread_time()
    text = repr(wide)
    assert time.thread_time() - started < 0.1
    assert text.count("0.") == 6**3


def test_a_million_elements_print_at_once() -> None:
    large = tk.arange(1_000_000).view(1000, 1000)
    repr(large)
    started = time.thread_time()
    repr(large)
    assert time.thread_time() - started < 0.005 * 4  # 5 ms; four times that on a busy machine


def test_a_cuda_tensor_says_so_and_only_its_corners_are_copied() -> None:
    host = tk.arange(90_000).view(300, 300)
    with tk.cuda.emulate(devices=2):
        assert repr(tk.tensor([1.5], device="cuda:1")) == "tensor([1.5000], device='cuda:1')"
        assert repr(tk.zeros(0, 2, device="cuda")) == "tensor([], device='cuda:0', size=(0, 2))"
        assert f"{tk.tensor(7, device='cuda')}" == "7"
        there = host.to("cuda").t()
        with tracing.record() as events:
            text = repr(there)
        assert text == repr(host.t())[:-1] + ", device='cuda:0')"
        copied = sum(
            event.nbytes
            for event in events
            if isinstance(event, tracing.CopyEvent) and event.source != event.target
        )
        assert copied == 6 * 6 * 8


def test_options_keep_what_is_not_given_but_sci_mode_goes_back() -> None:
    tk.set_printoptions(precision=2, sci_mode=True)
    assert repr(tk.tensor(2.5)) == "tensor(2.50e+00)"
    tk.set_printoptions(linewidth=20)
    assert repr(tk.tensor(2.5)) == "tensor(2.50)"


def test_element_texts_share_one_width() -> None:
    assert element_texts(numpy.array([[1.5, -20.0]])) == (["  1.5000", "-20.0000"], 8)
    assert element_texts(numpy.array([True, False])) == ([" True", "False"], 5)
    assert element_texts(numpy.array([1 + 2j, 10 - 3j]))[0] == [" 1.+2.j", "10.-3.j"]
    assert element_texts(numpy.array([], numpy.float32)) == ([], 1)
