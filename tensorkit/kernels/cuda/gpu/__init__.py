"""What an NVIDIA driver does for us, through ``cuda.core``: memory, streams and events of GPUs."""

from __future__ import annotations
