"""`finfo` and `iinfo`: every number and every text is PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit
from tensorkit import dtypes
from tests.parity.compare import plain_text, same_error

pytestmark = pytest.mark.parity

_ASKED = ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype")


def _told(lib: Any, which: str, name: str) -> tuple[Any, BaseException | None]:
    try:
        info = getattr(lib, which)(getattr(lib, name))
    except TypeError as error:
        return None, error
    numbers = [plain_text(repr(getattr(info, asked))) for asked in _ASKED if hasattr(info, asked)]
    return [repr(info), str(info), numbers, info == getattr(lib, which)(getattr(lib, name))], None


@pytest.mark.parametrize("which", ["finfo", "iinfo"])
@pytest.mark.parametrize("name", [kind.name for kind in dtypes.ALL])
def test_the_limits_of_a_dtype(torch: Any, which: str, name: str) -> None:
    (ours, error), (theirs, refused) = _told(tensorkit, which, name), _told(torch, which, name)
    assert ours == theirs
    assert same_error(error, refused) is None


def test_the_default_and_wrong_calls(torch: Any) -> None:
    assert repr(tensorkit.finfo()) == repr(torch.finfo())
    for call in ("tk.iinfo()", "tk.finfo(3)", "tk.iinfo('int8')", "hash(tk.finfo(tk.float32))"):
        raised = []
        for lib in (tensorkit, torch):
            with pytest.raises(TypeError) as caught:
                eval(call, {"tk": lib})
            raised.append(plain_text(str(caught.value)))
        assert raised[0] == raised[1]
