"""Ten million random numbers over several workers: their mean and their standard deviation.

python sharded_tensors.py                          # two workers on this computer
sbatch sharded_slurm.sh python sharded_tensors.py  # the workers of one job of Slurm's
python sharded_tensors.py --slurm 4                # four jobs, asked for by this program
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

import tensorkit as tk
from tensorkit.distributed import cluster
from tensorkit.distributed.device_mesh import init_device_mesh
from tensorkit.distributed.tensor import Shard, randn


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, find workers, compute, print."""
    parser = argparse.ArgumentParser(description="Random numbers over several workers.")
    parser.add_argument("--numbers", type=int, default=10_000_000, help="how many (default: ten million)")
    parser.add_argument("--slurm", type=int, metavar="WORKERS", help="ask Slurm for so many workers")
    parser.add_argument("--queue", help="the queue, or partition, of Slurm's")
    asked = parser.parse_args(arguments)
    if "SCHEDULER_FILE" in os.environ:
        begun = cluster.connect(
            scheduler_file=os.environ["SCHEDULER_FILE"], workers=int(os.environ["SLURM_NTASKS"]), timeout=120
        )
    elif asked.slurm is not None:
        begun = cluster.slurm(asked.slurm, queue=asked.queue)
    else:
        begun = cluster.start(2)
    print(begun)

    tk.manual_seed(0)
    t: Any = randn(asked.numbers, device_mesh=init_device_mesh("cpu", (begun.size,)), placements=[Shard(0)])
    print(f"{t.numel():,} numbers, placed as {t.placements}")
    print(
        f"mean {t.mean().full_tensor().item():.3f}, standard deviation {t.var().full_tensor().sqrt().item():.3f}"
    )


if __name__ == "__main__":
    main()
