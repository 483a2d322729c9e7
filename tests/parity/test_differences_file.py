"""The list of deliberate differences says what the tests know."""

from __future__ import annotations

import pytest

from tests.parity.write_differences import LIST, text

pytestmark = pytest.mark.parity


def test_the_list_of_differences_is_fresh() -> None:
    assert LIST.read_text(encoding="utf-8") == text(), "run `python -m tests.parity.write_differences`"
