"""Modules that moved are found under their old names: old imports work, and so do pickles written before."""

from __future__ import annotations

import base64
import importlib
import importlib.util
import pickle
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.old_names import MOVED
from tensorkit.strides.layout import Layout

# What `pickle.dumps` gave in November 2026, before the modules got folders, in base 85.
PICKLED = {
    "tensor": (
        "fCQD_000000001t7j$KAb8m8MX>=}caC0tja&L5RV{dG8l#B>pa%Ez5X>4Salawfo33O#{b8m8MX>^o~22^Ekb8m8#la!1RbY*UH"
        "Z*psCbS`srZ*pO0Wt5B#Uvgz)b!lv5UvznJWn`3-ltUN*000000DwOL002M$06;(h0DwRM0H8pWj00nEb(ClWj0a|HZ((#ZGL(~)"
        "hm=y3O8{sCj096@dS#T8luH9k0)~`@lv0#S0ZRjhlzo&aj16*Sadl~OWpiI=a$#hYiHrneZ*FRoiHrkoWoML$b##<clr8"
    ),
    "leaf": (
        "fCQDx000000001t7j$KAb8m8MX>=}caC0tja&L5RV{dG8l#B>pa%Ez5X>4Salawfo33O#{b8m8MX>^o~22^Ekb8m8#la!1RbY*UH"
        "Z*psCbS`srZ*pO0Wt5B#Uvgz)b!lv5UvznJWn`3-ltTyr0DwOL0DwP~j00nEb(ClWj0a|HZ((#ZGL(~)hm=y3O8{sCj096@dS#T8"
        "luH7Il!cU1luH4Hlzo&aj16*Sadl~OWpiI=a$#hYh>QedZ*FRoiHrkoWoML$b##<clr8"
    ),
    "result": (
        "fCQC40RR910001t7IbB9b8m8MX>=}fWps6NZeMhHaAk9pj00_9c$AZrj2CoeZgX#PYiV>YZ*X%iaB^>SZ)0z4bCiq-Uvgz)b!lv5"
        "l#`Swj0tpQZgX#PYiV?pj0RL?ZgX#Pl#`T<5p-p4b8m8MX>=}gbZ>HDXJwR(4qtL*Vs&Y3WM6c7aAjnalaxaU002Nh004kMl#Byo"
        "aCMYu28;)0Y;R$7GcuHul!ug3luH0;28;w#X?kUplaxyWg_MPqQj|*pg_M1iD2xqqWpQ<Ba%FR0XL4a=l!=T4V{dM1l!=T3Ze?eb"
        "iFI_8Qj}-~C};?13queA0000000000000000001#Xborvj0I_KbT%}Ulaz;)Qj|*oXcJ2Ug_MPqQj};HeUvC@8Hs2biD(;%b##<c"
        "l!lajl!la2lr8"
    ),
    "layout": (
        "fCQCf000000001t5p-p4b8m8MX>=}gbaH8AWpk8_225djZ*_E(lawielumt=D2xPcVPs{LeUyv_Z)Rq5WptEF0E`85Xm59JlunEU"
        "b7^{IluH6j1BR5026J?BX=G)TO9M**hLm-NlwvL"
    ),
    "no_grad": "fCQB%000000001t7j$KAb8m8MX>=}Ob#!lMa$#gHZEs{{l#B;%Z(nC}VPuq(lr8",
    "matmul": "fCQB#000000001t7IbB9b8m8MX>=}caC0tja&KgHV{~(rj0SCCbZvEPl#`S$",
    "add": "fCQBz000000001t7j$KAb8m8MX>=}caC0tjZ)t9HcWHBFl#BymWMq_+lr8",
    "hooks": "fCQB_000000001t8FXcCb8m8MX>=}Ob#!lMa$#gHb76LAZfBH?6LVp9Wn^D;Wo~nCa&up3Z*OaJl#`S$",
    "dtype": "fCQBp000000001t33O#{b8m8MX>^o~2WD(<VRSJzl#`S$",
    "storage": "fCQC0000000001t5p-p4b8m8MX>=}gbZ>HDXJwR(2w!q#Vs&Y3WR#PXLks`_00000fIk2L06>(C17mP?l!la2lr8",
    "typed storage": (
        "fCQCe000000001t5p-p4b8m8MX>=}gbZ>HDXJwR(4qtL*Vs&Y3WM6c7aAjnalaxak00000000000RR91000000ssI200000l#ByoaCMZ7"
        "33O#{b8m8MX>^o~1!-<{HZ+uzl!ug3lr8"
    ),
    "format": "fCQBv000000001t33O#{b8m8MX>^o~4P$6wZf<34b6;#>b99uGlr8",
}


def old(name: str) -> Any:
    return pickle.loads(base64.b85decode(PICKLED[name]))


def test_tensors_and_results_come_back() -> None:
    tensor = old("tensor")
    assert (tensor.tolist(), tensor.stride()) == ([[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]], (1, 3))
    leaf = old("leaf")
    assert leaf.requires_grad
    assert leaf.is_leaf
    result = old("result")
    assert type(result) is tk.return_types.max
    assert (result.values.tolist(), result.indices.tolist()) == ([3.0, 4.0], [1, 0])


def test_storages_come_back() -> None:
    assert old("storage").tolist() == tk.arange(3.0).untyped_storage().tolist()
    typed = old("typed storage")
    assert (type(typed), typed.dtype, typed.tolist()) == (tk.TypedStorage, tk.int64, [0, 1, 2])


@pytest.mark.parametrize(
    ("name", "now"),
    [
        ("layout", Layout((2, 3), (3, 1))),
        ("no_grad", tk.no_grad),
        ("matmul", tk.matmul),
        ("add", tk.add),
        ("hooks", tk.autograd.graph.saved_tensors_hooks),
        ("dtype", tk.float16),
        ("format", tk.channels_last),
    ],
)
def test_what_has_a_name_is_found(name: str, now: Any) -> None:
    found = old(name)
    assert found is now or (isinstance(now, Layout) and found == now)


@pytest.mark.parametrize("name", [name for name, now in MOVED.items() if isinstance(now, str)])
def test_an_old_name_is_the_same_module(name: str) -> None:
    assert importlib.util.find_spec(f"tensorkit.{MOVED[name]}") is not None
    if "cuda" not in name:
        assert importlib.import_module(f"tensorkit.{name}") is importlib.import_module(
            f"tensorkit.{MOVED[name]}"
        )


@pytest.mark.parametrize(("name", "now"), [item for item in MOVED.items() if not isinstance(item[1], str)])
def test_a_module_that_became_several_has_what_each_of_them_offers(name: str, now: tuple[str, ...]) -> None:
    old_module = importlib.import_module(f"tensorkit.{name}")
    for place in now:
        module = importlib.import_module(f"tensorkit.{place}")
        assert {public: getattr(old_module, public) for public in module.__all__} == {
            public: getattr(module, public) for public in module.__all__
        }
    with pytest.raises(AttributeError, match=f"module 'tensorkit.{name}' has no attribute 'nothing'"):
        old_module.nothing  # noqa: B018


def test_a_folder_with_an_old_modules_name_has_what_that_held() -> None:
    from tensorkit.ops.pointwise import add  # type: ignore[attr-defined]
    from tensorkit.ops.random import rand, rand_like  # type: ignore[attr-defined]

    assert (add, rand_like) == (tk.add, tk.rand_like)
    assert rand.__name__ == "tensorkit.ops.random.rand"  # a file goes before what it holds
    with pytest.raises(ImportError, match=r"cannot import name 'nothing' from 'tensorkit\.ops\.pointwise'"):
        from tensorkit.ops.pointwise import nothing  # type: ignore[attr-defined]  # noqa: F401


def test_what_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'tensorkit\.ops\.nothing'"):
        importlib.import_module("tensorkit.ops.nothing")
