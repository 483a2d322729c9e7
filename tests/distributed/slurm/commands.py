"""Slurm's commands on this computer alone, for tests: a job is a session of processes, and the queue is a folder.

A copy of this file is a command by its name: sbatch, squeue, scancel, srun and salloc. In the folder QUEUE, a file
``room`` says how many jobs run at once; those that find no room wait, and begin when a command sees that there is some.
"""

from __future__ import annotations

import fcntl
import getpass
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil  # type: ignore[import-untyped]

QUEUE = Path(os.environ.get("STAND_IN_QUEUE", "."))


def members(job: Path) -> list[psutil.Process]:
    """The processes of a job that live."""
    if not (job / "pid").exists():
        return []
    session, found = int((job / "pid").read_text()), []
    for process in psutil.process_iter(["status"]):
        try:
            if process.info["status"] != psutil.STATUS_ZOMBIE and os.getsid(process.pid) == session:
                found.append(process)
        except (ProcessLookupError, PermissionError):
            pass
    return found


def jobs(queue: Path) -> list[Path]:
    """All jobs, the first one first."""
    return sorted((one for one in queue.iterdir() if one.name.isdigit()), key=lambda job: int(job.name))


def pending(job: Path) -> bool:
    """Whether it waits for room."""
    return (job / "script").exists() and not (job / "pid").exists() and not (job / "cancelled").exists()


def running(queue: Path) -> list[Path]:
    """The jobs whose processes live."""
    return [job for job in jobs(queue) if members(job)]


def schedule() -> None:
    """Begin jobs that wait, while there is room."""
    room = int((QUEUE / "room").read_text()) if (QUEUE / "room").exists() else sys.maxsize
    with open(QUEUE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for job in jobs(QUEUE):
            if pending(job) and len(running(QUEUE)) < room:
                begin(job)


def begin(job: Path) -> None:
    """Run its script, in a session of its own; what it writes is in slurm-NUMBER.out, in the folder of sbatch."""
    folder, *arguments = (job / "arguments").read_text().split("\n")
    tasks = re.search(r"^#SBATCH (?:--ntasks=|-n )(\d+)", (job / "script").read_text(), re.MULTILINE)
    environment = {"SLURM_JOB_ID": job.name, "SLURM_NTASKS": tasks[1] if tasks else "1"}
    with open(Path(folder) / f"slurm-{job.name}.out", "w") as out:
        process = subprocess.Popen(
            ["bash", str(job / "script"), *arguments],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    (job / "pid").write_text(str(process.pid))


REFUSALS = {
    "nowhere": "invalid partition specified: nowhere\nBatch job submission failed: Invalid partition name specified",
    "few": "QOSMaxSubmitJobPerUserLimit\nBatch job submission failed: Job violates accounting/QOS policy",
}


def sbatch(script: str, *arguments: str) -> int:
    """Put a script into the queue, unless it asks for the partition "nowhere", or "few", which takes one job."""
    partition = re.search(r"^#SBATCH -p (\w+)", Path(script).read_text(), re.MULTILINE)
    if partition and partition[1] in REFUSALS and (partition[1] == "nowhere" or jobs(QUEUE)):
        for line in REFUSALS[partition[1]].splitlines():
            print(f"sbatch: error: {line}", file=sys.stderr)
        return 1
    number = 1
    while True:
        try:  # of several commands at once, one gets the number
            (QUEUE / str(number)).mkdir()
            break
        except FileExistsError:
            number += 1
    job = QUEUE / str(number)
    (job / "arguments").write_text("\n".join((os.getcwd(), *arguments)))
    shutil.copy(script, QUEUE / f"{number}.script")
    os.rename(QUEUE / f"{number}.script", job / "script")
    schedule()
    print(f"Submitted batch job {number}")
    return 0


def squeue(*options: str) -> int:
    """List what waits and what runs."""
    assert f"--user={getpass.getuser()}" in options
    schedule()
    for job in jobs(QUEUE):
        if pending(job):
            print(f"{job.name}|PENDING|Resources")
        elif members(job):
            print(f"{job.name}|RUNNING|None")
    return 0


def scancel(number: str) -> int:
    """End a job: ask its processes, and kill those that do not hear."""
    job = QUEUE / number
    (job / "cancelled").touch()
    for sent in (signal.SIGTERM, signal.SIGKILL):
        there = members(job)
        for process in there:
            process.send_signal(sent)
        psutil.wait_procs(there, timeout=5)
    return 0


def srun(*command: str) -> int:
    """Run a command once for each task of the job."""
    while command[0].startswith("-"):
        command = command[1:]
    tasks: list[subprocess.Popen[bytes]] = []
    ended: list[int] = []

    def end(number: int, frame: object) -> None:
        ended.append(number)
        for task in tasks:
            task.terminate()

    signal.signal(signal.SIGTERM, end)
    for rank in range(int(os.environ["SLURM_NTASKS"])):
        if not ended:
            tasks.append(subprocess.Popen(command, env={**os.environ, "SLURM_PROCID": str(rank)}))
    if ended:
        end(ended[0], None)
    return max((abs(task.wait()) for task in tasks), default=0)


def salloc(*command: str) -> int:
    """Run a command here, with so many tasks."""
    options = dict(word[2:].split("=") for word in command if word.startswith("--"))
    environment = {"SLURM_JOB_ID": "1000", "SLURM_NTASKS": options["ntasks"]}
    return subprocess.run(command[len(options) :], env={**os.environ, **environment}, check=False).returncode


if __name__ == "__main__":
    commands: dict[str, Callable[..., int]] = {
        command.__name__: command for command in (sbatch, squeue, scancel, srun, salloc)
    }
    sys.exit(commands[Path(sys.argv[0]).name](*sys.argv[1:]))
