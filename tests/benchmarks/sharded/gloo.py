"""PyTorch's own DTensor on gloo: one process of several, which `sharded` begins.

``python -m tests.benchmarks.sharded.gloo 0 2 FILE`` is the first of two, which meet by way of a file.

The first one prints the medians of the cases that `sharded` names, in seconds, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from tests.benchmarks.sharded.cases import CASES, ROUNDS


def main(rank: int, world: int, store: str) -> None:
    import torch
    from torch import distributed
    from torch.distributed import tensor as sharded

    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    mesh = distributed.device_mesh.init_device_mesh("cpu", (world,))
    torch.manual_seed(0)

    def make(*size: int, placed: Any) -> Any:
        return sharded.distribute_tensor(torch.randn(*size), mesh, [placed])

    found = {}
    for name, case in CASES.items():
        run = case(make, sharded, world)
        found[name] = timed(run, distributed.barrier)
    if rank == 0:
        print(json.dumps(found))
    distributed.destroy_process_group()


def timed(run: Callable[[], Any], ready: Callable[[], Any]) -> float:
    """The median of some rounds after one that does not count."""
    times = []
    for _ in range(ROUNDS + 1):
        ready()
        began = time.perf_counter()
        run()
        ready()
        times.append(time.perf_counter() - began)
    return median(times[1:])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
