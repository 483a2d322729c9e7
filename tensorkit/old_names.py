"""Modules under the names that they had until 2026: imports and pickles from then find them where they are now.

>>> import importlib
>>> importlib.import_module("tensorkit.ops.norms").__name__
'tensorkit.ops.linalg.norms'

Source: https://docs.python.org/3/library/importlib.html#importlib.abc.MetaPathFinder
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

__all__ = ["MOVED", "attributes_from", "install"]

#: Where a module is now, by where it was; both without ``tensorkit.``. Several: what it held is in these.
MOVED: dict[str, str | tuple[str, ...]] = {
    "autograd.anomaly": "autograd.anomaly_mode",
    "autograd.edges": "autograd.graph.gradient_edge",
    "autograd.mode": "autograd.grad_mode",
    "autograd.multigrad": "autograd.graph.multi_grad_hook",
    "autograd.mutation": "autograd.graph.saved_mutation",
    "autograd.nodes": "autograd.node",
    "autograd.outs": "autograd.out_arguments",
    "autograd.saving": "autograd.saved_tensors_hooks",
    "autograd.views": "autograd.inplace_views",
    "bits": "conj_bit",
    "brackets": "strides.basic_index",
    "fitting": "strides.view",
    "formats": "memory_format",
    "forms": "dispatch.signatures",
    "kernels.bell": "kernels.jit.spin_wait",
    "kernels.box_muller": "kernels.cpu.random.box_muller",
    "kernels.brief_extremes": "kernels.cpu.minmax_compiled",
    "kernels.brief_sums": "kernels.cpu.sum_compiled",
    "kernels.compiled": "kernels.jit.compiler",
    "kernels.compiled_each": "kernels.cpu.elementwise_compiled",
    "kernels.compiled_masks": "kernels.cpu.mask_compiled",
    "kernels.compiled_moments": "kernels.cpu.var_compiled",
    "kernels.compiled_order": "kernels.cpu.sorting.sort_compiled",
    "kernels.compiled_rows": "kernels.cpu.rows_compiled",
    "kernels.compiled_scan": "kernels.cpu.scan_compiled",
    "kernels.compiled_soft": "kernels.cpu.softmax_compiled",
    "kernels.cuda.bodies": "kernels.cuda.kernels",
    "kernels.cuda.convert": "kernels.cuda.half",
    "kernels.cuda.machine": "kernels.cuda.emulator",
    "kernels.draws": "kernels.cpu.random.sampling",
    "kernels.few": "kernels.cpu.tiny",
    "kernels.lapack": "kernels.cpu.lapack",
    "kernels.large": "kernels.cpu.parallel",
    "kernels.modified": "kernels.cpu.special.bessel_i0",
    "kernels.order": "kernels.cpu.sorting.sort",
    "kernels.oscillating": "kernels.cpu.special.bessel",
    "kernels.picked": "kernels.cpu.gather_compiled",
    "kernels.planes": "kernels.cpu.strided_2d",
    "kernels.polynomials": "kernels.cpu.special.orthogonal_polynomials",
    "kernels.powers": "kernels.cpu.pow",
    "kernels.sums": "kernels.cpu.sum",
    "kernels.threads": "kernels.jit.threads",
    "kernels.ufuncs": "kernels.cpu.ufuncs",
    "kernels.worker": "kernels.jit.compile_worker",
    "limits": "finfo",
    "loading": "gc_pause",
    "memory_order": "strides.output",
    "ops.advanced": ("ops.indexing.advanced_index", "ops.indexing.index_plan", "ops.indexing.index_plan"),
    "ops.affine": (
        "ops.matrix_products.addmm",
        "ops.matrix_products.addmm_arguments",
        "ops.matrix_products.addmv",
        "ops.matrix_products.addbmm",
    ),
    "ops.angles": "ops.pointwise.trigonometric",
    "ops.anomalies": "autograd.anomaly_switch",
    "ops.asking": "ops.tensor.queries",
    "ops.bessel": "ops.special.bessel",
    "ops.binary": (
        "ops.pointwise.binary",
        "ops.pointwise.logaddexp",
        "ops.pointwise.float_power",
        "ops.pointwise.logaddexp",
        "ops.pointwise.float_power",
    ),
    "ops.bins": "ops.sorting.bin_edges",
    "ops.chains": (
        "ops.linalg.matrix_power",
        "ops.linalg.trace",
        "ops.matrix_products.vecdot",
        "ops.matrix_products.cross",
        "ops.matrix_products.multi_dot",
        "ops.linalg.trace",
        "ops.matrix_products.vecdot",
        "ops.matrix_products.cross",
        "ops.matrix_products.multi_dot",
    ),
    "ops.conjugates": "ops.complex.conj",
    "ops.construct": (
        "ops.rearranging.diag",
        "ops.rearranging.block_diag",
        "ops.rearranging.meshgrid",
        "ops.rearranging.combinations",
        "ops.rearranging.vander",
        "ops.rearranging.unravel_index",
    ),
    "ops.convert": "ops.shared.to",
    "ops.copies": "ops.shared.copy",
    "ops.create": ("ops.creation.empty", "ops.creation.full", "ops.creation.eye"),
    "ops.data": "ops.shared.tensor_data",
    "ops.determinants": "ops.linalg.det_matrix_exp",
    "ops.determinism": "ops.shared.uninitialized",
    "ops.dims": "ops.shared.int_args",
    "ops.distances": "ops.linalg.cdist",
    "ops.distributions": "ops.random.inplace_distributions",
    "ops.einsum": ("ops.matrix_products.einsum", "ops.matrix_products.tensordot"),
    "ops.expand": "ops.views.expand_squeeze",
    "ops.export": "ops.shared.item",
    "ops.extremes": (
        "ops.reduction.min_max",
        "ops.reduction.amax",
        "ops.reduction.argmax",
        "ops.reduction.amax",
        "ops.reduction.argmax",
    ),
    "ops.factored": "ops.linalg.cholesky_solve_lu_solve",
    "ops.factors": "ops.linalg.cholesky_lu",
    "ops.fill": "ops.shared.fill",
    "ops.flat": "ops.indexing.take_put",
    "ops.gather": ("ops.indexing.gather", "ops.indexing.scatter", "ops.indexing.scatter_reduce"),
    "ops.histogramdd": "ops.sorting.histogramdd",
    "ops.histograms": "ops.sorting.histc_bincount",
    "ops.imaginary": "ops.complex.real_imag",
    "ops.incomplete": "ops.special.igamma_zeta",
    "ops.indefinite": "ops.linalg.ldl",
    "ops.index": "ops.indexing.getitem_setitem",
    "ops.join": ("ops.joining.cat", "ops.joining.stack", "ops.joining.atleast_nd"),
    "ops.leastsquares": "ops.linalg.lstsq",
    "ops.legacy": "ops.tensor.typed_constructors",
    "ops.logic": "ops.pointwise.bitwise_logical",
    "ops.lowrank": "ops.linalg.lowrank",
    "ops.masked": "ops.indexing.masked",
    "ops.matrices": "ops.linalg.checks",
    "ops.names": "ops.shared.type_names",
    "ops.norms": "ops.linalg.norms",
    "ops.oldlinear": "ops.linalg.deprecated",
    "ops.orthogonal": "ops.linalg.qr",
    "ops.overwriting": "ops.tensor.inplace_functions",
    "ops.parts": "ops.views.slicing",
    "ops.places": ("ops.sorting.searchsorted", "ops.sorting.nonzero"),
    "ops.polynomials": "ops.special.orthogonal_polynomials",
    "ops.precision": "backends.matmul_precision",
    "ops.products": (
        "ops.matrix_products.matmul",
        "ops.matrix_products.product",
        "ops.matrix_products.mm",
        "ops.matrix_products.mv",
    ),
    "ops.protocols": "ops.tensor.python_protocols",
    "ops.quantiles": "ops.sorting.quantile",
    "ops.ranges": "ops.creation.ranges",
    "ops.reduce": "ops.reduction",
    "ops.reducing": "ops.indexing.index_reduce",
    "ops.renorm": "ops.linalg.renorm",
    "ops.reorder": "ops.views.transpose_permute",
    "ops.resize": "ops.shared.resize",
    "ops.respelled": "ops.special.aliases",
    "ops.rounding": "ops.pointwise.rounding",
    "ops.sampling": ("ops.random.sampling", "ops.random.bernoulli", "ops.random.bernoulli"),
    "ops.scalars": "ops.shared.scalar_arithmetic",
    "ops.scan": (
        "ops.reduction.cumsum",
        "ops.reduction.cummax",
        "ops.reduction.diff",
        "ops.reduction.trapezoid",
    ),
    "ops.selecting": "ops.sorting.kthvalue_median",
    "ops.shuffle": (
        "ops.rearranging.repeat",
        "ops.rearranging.repeat_interleave",
        "ops.rearranging.roll",
        "ops.rearranging.flip",
    ),
    "ops.slices": "ops.indexing.index_select",
    "ops.slopes": "ops.reduction.gradient",
    "ops.softmax": "ops.reduction.softmax",
    "ops.solvers": "ops.linalg.solve_inv",
    "ops.spectral": "ops.linalg.svd_eig",
    "ops.split": "ops.views.split",
    "ops.statistics": (
        "ops.reduction.var_std",
        "ops.reduction.norm",
        "ops.reduction.cov",
        "ops.reduction.norm",
        "ops.reduction.cov",
    ),
    "ops.tails": "ops.special.normal_distribution",
    "ops.ternary": (
        "ops.pointwise.addcmul",
        "ops.pointwise.fast_path",
        "ops.pointwise.clamp",
        "ops.pointwise.lerp",
        "ops.pointwise.polar",
    ),
    "ops.triangle": "ops.creation.tril_triu",
    "ops.unary": "ops.pointwise.exp_log",
    "ops.unique": "ops.sorting.unique",
    "ops.values": "ops.pointwise.classification",
    "ops.view": "ops.views.view_reshape",
    "ops.view_copies": "ops.views.view_copies",
    "ops.windows": "ops.creation.windows",
    "ops.writing": "ops.shared.out_and_inplace",
    "overflow": "number_range",
    "pieces": "strides.split",
    "signatures": "dispatch.lazy_signature",
    "sizes": "strides.sizes",
    "spellings": "elementwise.binary",
}


class _Finder(MetaPathFinder, Loader):
    """Asked when no file has the name: so it costs nothing where nothing old is imported."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, name = fullname.partition(".")
        return spec_from_loader(fullname, self) if package == "tensorkit" and name in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # What `sys.modules` holds when this returns is what the importer gets: one module under two names.
        now = MOVED[module.__name__.removeprefix("tensorkit.")]
        if isinstance(now, str):
            sys.modules[module.__name__] = importlib.import_module(f"tensorkit.{now}")
        else:
            # An attribute that is not there is asked of this function.
            found = functools.partial(_first_with, module.__name__, [f"tensorkit.{name}" for name in now])
            module.__dict__["__getattr__"] = found


def _first_with(owner: str, modules: Sequence[str], name: str) -> Any:
    """What the first of the modules that has this name calls so."""
    if not name.startswith("__"):
        for module in modules:
            found = getattr(importlib.import_module(module), name, _first_with)
            if found is not _first_with:
                return found
    raise AttributeError(f"module {owner!r} has no attribute {name!r}")


def install() -> None:
    """Find moved modules from now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


def attributes_from(folder: str, *modules: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a folder that has the name of an old module, whose names are now in its ``modules``."""

    places = [f"{folder}.{module}" for module in modules]

    @functools.cache
    def files() -> set[str]:
        return {found.name for found in pkgutil.iter_modules(importlib.import_module(folder).__path__)}

    def find(name: str) -> Any:
        # `from folder import file` asks here before it looks for the file.
        return _first_with(folder, () if name in files() else places, name)

    return find
