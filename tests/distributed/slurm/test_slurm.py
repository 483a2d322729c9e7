"""Sharded tensors on workers that Slurm began: real jobs of dask-jobqueue's, on a stand-in for Slurm's commands."""

from __future__ import annotations

import _thread
import importlib.util
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed import cluster
from tensorkit.distributed.device_mesh import init_device_mesh
from tensorkit.distributed.tensor import Shard, distribute_tensor, randn
from tests.distributed.inline import mesh

# It is not imported, as `pytest.importorskip` would: its import alone changes what Ctrl-C does.
if importlib.util.find_spec("dask_jobqueue") is None:
    pytest.skip("dask-jobqueue is not installed", allow_module_level=True)

from tests.distributed.slurm.stand_in import ROOT, Slurm, installed, wait_until

OPTIONS: dict[str, Any] = {
    "scheduler_options": {"host": "127.0.0.1"},
    "memory": "1GB",
    "walltime": "0:05:00",
    "nanny": False,
}
SCRIPTS = ROOT / "notebooks" / "scripts"


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slurm]:
    """Slurm on this computer; in the end it has no job, and this process no thread that it had not."""
    there, threads = installed(tmp_path), set(threading.enumerate())
    path = (str(tmp_path / "bin"), str(Path(sys.executable).parent), os.environ["PATH"])
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))))
    monkeypatch.setenv("STAND_IN_QUEUE", str(there.queue))
    monkeypatch.setattr("tensorkit.distributed.cluster.slurm_jobs.ASK_S", 0.5)
    monkeypatch.chdir(tmp_path)
    yield there
    cluster.shutdown()
    left = [one for one in set(threading.enumerate()) - threads if one.name == "IO loop"]
    for one in left:
        one.join(10)
    processes = there.processes()
    for process in processes:
        process.kill()
    assert not processes
    assert not any(one.is_alive() for one in left)


def later(condition: Callable[[], bool], do: Callable[[], None]) -> None:
    """Do something, beside the test, once there is a reason to."""

    def wait() -> None:
        wait_until(condition)
        do()

    threading.Thread(target=wait, daemon=True).start()


def test_jobs_wait_for_room_and_one_that_is_killed_is_submitted_again(slurm: Slurm) -> None:
    slurm.room(1)
    # Of two that are submitted at once, either may find the room.
    later(lambda: sorted(slurm.states()) == ["PENDING", "RUNNING"], lambda: slurm.room(2))
    begun = cluster.slurm(2, timeout=60, **OPTIONS)
    assert sorted(begun.holders()) == [0, 1]
    t = tk.arange(12.0).view(4, 3)
    sharded: Any = distribute_tensor(t, init_device_mesh("cpu", (2,)), [Shard(0)])
    sharded = sharded * 2
    assert tk.equal((sharded @ sharded.t()).full_tensor(), t @ t.t() * 4)
    slurm.kill("2")
    assert tk.equal((sharded + 1).full_tensor(), t * 2 + 1)
    assert slurm.running() == ["1", "3"]
    cluster.shutdown()
    assert slurm.states() == []


def test_jobs_that_find_no_room_are_cancelled_in_the_end_and_at_an_interrupt(slurm: Slurm) -> None:
    slurm.room(0)
    said = (
        r"^0 of 3 workers came within 1 seconds \(in Slurm's queue: 3, Resources\): begin more, ask for fewer"
    )
    with pytest.raises(RuntimeError, match=said):
        cluster.slurm(3, timeout=1, **OPTIONS)
    assert slurm.states() == []
    later(lambda: slurm.states() == ["PENDING"], _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        cluster.slurm(1, timeout=60, **OPTIONS)
    assert slurm.states() == []


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "unknown queue": (
        {"queue": "nowhere"},
        RuntimeError,
        "Slurm took no job: sbatch: error: invalid partition specified: nowhere; sbatch: error: Batch job submission "
        "failed: Invalid partition name specified.",
    ),
    "more jobs than allowed": (
        {"queue": "few"},
        RuntimeError,
        "Slurm took no job: sbatch: error: QOSMaxSubmitJobPerUserLimit; sbatch: error: Batch job submission failed: "
        "Job violates accounting/QOS policy.",
    ),
    "unknown option": (
        {"quue": "short"},
        TypeError,
        "slurm() got an unexpected keyword argument 'quue': its options are those of dask_jobqueue.SLURMCluster.",
    ),
}


@pytest.mark.parametrize(("options", "error", "said"), REFUSED.values(), ids=list(REFUSED))
def test_what_slurm_refuses_is_one_sentence_in_its_own_words(
    slurm: Slurm, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(said)}$"):
        cluster.slurm(2, timeout=60, **OPTIONS, **options)
    assert slurm.states() == []


def test_a_job_that_ends_before_its_worker_has_joined_is_named(slurm: Slurm) -> None:
    said = (
        "Slurm's job 1 ended before its workers had joined: see what it wrote, as a rule into slurm-1.out in"
    )
    with pytest.raises(RuntimeError, match=f"^{re.escape(said)} the folder '.'"):
        cluster.slurm(1, timeout=60, python="false", **OPTIONS)


def test_commands_that_are_not_there_or_fail_are_named(slurm: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    slurm.replace("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(
        RuntimeError, match=r"^Slurm does not answer: .*Unable to contact slurm controller\.$"
    ):
        cluster.slurm(1, **OPTIONS)
    slurm.replace("squeue", "true")
    slurm.replace("sbatch", "echo Welcome")
    with pytest.raises(RuntimeError, match=r"^Slurm took no job; sbatch gave no number of it: 'Welcome'\.$"):
        cluster.slurm(1, **OPTIONS)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="Slurm's command sbatch is not on the PATH"):
        cluster.slurm(1, **OPTIONS)


def test_a_batch_script_begins_a_cluster_in_one_job(slurm: Slurm) -> None:
    text = (SCRIPTS / "sharded_slurm.sh").read_text()
    (slurm.folder / "job.sh").write_text(text.replace("#SBATCH --ntasks=4", "#SBATCH --ntasks=2"))
    program = ("python", str(SCRIPTS / "sharded_tensors.py"), "--numbers=1000")
    assert slurm.call("sbatch", "job.sh", *program).stdout == "Submitted batch job 1\n"
    wait_until(lambda: slurm.states() == [])
    said = (slurm.folder / "slurm-1.out").read_text()
    tk.manual_seed(0)
    t = randn(1000, device_mesh=mesh(1), placements=[Shard(0)]).full_tensor()
    assert "Cluster(2 workers" in said
    assert f"mean {t.mean().item():.3f}, standard deviation {t.std().item():.3f}" in said
    assert list(slurm.folder.glob("scheduler-*.json")) == []


def test_the_script_ends_as_its_program_does_and_leaves_nothing(slurm: Slurm) -> None:
    program = ("sh", "-c", 'until [ -e "$SCHEDULER_FILE" ]; do sleep 0.1; done; echo $SLURM_NTASKS; exit 3')
    options = ("--ntasks=2", "--time=0:30:00")
    done = slurm.call("salloc", *options, "bash", str(SCRIPTS / "sharded_slurm.sh"), *program)
    assert (done.returncode, done.stdout, done.stderr) == (3, "2\n", "")
    assert list(slurm.folder.glob("scheduler-*.json")) == []
    assert slurm.mentioned() == []
