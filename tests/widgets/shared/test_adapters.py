"""Tensors of the three libraries become the same snapshot; what cannot be read becomes a sentence."""

from __future__ import annotations

import time
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import StrideExplorer
from tensorkit_widgets.snapshot.adapter import describe, library_of, link_of, look, same_buffer, write
from tensorkit_widgets.snapshot.window import Window, default_focus, grid_window


def torch_or_skip() -> Any:
    return pytest.importorskip("torch", reason="PyTorch is not installed")


def makers() -> list[Any]:
    return [
        pytest.param(lambda: tk, id="tensorkit"),
        pytest.param(torch_or_skip, id="torch", marks=pytest.mark.parity),
    ]


def snap(tensor: Any) -> Any:
    meta = describe(tensor)
    return look(tensor, grid_window(meta.size, default_focus(meta.size)), [(0, meta.slots)])


@pytest.mark.parametrize("library", makers())
def test_a_transposed_slice(library: Any) -> None:
    lib = library()
    t = lib.arange(12.0).view(3, 4)
    seen = snap(t[1:, ::2].t())
    assert (seen.meta.size, seen.meta.stride, seen.meta.offset) == ((2, 2), (2, 4), 4)
    assert seen.meta.library == lib.__name__
    assert (seen.meta.dtype, seen.meta.itemsize, seen.meta.slots, seen.meta.nbytes) == ("float32", 4, 12, 48)
    assert seen.grid == (4.0, 8.0, 6.0, 10.0)
    assert seen.strip[0].values == tuple(float(n) for n in range(12))


@pytest.mark.parametrize("library", makers())
def test_a_view_of_conjugates_or_negatives_beside_what_is_stored(library: Any) -> None:
    lib = library()
    z = lib.tensor([1 + 2j, 3 - 4j])
    seen = snap(z.conj())
    assert (seen.grid, seen.strip[0].values) == ((1 - 2j, 3 + 4j), (1 + 2j, 3 - 4j))
    assert seen.meta.turned == "conjugates"
    seen = snap(z.conj().imag)
    assert (seen.grid, seen.strip[0].values) == ((-2.0, 4.0), (1.0, 2.0, 3.0, -4.0))
    assert seen.meta.turned == "negatives"
    write(z.conj().imag, (0,), 7.0)
    assert z.tolist() == [1 - 7j, 3 - 4j]
    assert snap(z).meta.turned == ""


def test_the_picture_says_what_is_stored_and_what_is_shown() -> None:
    picture = StrideExplorer(tk.tensor([1 + 2j, 3 - 4j]).conj().imag)
    assert "storage[3] = -4., shown as 4." in picture.text()
    assert "what you see are the negatives of what is stored" in picture.text()
    assert 'data-full="-2." data-stored="2."' in picture.svg()
    assert "shown as" not in StrideExplorer(tk.arange(3)).text()


@pytest.mark.parametrize("library", makers())
def test_a_conjugate_that_requires_grad_is_looked_at_without_a_history(library: Any) -> None:
    z = library().tensor([1 + 2j], requires_grad=True)
    assert snap(z.conj()).strip[0].values == (1 + 2j,)


def test_a_numpy_array_counts_from_the_array_that_owns_the_memory() -> None:
    a = numpy.arange(12.0).reshape(3, 4)
    seen = snap(a[::-1, 1:].T)
    assert (seen.meta.size, seen.meta.stride, seen.meta.offset) == ((3, 3), (1, -4), 9)
    assert seen.grid == (9.0, 5.0, 1.0, 10.0, 6.0, 2.0, 11.0, 7.0, 3.0)
    assert seen.strip[0].values == tuple(a.ravel().tolist())


@pytest.mark.parametrize("library", makers())
@pytest.mark.parametrize(
    "dtype",
    ["float16", "bfloat16", "float64", "uint8", "int8", "int16", "int32", "int64", "bool", "complex64"],
)
def test_every_kind_of_number(library: Any, dtype: str) -> None:
    lib = library()
    t = lib.ones(3).to(getattr(lib, dtype))
    seen = snap(t)
    assert seen.meta.dtype == dtype
    assert list(seen.grid) == t.tolist()


@pytest.mark.parametrize(
    "tensor", [tk.tensor(5), numpy.array(5), tk.empty(0, 3), numpy.empty((2, 0)), tk.ones(1)]
)
def test_few_or_no_elements(tensor: Any) -> None:
    meta = describe(tensor)
    assert not meta.fault
    seen = snap(tensor)
    assert len(seen.grid) == int(numpy.prod(meta.size))


@pytest.mark.parametrize("library", makers())
def test_views_share_a_buffer_and_copies_do_not(library: Any) -> None:
    t = library().arange(12.0).view(3, 4)
    assert same_buffer(describe(t), describe(t.t()[1:]))
    assert same_buffer(describe(t), describe(t.numpy()))
    assert not same_buffer(describe(t), describe(t.clone()))
    assert not same_buffer(describe(t), describe(t.t().contiguous()))


@pytest.mark.parametrize("library", makers())
def test_views_of_other_dtypes_are_linked_and_know_the_bytes_of_their_slots(library: Any) -> None:
    lib = library()
    t = lib.arange(12.0)
    views = [
        t,
        t.view(lib.int16)[1:],
        t.view(lib.bool),
        t.view(lib.complex64),
        t.view(lib.complex128),
        t.numpy(),
    ]
    views += [lib.view_as_real(t.view(lib.complex64)), t.numpy().view(numpy.uint8)[3:]]
    links = [link_of(describe(view)) for view in views]
    assert {link.storage for link in links} == {links[0].storage}
    assert [link.item for link in links] == [4, 2, 1, 8, 16, 4, 4, 1]
    assert link_of(describe(t.clone())).storage != links[0].storage


@pytest.mark.parametrize("library", makers())
def test_a_freed_storage_is_said_not_read(library: Any) -> None:
    t = library().arange(12.0).view(3, 4)
    view = t[1:]
    window = grid_window((2, 4), (0, 0))
    t.untyped_storage().resize_(0)
    seen = look(view, window, [(0, 12)])
    assert seen.grid == ()
    assert (
        seen.fault == "the storage was freed under this tensor: it holds 0 bytes now, and the tensor needs 48"
    )
    with pytest.raises(RuntimeError, match="freed"):
        write(view, (0, 0), 1.0)


@pytest.mark.parametrize("library", makers())
def test_a_shrunk_storage_is_said_not_read(library: Any) -> None:
    t = library().arange(12.0)
    t.untyped_storage().resize_(20)
    assert (
        describe(t).fault
        == "the storage was resized under this tensor: it holds 20 bytes now, and the tensor needs 48"
    )
    assert not describe(t[:5]).fault


@pytest.mark.parametrize("library", makers())
def test_a_write_goes_through_the_engine(library: Any) -> None:
    lib = library()
    t = lib.arange(6).view(2, 3)
    write(t.t(), (2, 0), 42)
    assert t.tolist() == [[0, 1, 42], [3, 4, 5]]
    with pytest.raises((RuntimeError, OverflowError, ValueError, TypeError)):
        write(lib.zeros(2).to(lib.uint8), (0,), 10**30)


@pytest.mark.parity
def test_a_parameter_can_be_looked_at_and_edited() -> None:
    torch = torch_or_skip()
    p = torch.nn.Parameter(torch.ones(2, 2))
    before = p._version
    assert snap(p).grid == (1.0,) * 4
    assert p._version == before
    write(p, (0, 1), 3.0)
    assert p.tolist() == [[1.0, 3.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    "what", [[1, 2], None, "t", 3.0, numpy.array(["a"]), numpy.zeros(2, dtype="datetime64[s]")]
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence(what: Any) -> None:
    with pytest.raises(TypeError, match="cannot draw"):
        describe(what)


def test_strides_that_are_no_whole_elements() -> None:
    records = numpy.zeros(4, dtype=[("a", "f4"), ("b", "i1")])
    with pytest.raises(TypeError, match="whole elements"):
        describe(records["a"])


def test_library_names() -> None:
    assert library_of(tk.ones(1)) == "tensorkit"
    assert library_of(numpy.ones(1)) == "numpy"


def test_only_the_window_is_read() -> None:
    large, small = tk.arange(10_000_000), tk.arange(100)

    def seconds(t: Any) -> float:
        window = Window((50,), (16,))
        best = []
        for _ in range(20):
            start = time.thread_time()
            look(t, window, [(0, 24)])
            best.append(time.thread_time() - start)
        return min(best)

    assert seconds(large) < 3 * seconds(small) + 1e-3
    assert look(large, Window((9_999_990,), (10,)), [(9_999_999, 10_000_000)]).grid[-1] == 9_999_999
