"""What programs say to parts of PyTorch that are not here: harmless, or a sentence; states and words are PyTorch's."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tensorkit as tk
from tests.torch_oracle import require_torch, sentence

_ENV = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29517"}


def seen(do: Callable[[Any], Any], lib: Any) -> Any:
    """What a call gives, as text, or its error; and its warnings, but for those of deprecations deep inside."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = do(lib)
            result = answer if isinstance(answer, (bool, int, float, str, dict, type(None))) else str(answer)
        except Exception as error:
            result = (type(error).__name__, sentence(error))
    heard = [(w.category.__name__, str(w.message)) for w in caught if w.category is not DeprecationWarning]
    return str(result).replace("torch.", "tensorkit."), [
        (c, m.replace("torch", "tensorkit")) for c, m in heard
    ]


def scaled(lib: Any) -> Any:
    """Some steps with a scaler, one of them with an infinite gradient."""
    weight = lib.ones(2, requires_grad=True)
    optimizer = lib.optim.SGD([weight], lr=0.5)
    scaler = lib.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    told: list[Any] = []
    for factor in (1.0, float("inf"), 1.0, 2.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((weight * factor).sum()).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        told.append((weight.tolist(), scaler.state_dict()))
    other = lib.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    scaler.update(4.0) if scaler._scale is not None else None
    return str(
        (told, other.get_scale(), scaler.get_scale(), [x.tolist() for x in scaler.scale([lib.ones(1)])])
    )


def twice(lib: Any) -> Any:
    weight = lib.ones(2, requires_grad=True)
    optimizer = lib.optim.SGD([weight], lr=0.5)
    scaler = lib.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
    scaler.unscale_(optimizer)


def unprepared(lib: Any) -> Any:
    lib.amp.GradScaler("cpu").step(lib.optim.SGD([lib.ones(1)], lr=1.0))


def regions(lib: Any) -> Any:
    told = []
    with lib.autocast("cpu", dtype=lib.float16, cache_enabled=False):
        told.append((lib.is_autocast_enabled("cpu"), str(lib.get_autocast_dtype("cpu"))))
        told.append((lib.is_autocast_cache_enabled(), lib.is_autocast_enabled()))
        with lib.amp.autocast("cpu", enabled=False):
            told.append((lib.is_autocast_enabled("cpu"), str(lib.get_autocast_dtype("cpu"))))
    return str([*told, lib.is_autocast_enabled("cpu"), lib.is_autocast_cache_enabled()])


def cuda_region(lib: Any) -> Any:
    with lib.autocast("cuda"):
        return lib.is_autocast_enabled("cuda")


CASES: dict[str, Callable[[Any], Any]] = {
    "scaler": scaled,
    "unscale twice": twice,
    "step without scale": unprepared,
    "scaler of cuda": lambda lib: lib.amp.GradScaler().is_enabled(),
    "older scaler": lambda lib: lib.cuda.amp.GradScaler().state_dict(),
    "growth": lambda lib: lib.amp.GradScaler("cpu", growth_factor=1.0),
    "backoff": lambda lib: lib.amp.GradScaler("cpu", backoff_factor=1.0),
    "regions": regions,
    "cuda region": cuda_region,
    "older region": lambda lib: lib.cuda.amp.autocast().fast_dtype,
    "region of float32": lambda lib: lib.autocast("cpu", dtype=lib.float32)._enabled,
    "region of nothing": lambda lib: lib.autocast("foo"),
    "region of a number": lambda lib: lib.autocast(3),
    "region of meta": lambda lib: lib.autocast("meta"),
    "available": lambda lib: lib.amp.autocast_mode.is_autocast_available("cuda"),
    "bfloat16": lambda lib: lib.cuda.is_bf16_supported(),
    "compile a number": lambda lib: lib.compile(3),
    "mode and options": lambda lib: lib.compile(mode="x", options={})(print),
    "compiling": lambda lib: lib.compiler.is_compiling(),
    "parallel": lambda lib: lib.nn.DataParallel(lib.nn.Sequential(lib.nn.Identity())),
    "parallel state": lambda lib: (
        lib.nn.DataParallel(lib.nn.ParameterList([lib.ones(1)])).state_dict().keys()
    ),
    "rank": lambda lib: lib.distributed.get_rank(),
    "size": lambda lib: lib.distributed.get_world_size(),
    "initialised": lambda lib: lib.distributed.is_initialized(),
    "end of nothing": lambda lib: lib.distributed.destroy_process_group(),
    "ddp of no group": lambda lib: lib.nn.parallel.DistributedDataParallel(
        lib.nn.ParameterList([lib.ones(1)])
    ),
    "operation": lambda lib: repr(lib.distributed.ReduceOp.SUM) + str(lib.distributed.ReduceOp.MAX),
    "strategy": lambda lib: lib.multiprocessing.set_sharing_strategy("file_system"),
    "profiler": lambda lib: [
        lib.profiler.schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)(n).name for n in range(11)
    ].__str__(),
}


@pytest.mark.parity
@pytest.mark.parametrize("name", CASES)
def test_states_and_words_are_pytorchs(name: str) -> None:
    torch = require_torch()
    if torch.cuda.is_available() and ("cuda" in name or "older" in name or name in ("bfloat16", "parallel")):
        pytest.skip("what the CPU build says")
    assert seen(CASES[name], tk) == seen(CASES[name], torch)


# -- compiling ------------------------------------------------------------------------------------------------------


def test_what_is_compiled_stays_what_it_is() -> None:
    model = tk.nn.Identity()
    assert tk.compile(model, mode="reduce-overhead", fullgraph=True, dynamic=False) is model
    assert tk.compile()(model) is model
    assert tk.jit.script(model) is model
    assert tk.jit.trace(model, tk.ones(1)) is model
    assert tk.compiler.disable(len) is len

    @tk.compile(backend="eager")
    def f(x: Any) -> Any:
        return x + 1

    assert f(tk.ones(1)).item() == 2


@pytest.mark.parametrize(
    "refused",
    [
        lambda: tk.jit.save(len, "a"),
        lambda: tk.jit.load("a"),
        lambda: tk.onnx.export(None),
        lambda: tk.fx.symbolic_trace(None),
        lambda: tk.hub.load("a/b", "c"),
        lambda: tk.hub.list("a/b"),
        lambda: tk.hub.load_state_dict_from_url("http://a/b"),
    ],
)
def test_what_is_not_here_says_what_to_do(refused: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError, match=r"^tensorkit .*(: |;).*"):
        refused()


# -- processes ------------------------------------------------------------------------------------------------------


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, value in _ENV.items():
        monkeypatch.setenv(name, value)
    tk.distributed.init_process_group("gloo")
    yield tk.distributed
    if tk.distributed.is_initialized():
        tk.distributed.destroy_process_group()


def test_a_world_of_one(group: Any) -> None:
    x = tk.arange(3.0)
    assert group.all_reduce(x) is None
    assert group.all_reduce(x, op=group.ReduceOp.AVG, async_op=True).wait()
    there = [tk.zeros(3)]
    group.all_gather(there, x)
    group.broadcast(x, src=0)
    group.reduce(x, 0)
    group.barrier()
    part = tk.zeros(3)
    group.scatter(part, [x])
    objects: list[Any] = [None]
    group.all_gather_object(objects, {"a": 1})
    assert [there[0].tolist(), part.tolist(), objects] == [[0, 1, 2], [0, 1, 2], [{"a": 1}]]
    assert (group.get_rank(), group.get_world_size(), group.get_backend()) == (0, 1, "gloo")
    model = tk.nn.ParameterList([tk.ones(1)])
    wrapped = tk.nn.parallel.DistributedDataParallel(model)
    assert list(wrapped.state_dict()) == ["module.0"]
    with wrapped.no_sync():
        assert wrapped.module is model
    with pytest.raises(
        RuntimeError, match=r"DistributedDataParallel is not needed when a module doesn't have any"
    ):
        tk.nn.parallel.DistributedDataParallel(tk.nn.Identity())
    assert list(tk.utils.data.DistributedSampler(range(3), shuffle=False)) == [0, 1, 2]
    with pytest.raises(ValueError, match=r"trying to initialize the default process group twice!"):
        group.init_process_group("gloo")
    with pytest.raises(TypeError, match=r"Expected parameter `tensor` of type tensorkit.Tensor"):
        group.all_reduce([1])
    with pytest.raises(RuntimeError, match=r"ProcessGroupGloo::broadcast: invalid root rank: 1"):
        group.broadcast(x, 1)
    with pytest.raises(ValueError, match="Invalid destination rank"):
        group.send(x, 0)


def test_more_processes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _ENV:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match=r"environment variable RANK expected, but not set"):
        tk.distributed.init_process_group("gloo")
    with pytest.raises(RuntimeError, match=r"has one process, and this is to be number 1 of 4"):
        tk.distributed.init_process_group("gloo", "tcp://localhost:1", world_size=4, rank=1)
    assert not tk.distributed.is_initialized()


def _writes(number: int, path: str) -> None:
    with open(f"{path}{number}", "w", encoding="utf-8") as file:
        file.write(str(tk.ones(2).sum().item()))


def _fails(number: int) -> None:
    if number:
        raise ValueError("number one fails")


def test_processes_are_started_and_their_errors_told(tmp_path: Any) -> None:
    tk.multiprocessing.start_processes(_writes, (f"{tmp_path}/n",), nprocs=2, start_method="fork")
    assert sorted(os.listdir(tmp_path)) == ["n0", "n1"]
    with pytest.raises(
        tk.multiprocessing.ProcessRaisedException, match=r"(?s)Process 1 terminated.*number one fails"
    ):
        tk.multiprocessing.start_processes(_fails, nprocs=2, start_method="fork")


# -- several devices ------------------------------------------------------------------------------------------------


class Scaled(tk.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factor = tk.nn.Parameter(tk.full((2,), 3.0))

    def forward(self, x: Any, plus: Any = 0) -> Any:
        return x * self.factor + plus


def test_a_batch_on_two_devices() -> None:
    with tk.cuda.emulate(devices=2):
        model = Scaled().cuda()
        parallel = tk.nn.DataParallel(model)
        x = tk.arange(6.0, device="cuda").view(3, 2)
        out = parallel(x, plus=x)
        assert out.device == tk.device("cuda:0")
        assert out.tolist() == (x * 4).tolist()
        out.sum().backward()
        assert model.factor.grad.tolist() == [6.0, 9.0]
        assert tk.nn.parallel.data_parallel(model, x, [0]).tolist() == (x * 3).tolist()
        parts = tk.nn.parallel.scatter({"a": (x, 1)}, [0, 1])
        assert [part["a"][1] for part in parts] == [1, 1]
        assert tk.nn.parallel.gather([part["a"][0] for part in parts], "cpu").tolist() == x.tolist()
        with pytest.raises(
            RuntimeError, match=r"module must have its parameters and buffers on device cuda:0"
        ):
            tk.nn.DataParallel(Scaled())(x)


# -- profiler -------------------------------------------------------------------------------------------------------

COLUMNS = ("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls")


def test_a_profile_counts_and_prints() -> None:
    heard: list[str] = []
    plan = tk.profiler.schedule(wait=1, warmup=0, active=1, repeat=1)
    with tk.profiler.profile(schedule=plan, on_trace_ready=lambda p: heard.append(str(p.step_num))) as prof:
        for _ in range(4):
            with tk.profiler.record_function("inner"):
                tk.ones(2).add(1).add(1)
            prof.step()
    counts = {entry.key: entry.count for entry in prof.key_averages()}
    assert counts == {"inner": 1, "aten::ones": 1, "aten::add": 2}
    assert heard == ["2"]
    lines = prof.key_averages().table(sort_by="cpu_time_total", row_limit=1).splitlines()
    assert re.split(r"\s{2,}", lines[1].strip()) == ["Name", *COLUMNS]
    assert lines[3].split()[0] == "inner"
    assert len({len(line) for line in lines[:5]}) == 1
    assert lines[5].startswith("Self CPU time total: ")
    inner = next(entry for entry in prof.key_averages() if entry.key == "inner")
    assert 0 <= inner.self_cpu_time_total < inner.cpu_time_total


def old_profile(lib: Any) -> Any:
    made = lib.autograd.profiler.profile
    with made(enabled=False) as nothing:
        pass
    with made() as prof:
        before = str(prof)
        lib.ones(2).add(1).add(1)
    counts = {one.key: one.count for one in prof.key_averages() if one.key == "aten::add"}
    told = [
        str(nothing),
        before,
        str(counts),
        str(prof.key_averages().table(sort_by="self_cpu_time_total") != ""),
    ]
    with made(use_cuda=True) as prof, prof:
        pass
    return told


@pytest.mark.parametrize(
    "do",
    [
        old_profile,
        lambda lib: lib.ops.aten.add,
        lambda lib: repr(lib.ops.aten.add.Tensor),
        lambda lib: lib.ops.aten.add.Nope,
        lambda lib: lib.ops.aten.nothing,
        lambda lib: lib.ops.aten.add.Tensor(lib.ones(2), 2, alpha=3),
        lambda lib: lib.ops.aten.mul_.Scalar(lib.ones(2), 3),
        lambda lib: lib.ops.aten.add.out(lib.ones(2), lib.ones(2), out=lib.zeros(2)),
        lambda lib: lib.ops.aten.mm.default(lib.ones(2, 2), lib.eye(2)),
        lambda lib: lib.ops.aten.linalg_norm(lib.ones(4)),
        lambda lib: lib.ops.aten.conv2d(lib.ones(1, 1, 2, 2), lib.ones(1, 1, 2, 2)),
        lambda lib: lib.ops.aten.clip(lib.ones(2), 0, 0.5),
        lambda lib: lib.ops.aten.sum.dim_IntList(lib.ones(2, 2), [1]),
        lambda lib: lib.ops.aten.concat([lib.ones(1), lib.ones(1)]),
    ],
)
@pytest.mark.parity
def test_names_of_earlier_years_and_of_compilers(do: Callable[[Any], Any]) -> None:
    torch = require_torch()
    assert seen(do, tk) == seen(do, torch)
