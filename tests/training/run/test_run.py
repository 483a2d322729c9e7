"""`tensorkit run`: programs for PyTorch run as Python would run them, or one sentence says what they need."""

from __future__ import annotations

import importlib
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

import tensorkit as tk
from tensorkit import cli
from tensorkit.lab.errors import LabError
from tensorkit.lab.scripts.names import absent, missing
from tensorkit.lab.scripts.run import run
from tensorkit.torch import aliases, load_ipython_extension, unload_ipython_extension


def written(folder: Path, text: str, name: str = "train.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


def names(script: Path) -> list[tuple[str, str, int]]:
    return [(use.name, use.file.name, use.line) for use in missing(script)]


def test_a_program_finds_what_python_gives_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "import torch\nfrom torch import nn\nRELU = nn.functional.relu\n", "beside.py")
    script = written(
        tmp_path,
        """
        import argparse, sys
        import torch, beside
        import torch.nn as nn
        import torch.nn.functional as F
        from torch.nn.modules.container import Sequential
        import torch.nn.modules.linear as linear
        parser = argparse.ArgumentParser()
        parser.add_argument("--lr", type=float)
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(parser.parse_args().lr, device, __name__, torch.__version__ >= (2, 1))
        print(sys.path[0] == sys.argv[1 - 1].rpartition("/")[0], __file__ == sys.argv[0])
        print(beside.RELU is F.relu, Sequential is nn.Sequential, linear.Identity is nn.Identity)
        print(beside.RELU(torch.tensor([-1.0, 2.0]).to(device)))
        """,
    )
    before = list(sys.argv), list(sys.path), list(sys.meta_path)
    assert run(script, ["--lr", "0.5"]) == 0
    assert capsys.readouterr().out == ("0.5 cpu __main__ True\nTrue True\nTrue True True\ntensor([0., 2.])\n")
    assert before == (sys.argv, sys.path, sys.meta_path)
    sys.modules.pop("beside")


def test_a_model_is_trained_saved_and_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(
        tmp_path,
        f"""
        import torch
        from torch import nn, optim
        from torch.utils.data import DataLoader, TensorDataset

        class Line(nn.Module):
            def __init__(self):
                super().__init__()
                self.slope = nn.Parameter(torch.zeros(1))

            def forward(self, x):
                return x * self.slope

        if __name__ == "__main__":
            torch.manual_seed(0)
            model = Line()
            x = torch.arange(8.0)
            loader = DataLoader(TensorDataset(x, 3 * x), batch_size=4, shuffle=True, num_workers=1)
            step = optim.SGD(model.parameters(), lr=0.01)
            for _ in range(9):
                for a, b in loader:
                    step.zero_grad()
                    loss = ((model(a) - b) ** 2).mean()
                    loss.backward()
                    step.step()
            torch.save(model.state_dict(), {str(tmp_path / "line.pt")!r})
            other = Line()
            other.load_state_dict(torch.load({str(tmp_path / "line.pt")!r}))
            print(torch.equal(model.slope, other.slope), round(model.slope.item(), 1), type(other).__module__)
        """,
    )
    assert run(script) == 0
    assert capsys.readouterr().out == "True 3.0 __main__\n"


def test_what_is_missing_is_said_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, "from torch import nothing_at_all\n", "parts/one.py")
    script = written(
        tmp_path,
        """\
        import torch.nn as nn
        import torch
        print("begun")
        from torch.nowhere import thing
        import parts.one
        layer = nn.Foo(torch.bar.baz())
        nn.Foo
        """,
    )
    with pytest.raises(LabError) as refused:
        run(script)
    assert str(refused.value) == (
        "train.py needs what tensorkit 0.1.0 does not have: torch.nowhere.thing (line 4), "
        "torch.nn.Foo (lines 6, 7), torch.bar.baz (line 6), torch.nothing_at_all (parts/one.py, line 1). "
        "Nothing was run; `tensorkit run --anyway` runs it until it comes there."
    )
    assert capsys.readouterr().out == ""
    assert run(script, anyway=True) == 1
    said = capsys.readouterr()
    assert said.out == "begun\n"
    assert said.err.endswith("ModuleNotFoundError: No module named 'torch.nowhere'\n")


def test_what_a_program_itself_is_unsure_of_is_left_alone(tmp_path: Path) -> None:
    script = written(
        tmp_path,
        """\
        import torch
        from torch import nn
        try:
            import torch.missing_one
        except ImportError:
            pass
        try:
            import torch
            print(torch.second)
        except (OSError, AttributeError):
            torch.third()
        if hasattr(torch, "fourth"):
            torch.fourth()
        def inner(nn, x):
            return nn.fifth(x.sixth, torch.ones(2).seventh)
        class Net(nn.Module):
            def forward(self, F=None):
                F = self
                return F.eighth
        torch.backends.cudnn.whatever = True
        torch.Tensor.ninth = None
        """,
    )
    assert names(script) == [("torch.third", "train.py", 11)]


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("torch", False),
        ("torch.__version__", False),
        ("torch.nn.modules.container.Sequential", False),
        ("torch.nn.functional.relu", False),
        ("torch.Tensor.add_", False),
        ("torch.Tensor.no_such", True),
        ("torch.utils.data.DataLoader", False),
        ("torch.float32.itemsize", False),
        ("torch.relu.anything", False),
        ("torch.backends.cudnn.benchmark", False),
    ],
)
def test_names_are_looked_up(name: str, gone: bool) -> None:
    assert absent(name) is gone


def test_a_traceback_begins_in_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(tmp_path, "import torch\ndef f():\n    raise ValueError('here')\nf()\n")
    assert run(script) == 1
    assert [line for line in capsys.readouterr().err.splitlines() if "File" in line] == [
        f'  File "{script}", line 4, in <module>',
        f'  File "{script}", line 3, in f',
    ]


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit('no data')", 1, "no data\n"),
        (
            "open('/no/such/file')",
            1,
            "FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file'\n",
        ),
        ("x = (", 1, "SyntaxError: '(' was never closed\n"),
    ],
)
def test_a_program_ends_as_in_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, status: int, said: str
) -> None:
    assert run(written(tmp_path, text)) == status
    assert capsys.readouterr().err.endswith(said)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="There is no file"):
        run(tmp_path / "nothing.py")


def test_an_installed_torch_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    real, part = ModuleType("torch"), ModuleType("torch.nn")
    monkeypatch.setitem(sys.modules, "torch", real)
    monkeypatch.setitem(sys.modules, "torch.nn", part)
    before = {name: one for name, one in sys.modules.items() if name.partition(".")[0] == "torch"}
    with aliases():
        torch = importlib.import_module("torch")
        assert torch.nn is importlib.import_module("torch.nn") is tk.nn
        assert tk.nn.__spec__ is not None
        assert tk.nn.__spec__.name == "tensorkit.nn"
        assert torch.__dict__["nn"] is tk.nn
        torch.answer = 42
        with pytest.raises(AttributeError, match="module 'torch' of tensorkit has no attribute 'nothing'"):
            _ = torch.nothing
    assert {name: one for name, one in sys.modules.items() if name.partition(".")[0] == "torch"} == before
    assert not hasattr(tk, "answer")


def test_a_notebook_loads_and_unloads_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    before = sys.modules["torch"]
    load_ipython_extension(None)
    load_ipython_extension(None)
    try:
        assert importlib.import_module("torch").Tensor is tk.Tensor
        assert "PyTorch was imported before" in capsys.readouterr().out
    finally:
        unload_ipython_extension(None)
    assert sys.modules["torch"] is before


def test_an_import_alone_is_a_use(tmp_path: Path) -> None:
    script = written(tmp_path, "import torch.nope as n, torch.nn, torchvision.datasets\nn.inner\n")
    assert names(script) == [("torch.nope", "train.py", 1), ("torch.nope.inner", "train.py", 2)]


def test_the_command_gives_a_program_its_own_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = written(tmp_path, "import sys, torch\nprint(sys.argv[1:])\nsys.exit(4)\n")
    monkeypatch.setattr(sys, "argv", ["tensorkit", "run", str(script), "--help", "-x", "1", "--anyway"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert (left.value.code, capsys.readouterr().out) == (4, "['--help', '-x', '1', '--anyway']\n")
    monkeypatch.setattr(sys, "argv", ["tensorkit", "run", str(written(tmp_path, "import torch.nope"))])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 1
    assert capsys.readouterr().err.startswith("train.py needs what tensorkit")
