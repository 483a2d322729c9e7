"""Named results: tuples whose parts have names and which print as PyTorch's.

>>> tk.tensor([3, 1]).max(0)
tensorkit.return_types.max(
values=tensor(3),
indices=tensor(0))

What an operation wrote into tensors given as ``out=`` comes back as the type of the same name with ``_out``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

__all__ = [
    "aminmax",
    "aminmax_out",
    "cummax",
    "cummax_out",
    "cummin",
    "cummin_out",
    "frexp",
    "frexp_out",
    "geqrf",
    "geqrf_out",
    "histogram",
    "histogram_out",
    "histogramdd",
    "kthvalue",
    "kthvalue_out",
    "linalg_cholesky_ex",
    "linalg_cholesky_ex_out",
    "linalg_eig",
    "linalg_eig_out",
    "linalg_eigh",
    "linalg_eigh_out",
    "linalg_inv_ex",
    "linalg_inv_ex_out",
    "linalg_ldl_factor",
    "linalg_ldl_factor_ex",
    "linalg_ldl_factor_ex_out",
    "linalg_ldl_factor_out",
    "linalg_lstsq",
    "linalg_lstsq_out",
    "linalg_lu",
    "linalg_lu_factor",
    "linalg_lu_factor_ex",
    "linalg_lu_factor_ex_out",
    "linalg_lu_factor_out",
    "linalg_lu_out",
    "linalg_qr",
    "linalg_qr_out",
    "linalg_slogdet",
    "linalg_slogdet_out",
    "linalg_solve_ex",
    "linalg_solve_ex_out",
    "linalg_svd",
    "linalg_svd_out",
    "lu_unpack",
    "lu_unpack_out",
    "max",
    "max_out",
    "median",
    "median_out",
    "min",
    "min_out",
    "mode",
    "mode_out",
    "nanmedian",
    "nanmedian_out",
    "qr",
    "qr_out",
    "slogdet",
    "slogdet_out",
    "sort",
    "sort_out",
    "svd",
    "svd_out",
    "topk",
    "topk_out",
    "triangular_solve",
    "triangular_solve_out",
]


def __dir__() -> list[str]:
    return __all__


class _Result(tuple[Any, ...]):
    """A tuple whose parts can be read by name, and not be replaced."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    def __new__(cls, parts: Iterable[Any], extra: Any = None) -> _Result:
        if parts.__class__ is tuple:
            given: tuple[Any, ...] = parts
        elif isinstance(parts, Iterable):
            given = tuple(parts)
        else:
            raise TypeError("constructor requires a sequence")
        if len(given) != len(cls._fields):
            raise TypeError(
                f"tensorkit.return_types.{cls.__name__}() takes a {len(cls._fields)}-sequence "
                f"({len(given)}-sequence given)"
            )
        return tuple.__new__(cls, given)

    def __repr__(self) -> str:
        parts = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"tensorkit.return_types.{type(self).__name__}(\n{parts})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self), {})


def _part(position: int, name: str) -> property:
    def part(self: _Result) -> Any:
        return self[position]

    return property(part, doc=f"The part called ``{name}``.")


def _named(name: str, fields: str) -> Any:
    """A type of result: ``_named("max", "values indices")``."""
    parts = tuple(fields.split())
    members: dict[str, Any] = {part: _part(place, part) for place, part in enumerate(parts)}
    members |= {"__slots__": (), "__module__": __name__, "_fields": parts, "n_fields": len(parts)}
    return type(name, (_Result,), members)


aminmax = _named("aminmax", "min max")
aminmax_out = _named("aminmax_out", "min max")
cummax = _named("cummax", "values indices")
cummax_out = _named("cummax_out", "values indices")
cummin = _named("cummin", "values indices")
cummin_out = _named("cummin_out", "values indices")
frexp = _named("frexp", "mantissa exponent")
frexp_out = _named("frexp_out", "mantissa exponent")
geqrf = _named("geqrf", "a tau")
geqrf_out = _named("geqrf_out", "a tau")
histogram = _named("histogram", "hist bin_edges")
histogram_out = _named("histogram_out", "hist bin_edges")
histogramdd = _named("histogramdd", "hist bin_edges")
kthvalue = _named("kthvalue", "values indices")
kthvalue_out = _named("kthvalue_out", "values indices")
linalg_cholesky_ex = _named("linalg_cholesky_ex", "L info")
linalg_cholesky_ex_out = _named("linalg_cholesky_ex_out", "L info")
linalg_eig = _named("linalg_eig", "eigenvalues eigenvectors")
linalg_eig_out = _named("linalg_eig_out", "eigenvalues eigenvectors")
linalg_eigh = _named("linalg_eigh", "eigenvalues eigenvectors")
linalg_eigh_out = _named("linalg_eigh_out", "eigenvalues eigenvectors")
linalg_inv_ex = _named("linalg_inv_ex", "inverse info")
linalg_inv_ex_out = _named("linalg_inv_ex_out", "inverse info")
linalg_ldl_factor = _named("linalg_ldl_factor", "LD pivots")
linalg_ldl_factor_out = _named("linalg_ldl_factor_out", "LD pivots")
linalg_ldl_factor_ex = _named("linalg_ldl_factor_ex", "LD pivots info")
linalg_ldl_factor_ex_out = _named("linalg_ldl_factor_ex_out", "LD pivots info")
linalg_lstsq = _named("linalg_lstsq", "solution residuals rank singular_values")
linalg_lstsq_out = _named("linalg_lstsq_out", "solution residuals rank singular_values")
linalg_lu = _named("linalg_lu", "P L U")
linalg_lu_out = _named("linalg_lu_out", "P L U")
linalg_lu_factor = _named("linalg_lu_factor", "LU pivots")
linalg_lu_factor_out = _named("linalg_lu_factor_out", "LU pivots")
linalg_lu_factor_ex = _named("linalg_lu_factor_ex", "LU pivots info")
linalg_lu_factor_ex_out = _named("linalg_lu_factor_ex_out", "LU pivots info")
linalg_qr = _named("linalg_qr", "Q R")
linalg_qr_out = _named("linalg_qr_out", "Q R")
linalg_slogdet = _named("linalg_slogdet", "sign logabsdet")
linalg_slogdet_out = _named("linalg_slogdet_out", "sign logabsdet")
linalg_solve_ex = _named("linalg_solve_ex", "result info")
linalg_solve_ex_out = _named("linalg_solve_ex_out", "result info")
linalg_svd = _named("linalg_svd", "U S Vh")
linalg_svd_out = _named("linalg_svd_out", "U S Vh")
lu_unpack = _named("lu_unpack", "P L U")
lu_unpack_out = _named("lu_unpack_out", "P L U")
max = _named("max", "values indices")
max_out = _named("max_out", "values indices")
median = _named("median", "values indices")
median_out = _named("median_out", "values indices")
min = _named("min", "values indices")
min_out = _named("min_out", "values indices")
mode = _named("mode", "values indices")
mode_out = _named("mode_out", "values indices")
nanmedian = _named("nanmedian", "values indices")
nanmedian_out = _named("nanmedian_out", "values indices")
qr = _named("qr", "Q R")
qr_out = _named("qr_out", "Q R")
slogdet = _named("slogdet", "sign logabsdet")
slogdet_out = _named("slogdet_out", "sign logabsdet")
sort = _named("sort", "values indices")
sort_out = _named("sort_out", "values indices")
svd = _named("svd", "U S V")
svd_out = _named("svd_out", "U S V")
topk = _named("topk", "values indices")
topk_out = _named("topk_out", "values indices")
triangular_solve = _named("triangular_solve", "solution cloned_coefficient")
triangular_solve_out = _named("triangular_solve_out", "solution cloned_coefficient")
