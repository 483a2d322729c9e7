"""Slurm on this computer: its commands in a folder, and what a test sees of its jobs and does to them."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.distributed.slurm import commands

ROOT = Path(__file__).parents[3]
NAMES = ("sbatch", "squeue", "scancel", "srun", "salloc")


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again, for a minute at most."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


@dataclass
class Slurm:
    """What a test does to it."""

    folder: Path
    queue: Path

    def room(self, jobs: int) -> None:
        """Let no more jobs run at once."""
        (self.queue / "room").write_text(str(jobs))

    def running(self) -> list[str]:
        """The numbers of the jobs that run."""
        return [job.name for job in commands.running(self.queue)]

    def states(self) -> list[str]:
        """Those of the jobs that wait or run."""
        listed = self.call("squeue", f"--user={getpass.getuser()}").stdout
        return [line.split("|")[1] for line in listed.splitlines()]

    def replace(self, command: str, script: str, program: str = "/bin/sh") -> None:
        """Let a command do something else."""
        (self.folder / "bin" / command).write_text(f"#!{program}\n{script}\n")

    def processes(self) -> list[psutil.Process]:
        """Those of all jobs."""
        return [one for job in commands.jobs(self.queue) for one in commands.members(job)]

    def mentioned(self) -> list[psutil.Process]:
        """Processes that were begun with a path in the folder."""
        return [
            one for one in psutil.process_iter(["cmdline"]) if str(self.folder) in str(one.info["cmdline"])
        ]

    def kill(self, job: str) -> None:
        """As when a computer of the cluster fails."""
        there = commands.members(self.queue / job)
        for one in there:
            one.kill()
        psutil.wait_procs(there, timeout=10)

    def call(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the tests' folder, for a minute at most."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


def installed(folder: Path) -> Slurm:
    """Its commands and an empty queue, in a folder."""
    there = Slurm(folder, folder / "queue")
    there.queue.mkdir()
    (folder / "bin").mkdir()
    for name in NAMES:
        there.replace(name, Path(commands.__file__).read_text(), sys.executable)
        (folder / "bin" / name).chmod(0o755)
    return there
