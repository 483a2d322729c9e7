"""What Python, NumPy and other libraries ask of a tensor: question by question as in PyTorch, and what takes two."""

from __future__ import annotations

import copy
import math
import os
import pickle
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.elementwise import plan
from tests.parity.questions import disagreement, lines
from tests.torch_oracle import require_torch

FILES = (
    *("protocols", "tensors", "facts", "pandas", "keywords", "scripts", "counts"),
    *("histogramdd", "logsumexp", "rows_of_gradients", "windows"),
)
NUMBERS = (tk.float16, tk.float32, tk.float64, tk.bfloat16, tk.uint8, tk.int64, tk.bool, tk.complex64)


@pytest.mark.parity
@pytest.mark.parametrize("question", [line for name in FILES for line in lines(name)])
def test_the_answer_is_pytorchs(both_warn: Any, question: str) -> None:
    assert disagreement(both_warn, tk, question) is None


@pytest.mark.parity
def test_a_wrong_answer_would_be_seen(both_warn: Any) -> None:
    assert disagreement(both_warn, tk, "tk.ones(2) if tk.__name__ == 'torch' else tk.zeros(2)") is not None
    assert disagreement(both_warn, tk, "1 / (tk.__name__ == 'torch')") is not None
    assert disagreement(both_warn, tk, "tk.ones(2)") is None


# -- DLPack -------------------------------------------------------------------------------------------------------


@pytest.mark.parity
@pytest.mark.parametrize("kind", NUMBERS, ids=str)
def test_memory_goes_to_pytorch_and_back_without_a_copy(both_warn: Any, kind: Any) -> None:
    ours = tk.arange(6).to(kind).view(2, 3).t()
    theirs = both_warn.from_dlpack(ours)
    assert (str(theirs.dtype), theirs.stride()) == (
        str(ours.dtype).replace("tensorkit", "torch"),
        ours.stride(),
    )
    assert theirs.data_ptr() == ours.data_ptr()
    back = tk.from_dlpack(theirs)
    assert (back.dtype, back.stride(), back.data_ptr()) == (ours.dtype, ours.stride(), ours.data_ptr())
    back[0, 0] = 1
    assert ours[0, 0].item() == theirs[0, 0].item() == 1


def test_a_callbacks_number_that_is_too_large_becomes_infinite_in_silence() -> None:
    assert tk.ones(2, dtype=tk.half).apply_(lambda x: 1e9).tolist() == [math.inf] * 2  # warnings are errors


def test_memory_outlives_the_library_that_it_came_from() -> None:
    t = tk.from_dlpack(np.arange(1000))
    u = np.from_dlpack(tk.arange(1000))
    np.arange(1000)
    assert (t.sum().item(), int(u.sum())) == (499500, 499500)


def test_an_array_that_is_only_read_becomes_a_tensor_all_the_same() -> None:
    array = np.arange(3)
    array.setflags(write=False)
    t = tk.from_dlpack(array)
    t[0] = 7
    assert array[0] == 7


def test_a_tensor_without_numbers_to_hand_on_says_so() -> None:
    with pytest.raises(BufferError, match="Cannot pack tensors on meta"):
        tk.ones(2, device="meta").__dlpack__()
    with pytest.raises(ValueError, match="negative strides"):
        tk.from_dlpack(np.arange(3)[::-1])


def test_memory_that_was_handed_on_does_not_move() -> None:
    t = tk.arange(3)
    other = np.from_dlpack(t)
    with pytest.raises(RuntimeError, match="not resizable"):
        t.resize_(100)
    t[0] = 5  # and not the other way round: NumPy 2.1 lets nobody write into what it was handed
    assert other[0] == 5


# -- copies and pickles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", NUMBERS, ids=str)
def test_a_pickle_keeps_everything(kind: Any, protocol: int) -> None:
    for t in (tk.arange(6).to(kind).view(2, 3).t()[1:], tk.zeros(0, 3, dtype=kind), tk.ones((), dtype=kind)):
        back = pickle.loads(pickle.dumps(t, protocol=protocol))
        facts = [(x.dtype, x.size(), x.stride(), x.storage_offset(), repr(x)) for x in (t, back)]
        assert facts[0] == facts[1]
        assert back.untyped_storage().nbytes() == t.untyped_storage().nbytes()


def test_views_that_are_copied_together_stay_views_of_one_storage() -> None:
    t = tk.zeros(2, 3)
    first, second = copy.deepcopy([t, t[1:].t()])
    first[1] = 5
    assert second.tolist() == [[5], [5], [5]]
    assert t.sum().item() == 0


def test_a_tensor_that_holds_itself_is_copied_with_itself() -> None:
    """PyTorch's copy holds a second copy."""
    t = tk.ones(2, requires_grad=True)
    other, t.grad = tk.zeros(1), tk.ones(2)
    t.me, t.listed, t.other, other.back, t.grad.owner = t, [t], other, t, t  # type: ignore[attr-defined]
    made: Any = copy.deepcopy(t)
    assert made is not t
    assert made.me is made.listed[0] is made.other.back is made.grad.owner is made
    assert made.tolist() == [1, 1]


def test_a_generators_state_is_pickled() -> None:
    g = tk.Generator().manual_seed(3)
    tk.rand(5, generator=g)
    h = pickle.loads(pickle.dumps(g))
    assert tk.rand(3, generator=g).tolist() == tk.rand(3, generator=h).tolist()


# -- memory of several processes ----------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_another_process_writes_into_shared_memory() -> None:
    t = tk.zeros(3)
    view = t[1:]
    assert t.share_memory_() is t
    assert view.is_shared()
    child = os.fork()
    if child == 0:
        t[1] = 7
        os._exit(0)
    os.waitpid(child, 0)
    assert (t.tolist(), view.tolist()) == ([0, 7, 0], [7, 0])
    with pytest.raises(RuntimeError, match="not resizable"):
        t.resize_(100)


# -- pictures and tables ------------------------------------------------------------------------------------------


def test_matplotlib_takes_tensors() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, axes = pyplot.subplots(1, 4)
    t = tk.linspace(0, 1, 5)
    (line,) = axes[0].plot(t, t**2)
    assert line.get_ydata().tolist() == (t**2).tolist()
    assert axes[1].imshow(tk.arange(6.0).view(2, 3)).get_array().shape == (2, 3)
    assert axes[2].hist(t, bins=2)[0].tolist() == [2, 3]
    axes[3].scatter(t, t, c=t)
    pyplot.close(figure)


# -- subclasses ---------------------------------------------------------------------------------------------------


class Marked(tk.Tensor):
    """A subclass with a method of its own."""

    def doubled(self) -> tk.Tensor:
        return self * 2


def test_a_subclass_keeps_its_class_through_methods_and_operators() -> None:
    m = Marked([1.0, 2.0])
    assert [type(x) for x in (m + 1, m[0], m.sum(), m.sort()[0], m.real, 2 * m, m.doubled())] == [Marked] * 7
    assert repr(m.doubled()) == "Marked([2., 4.])"
    assert type(pickle.loads(pickle.dumps(m))) is Marked
    assert type(tk.ones(2) * 1) is tk.Tensor


RECORDED = """
m.sum() m.mean(0) m.max() m.cumsum(0) m.exp() m*2 2*m m+p p+m p*m p.mul(m) tk.mul(p,m) m.sort()[0] m.view(4)
m.t() m[0] m.norm() tk.sum(m) tk.add(p,m) m.clamp(0,1) m.where(m>0,p) tk.where(m<2,m,p) tk.where(m>2,p,m) m@p p@m
tk.mm(p,m) tk.cat((p,m)) tk.stack([p,m]) p.lerp(m,0.5) m.lerp(p,0.5) tk.addcmul(p,p,m) m.softmax(0) m.repeat(2,1)
m.clone() m.abs() m.tril() m.flip(0) m.gather(0,i) m.std() m.prod() m.roll(1) tk.einsum('ij,jk',p,m) m/2 m**2 -m
m.diagonal() m.logsumexp(0) m.index_select(0,i[0]) p.copy_(m) tk.linalg.inv(m) m.contiguous() m.to(tk.float64)
"""


@pytest.mark.parametrize("call", RECORDED.split())
def test_a_subclass_is_recorded_as_its_tensor_is(call: str) -> None:
    m = Marked([[1.0, 2.0], [3.0, 5.0]]).requires_grad_()
    made = eval(call, {"tk": tk, "m": m, "p": tk.ones(2, 2), "i": tk.zeros(1, 2, dtype=tk.int64)})
    assert made.requires_grad
    made.sum().backward()
    assert m.grad is not None
    assert m.grad.abs().sum() > 0 or call == "m.softmax(0)", "the sum of a softmax never changes"


@pytest.mark.parametrize(
    "call", ["tk.tensor(2.0) - m", "tk.tensor(2.0) * m", "tk.atan2(tk.tensor(2.0), m)", "tk.ones(2) + m"]
)
def test_a_subclass_may_be_larger_than_the_tensor_beside_it(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "_plans", {})  # as in a program that begins with it
    m = Marked([[1.0, 2.0], [3.0, 5.0]])
    plain = eval(call, {"tk": tk, "m": tk.tensor(m.tolist())})
    assert eval(call, {"tk": tk, "m": m}).tolist() == plain.tolist()


@pytest.mark.parity
def test_whether_to_warn_always_is_remembered(both_warn: Any) -> None:
    for lib in (tk, both_warn):
        lib.set_warn_always(False)
        lib.set_warn_always(True)
        assert lib.is_warn_always_enabled() is True
        with pytest.raises(RuntimeError, match="setWarnOnlyOnce expects a bool, but got int"):
            lib.set_warn_always(3)


@pytest.mark.parity
@pytest.mark.parametrize("bins", ["2", "[tk.ones(2)] * 2", "[tk.ones(2, device='meta')] * 2"])
def test_points_without_data_cannot_be_counted(bins: str) -> None:
    told = []
    for lib in (tk, require_torch()):
        with pytest.raises(NotImplementedError) as caught:
            lib.histogramdd(lib.ones(2, 2, device="meta"), eval(bins, {"tk": lib}))
        told.append(str(caught.value).partition(":")[0])
    assert told[0] == told[1]
