"""Devices: which text names one, and what is said of the rest."""

from __future__ import annotations

import pytest

from tests.parity.compare import compare
from tests.torch_oracle import require_torch

pytestmark = pytest.mark.parity

DEVICES = (
    "tk.device('cpu')",
    "tk.device('gpu')",
    "tk.device('cuda:x')",
    "tk.device('cuda:-1')",
    "tk.device('')",
    "tk.device('cpu:0')",
    "tk.device('cuda', -1)",
    "tk.device('cuda:1', 1)",
    "tk.device('cuda:01')",
    "tk.device('meta')",
    "tk.device('cuda:')",
    "tk.device(' cuda')",
    "tk.device('a:b:c')",
    "str(tk.device('cuda', 0))",
    "tk.device('cuda') == 'cuda'",
    "tk.device('cuda:0') == tk.device('cuda', 0)",
    "tk.device(tk.device('cpu'))",
    "tk.zeros(2, device='gpu')",
    "tk.zeros(2).to('gpu')",
    "tk.zeros(2, device='cpu:0').device",
    "tk.zeros(2,device='meta').device",
    "tk.zeros(2).to('meta').size()",
    "tk.zeros(2,device='meta').tolist()",
    "tk.device('cuda').type",
    "tk.device('cuda:1').index",
    "hash(tk.device('cpu')) == hash(tk.device('cpu'))",
    "tk.device('cpu', 0)",
)


@pytest.mark.parametrize("call", DEVICES)
def test_a_device_is_named_as_in_pytorch(call: str) -> None:
    found = compare(require_torch(), call, {})
    assert found is None, found
