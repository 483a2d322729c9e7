"""`utils.tensorboard`: without its package, the import says so; with it, files hold what PyTorch's hold."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit.lab.scripts.names import missing
from tensorkit.lab.scripts.run import sentence
from tests.torch_oracle import require_torch
from tests.torch_oracle import sentence as told_by

_PART = "tensorkit.utils.tensorboard"


def test_without_the_package_the_import_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    for name in [name for name in sys.modules if name.startswith("tensorboard.")] + [_PART]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delattr(tk.utils, "tensorboard", raising=False)
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(_PART)
    assert caught.value.name is not None
    assert caught.value.name.partition(".")[0] == "tensorboard"
    script = tmp_path / "train.py"
    script.write_text("from torch.utils.tensorboard import SummaryWriter\n")
    assert "SummaryWriter, for which `pip install tensorboard` (line 1)" in sentence(script, missing(script))


def refused(call: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        call(*args, **kwargs)
    except Exception as error:
        return type(error).__name__, told_by(error).replace("torch.Tensor", "tensorkit.Tensor")
    return None


def fill(lib: Any, writer: Any) -> list[Any]:
    """Write some of everything, and tell what is refused."""
    drawn = numpy.random.default_rng(0)
    values, picture = drawn.normal(size=(10, 7)), drawn.random((3, 5, 6)).astype("f4")
    with writer as w:
        w.add_scalar("a", 1.5, 0)
        w.add_scalar("a", lib.tensor([2.5], dtype=lib.bfloat16), lib.tensor(1))
        w.add_scalar("n", 1.25, 2, new_style=True)
        w.add_scalar("n", numpy.float64(1.25), new_style=True, double_precision=True)
        w.add_scalars("m/x", {"p": 1, "q": lib.tensor(2.0)}, 4)
        w.add_histogram("h", lib.tensor(values), 1)
        w.add_histogram("h", values, 2, bins="auto", max_bins=5)
        w.add_histogram("h", values, 2, max_bins=20)
        w.add_image("i", lib.tensor(picture))
        w.add_image("i", (picture * 255).astype("u1").transpose(1, 2, 0), dataformats="HWC")
        w.add_image("i", picture[0], dataformats="HW")
        w.add_image("i", picture[:1])
        w.add_images("s", drawn.random((11, 3, 2, 4)))
        w.add_images("s", drawn.random((3, 2, 4, 1)), dataformats="NHWC")
        w.add_text("t", "Grüße", 3)
        settings = {"lr": 0.1, "n": 3, "s": "adam", "b": True, "none": None}
        w.add_hparams(
            settings, {"acc": 0.5}, {"lr": [0.1, 0.2], "s": ["adam"]}, run_name="run", global_step=2
        )
        told = [
            refused(w.add_scalar, "x", lib.ones(2)),
            refused(w.add_scalar, "x", [1]),
            refused(w.add_histogram, "x", numpy.ones(0)),
            refused(w.add_histogram, "x", numpy.ones(3), bins=[4, 5]),
            refused(w.add_histogram, "x", numpy.ones(3), bins=[4, 5, 6]),
            refused(w.add_image, "x", picture, dataformats="CHH"),
            refused(w.add_image, "x", picture[0]),
            refused(w.add_images, "x", drawn.random((2, 2, 3, 3))),
            refused(w.add_hparams, {"z": [1]}, {}),
            refused(w.add_hparams, [], {}),
            refused(w.add_hparams, {"a": 1}, {}, {"a": ["x"]}),
        ]
    w.close()
    w.add_scalar("after", 1)
    w.flush()
    w.close()
    return told


def written(folder: Path) -> dict[str, list[str]]:
    """The events in all files below a folder, without the times."""
    loader = importlib.import_module("tensorboard.backend.event_processing.event_file_loader")
    protos = importlib.import_module("tensorboard.compat.proto.event_pb2")
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*tfevents*")):
        for raw in loader.RawEventFileLoader(str(path)).Load():
            event = protos.Event.FromString(raw)
            event.ClearField("wall_time")
            event.ClearField("source_metadata")
            found.setdefault(os.path.relpath(path.parent, folder), []).append(str(event))
    return found


@pytest.mark.parity
def test_files_are_pytorchs(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    require_torch()
    told, files = [], []
    for name in ("torch", "tensorkit"):
        writer = importlib.import_module(f"{name}.utils.tensorboard").SummaryWriter(
            tmp_path / name, purge_step=3
        )
        told.append(fill(importlib.import_module(name), writer))
        files.append(written(tmp_path / name))
    assert told[1] == told[0]
    assert files[1] == files[0]
    assert len(files[0]["."]) > 15
    with pytest.raises(NotImplementedError, match="has no add_graph"):
        _ = writer.add_graph
