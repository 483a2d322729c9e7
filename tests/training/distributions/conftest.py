"""The parity tests here ask PyTorch."""

from __future__ import annotations

from tests.parity.conftest import torch as torch
