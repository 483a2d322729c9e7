"""The bytes behind tensors: their two faces, resized under all that read them, shared with NumPy, handed on."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.storage import warn_typed_storage
from tests.parity.compare import compare
from tests.parity.questions import disagreement, lines
from tests.support.warnings import recorded
from tests.torch_oracle import require_torch

STORAGE = (
    "tk.zeros(3).untyped_storage()[-1]",
    "tk.zeros(3).untyped_storage()[12]",
    "tk.zeros(3).untyped_storage().__setitem__(0, 300)",
    "tk.zeros(3).untyped_storage().__setitem__(0, -1)",
    "tk.zeros(3).untyped_storage().__setitem__(0, 1.5)",
    "tk.zeros(3).untyped_storage()['x']",
    "tk.zeros(3).untyped_storage()[1.0]",
    "tk.zeros(3).untyped_storage()[1:3].tolist()",
    "tk.zeros(3).untyped_storage()[::2]",
    "tk.zeros(3).untyped_storage()[::-1]",
    "tk.zeros(3).untyped_storage()[5:2].nbytes()",
    "len(tk.zeros(3).untyped_storage())",
    "tk.zeros(3).untyped_storage().size()",
    "tk.zeros(3).untyped_storage().nbytes()",
    "tk.zeros(3).untyped_storage().element_size()",
    "tk.zeros(3).untyped_storage().device",
    "tk.zeros(3).untyped_storage().resizable()",
    "tk.zeros(3).untyped_storage().is_cuda",
    "repr(tk.zeros(1).untyped_storage())",
    "repr(tk.zeros(2).storage())",
    "repr(tk.zeros(0).storage())",
    "repr(tk.zeros(0).untyped_storage())",
    "tk.zeros(2).untyped_storage().tolist()",
    "list(tk.zeros(1).untyped_storage())",
    "tk.zeros(2).untyped_storage().resize_(16).nbytes()",
    "tk.zeros(2).untyped_storage().copy_(tk.ones(2).untyped_storage()).tolist()",
    "tk.zeros(2).untyped_storage().fill_(3).tolist()",
    "tk.zeros(2).untyped_storage().fill_(300).tolist()",
    "tk.zeros(2).untyped_storage().clone().tolist()",
    "tk.zeros(2).untyped_storage().cpu().nbytes()",
    "tk.zeros(2).untyped_storage().untyped().nbytes()",
    "tk.UntypedStorage(3).nbytes()",
    "tk.UntypedStorage([1,2,3]).tolist()",
    "tk.UntypedStorage().nbytes()",
    "tk.zeros(3).storage()[-1]",
    "tk.zeros(3).storage()[3]",
    "tk.zeros(3).storage()[0:2]",
    "tk.zeros(3).storage()['x']",
    "tk.zeros(3).storage().__setitem__(3, 1)",
    "tk.zeros(3).storage().__setitem__(-4, 1)",
    "tk.zeros(3).storage().__setitem__('x', 1)",
    "tk.zeros(3).storage().__setitem__(0, 'x')",
    "tk.zeros(3).storage().size()",
    "tk.zeros(3).storage().nbytes()",
    "tk.zeros(3).storage().dtype",
    "tk.zeros(3).storage().device",
    "tk.zeros(3).storage().type()",
    "tk.zeros(3).storage().tolist()",
    "list(tk.zeros(3).storage())",
    "len(tk.zeros(3).storage())",
    "tk.zeros(3).storage().element_size()",
    "tk.zeros(3).storage().resize_(5)",
    "tk.zeros(3).storage().fill_(2).tolist()",
    "tk.zeros(3).storage().is_shared()",
    "tk.zeros(3).storage().clone().tolist()",
    "tk.zeros(3).storage().untyped().nbytes()",
    "tk.TypedStorage([1,2]).tolist()",
    "tk.TypedStorage([1,2],dtype=tk.int8).nbytes()",
    "tk.zeros(2,dtype=tk.int8).storage().__setitem__(0, 2.7)",
    "tk.zeros(2,dtype=tk.bool).storage().__setitem__(0, 5)",
    "tk.zeros(2).set_(tk.zeros(3).untyped_storage(), 1, (2,), (1,)).stride()",
    "tk.zeros(2).set_(tk.zeros(3).untyped_storage(), 2, (2,), (1,)).untyped_storage().nbytes()",
    "tk.zeros(2).set_(tk.zeros(3).untyped_storage(), -1, (2,), (1,))",
    "tk.zeros(2).set_(tk.zeros(3).untyped_storage(), 0, (2,2), (1,))",
    "tk.zeros(2).set_(tk.zeros(3).untyped_storage()).size()",
    "tk.zeros(2).set_(tk.zeros(3).storage()).size()",
    "tk.zeros(2).set_().size()",
    "tk.zeros(2).set_(tk.zeros(3))._version",
    "tk.zeros(2).set_(tk.zeros(3, dtype=tk.int64))",
    "tk.zeros(2).set_(tk.zeros(3, dtype=tk.int64).storage())",
    "tk.zeros(2).set_(tk.zeros(3, dtype=tk.int64).untyped_storage()).size()",
    "tk.zeros(2).resize_(-1)",
    "tk.zeros(2).resize_('x')",
    "tk.zeros(2).resize_(3,2).stride()",
    "tk.zeros(2).resize_((1,2)).size()",
    "tk.zeros(2).resize_(3)._version",
    "tk.zeros(2,3).t().resize_(2,2).stride()",
    "tk.zeros(6)[2:].resize_(5).untyped_storage().nbytes()",
    "tk.from_numpy([1])",
    "tk.zeros(2).numpy().dtype",
    "tk.zeros(2,dtype=tk.bfloat16).numpy()",
    "tk.zeros(2,3).t().numpy().strides",
    "tk.zeros(2).expand(3,2).numpy().strides",
    "tk.zeros(2).numpy(force=True).sum()",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", STORAGE)
def test_a_storage_answers_as_in_pytorch(call: str) -> None:
    found = compare(require_torch(), call, {})
    assert found is None or found.respect == "warnings", found


def test_views_share_one_storage_and_copies_do_not() -> None:
    t = tk.arange(6)
    assert t.view(2, 3).t()[1:].untyped_storage() is t.untyped_storage()
    assert t.clone().untyped_storage().data_ptr() != t.untyped_storage().data_ptr()


def test_both_faces_write_what_every_tensor_reads() -> None:
    t = tk.zeros(4, dtype=tk.int16)
    v = t.view(2, 2).t()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t.storage()[1] = 5
    t.untyped_storage()[4] = 1
    t.untyped_storage()[5] = 1
    assert v.tolist() == [[0, 257], [5, 0]]


def test_a_grown_storage_is_seen_by_all_its_tensors() -> None:
    t = tk.arange(4)
    v = t[2:]
    assert v.tolist() == [2, 3]
    t.untyped_storage().resize_(64)
    v[0] = 20
    t.resize_(8)
    t[7] = 70
    assert t[:4].tolist() == [0, 1, 20, 3]
    assert v.as_strided((2,), (3,), 4).tolist()[1] == 70
    assert v.untyped_storage().nbytes() == 64


def test_a_tensor_past_the_end_of_a_shrunk_storage_says_so() -> None:
    t = tk.arange(4)
    t.untyped_storage().resize_(16)
    assert t[:2].tolist() == [0, 1]
    with pytest.raises((RuntimeError, TypeError, ValueError)):
        t.tolist()


def test_memory_that_numpy_looks_at_is_not_moved() -> None:
    t = tk.zeros(2)
    array = t.numpy()
    array[0] = 3
    t[1] = 4
    assert (t.tolist(), array.tolist()) == ([3, 4], [3, 4])
    assert not t.untyped_storage().resizable()
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        t.resize_(5)
    assert t.resize_(1).tolist() == [3]


@pytest.mark.parametrize("cut", [np.s_[:], np.s_[1:, ::2], np.s_[2], np.s_[1:1]])
def test_from_numpy_shares_memory_both_ways(cut: object) -> None:
    array = np.arange(12.0).reshape(3, 4)
    part = array[cut]  # type: ignore[index]
    t = tk.from_numpy(part)
    assert t.tolist() == part.tolist()
    t.add_(100)
    assert part.tolist() == t.tolist()
    part[...] = 7
    assert set(t.reshape(-1).tolist()) <= {7.0}
    assert t._version == 1  # what NumPy writes nobody counts


def test_an_array_lives_as_long_as_the_tensor_on_it() -> None:
    t = tk.from_numpy(np.arange(100000.0))
    assert t[-1].item() == 99999
    array = tk.arange(100000.0).numpy()
    assert array[-1] == 99999


@pytest.mark.parity
@pytest.mark.parametrize("offset", [0, 1])
def test_what_numpy_has_and_tensors_have_not_is_refused(offset: int) -> None:
    torch = require_torch()
    for array in (
        np.zeros(4)[::-1],
        np.zeros(3, "M8[s]"),
        np.array(["a"]),
        np.array([object()]),
        np.zeros(2, ">f8"),
    ):
        said = []
        for lib in (tk, torch):
            with pytest.raises((TypeError, ValueError)) as caught:
                lib.from_numpy(array[offset:])
            said.append((caught.type, str(caught.value).replace("tensorkit.", "torch.")))
        assert said[0] == said[1]


@pytest.mark.parity
@pytest.mark.parametrize("question", lines("memory"))
def test_memory_that_cannot_be_is_refused_as_in_pytorch(question: str) -> None:
    assert disagreement(require_torch(), tk, question) is None


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ((0, (2,), (-1,)), "Storage size calculation overflowed with sizes=[2] and strides=[-1]"),
        ((-1, (2,), (1,)), "Tensor: invalid storage offset -1"),
        ((0, (2, 3), (1,)), "unequal size length (2) and stride length (1)"),
        ((0, (-1,), (1,)), "numel: integer multiplication overflow"),
        ((0, (7,), (1,)), "requiring a storage size of 28 are out of bounds for storage of size 24"),
        ((6, (1,), (1,)), "requiring a storage size of 28 are out of bounds for storage of size 24"),
        ((0, (2**62,), (1,)), "Storage size calculation overflowed with sizes=[4611686018427387904]"),
    ],
)
def test_a_pickle_that_somebody_wrote_by_hand_makes_no_tensor_beyond_its_storage(
    place: tuple[Any, ...], said: str
) -> None:
    class Crafted:
        def __reduce__(self) -> Any:
            rebuild, parts, *_ = tk.arange(6.0).__reduce_ex__(2)
            return rebuild, (*parts[:2], *place, parts[-1])

    data = pickle.dumps(Crafted())
    with pytest.raises(RuntimeError) as caught:
        pickle.loads(data)
    assert said in str(caught.value)


def test_set_points_a_tensor_at_other_memory() -> None:
    source, t = tk.arange(6.0), tk.zeros(2)
    assert t.set_(source.untyped_storage(), 1, (2, 2), (2, 1)) is t
    assert (t.tolist(), t.storage_offset(), t._version) == ([[1, 2], [3, 4]], 1, 1)
    source[3] = 30
    assert t[1, 0].item() == 30
    assert t.is_set_to(source.as_strided((2, 2), (2, 1), 1))
    t.set_(source)
    assert t.is_set_to(source)
    assert t.set_().numel() == 0


def test_set_never_reads_past_the_end() -> None:
    t = tk.zeros(2)
    with pytest.raises(RuntimeError, match="requiring a storage size of 16 are out of bounds"):
        t.set_(tk.arange(3.0).untyped_storage(), 2, (2,), (1,))
    assert (t.tolist(), t._version) == ([0, 0], 0)


def test_the_typed_storage_says_once_that_it_is_old() -> None:
    warn_typed_storage.cache_clear()
    with recorded() as caught:
        tk.zeros(1).storage()
        tk.zeros(1).storage()
    assert [str(one.message)[:26] for one in caught] == ["TypedStorage is deprecated"]
    assert caught[0].filename == __file__
