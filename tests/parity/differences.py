"""Where tensorkit does not do what PyTorch does, on purpose: each with its reason, each still seen by the tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tensorkit.dispatch.registry import registry
from tests.parity.compare import Difference, Operand
from tests.torch_oracle import fused


@dataclass(frozen=True)
class Case:
    """One call of one operation on described operands."""

    op: str
    kind: str
    call: str
    operands: Mapping[str, Operand]

    def layout(self) -> str:
        """How the first operand lies in memory."""
        return next((operand.layout for operand in self.operands.values()), "plain")

    def dtypes(self) -> set[str]:
        """The dtypes of the operands."""
        return {operand.dtype for operand in self.operands.values()}

    def empty(self) -> bool:
        """Whether an operand has no elements."""
        return any(0 in operand.size for operand in self.operands.values())

    def telling(self) -> bool:
        """Whether the values are those on which arithmetic trips."""
        return any(operand.values == "telling" for operand in self.operands.values())

    def writes(self) -> bool:
        """Whether the call writes into its first operand."""
        return re.search(r"\w_\(|__setitem__|inplace=True", self.call) is not None


@dataclass(frozen=True)
class Deliberate:
    """A difference that is meant.

    Attributes:
        reason: why.
        covers: which cases.
        rare: whether only fuzzing is sure to meet it.
        chance: whether PyTorch itself leaves it to chance: to its loops, its memory or the machine's libraries.
    """

    reason: str
    covers: Callable[[Case, Difference], bool]
    rare: bool = False
    chance: bool = False


def _raised(difference: Difference, text: str) -> bool:
    return text in repr(difference.theirs.error)


LINEAR = frozenset(
    f"tensorkit.ops.linalg.{name}"
    for name in (
        "solve_inv",
        "cholesky_solve_lu_solve",
        "cholesky_lu",
        "qr",
        "ldl",
        "svd_eig",
        "det_matrix_exp",
        "lstsq",
        "lowrank",
        "norms",
    )
)


def factorises(name: str) -> bool:
    """Whether an operation is one of linear algebra that LAPACK does."""
    function = registry[name].function
    return function is not None and function.__module__ in LINEAR


_COMPLEX = {"complex64", "complex128"}
_HALF = {"float16", "bfloat16"}
_CONVOLUTIONS = {
    *(
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "convolution",
    ),
}
_SUMS_OF_PRODUCTS = {
    *(
        "addbmm",
        "addmm",
        "addmv",
        "addr",
        "baddbmm",
        "bmm",
        "cdist",
        "corrcoef",
        "cov",
        "chain_matmul",
        "cross",
        "dot",
        "einsum",
        "inner",
    ),
    *("linalg_cross", "linalg_matmul", "linalg_matrix_power", "linalg_multi_dot", "linalg_vecdot", "matmul"),
    *("matrix_power", "mm", "mv", "tensordot", "vdot"),
    *_CONVOLUTIONS,
}

_MIDWAY = ("ZeroDivisionError", "out of bounds", "out of range", "_reduce_a", "Expected p_in")

DELIBERATE = (
    Deliberate(
        "of infinite and undefined elements or places, PyTorch's vectors leave out what others multiply by 0",
        lambda case, found: case.op in ("interpolate", "grid_sampler") and case.telling(),
        chance=True,
    ),
    Deliberate(
        "pictures of 8 bits PyTorch resizes in whole numbers, with shares of fewer digits: off by one here and there",
        lambda case, found: (
            case.op == "interpolate" and case.dtypes() == {"uint8"} and "values" in found.text
        ),
        chance=True,
    ),
    Deliberate(
        "PyTorch meets a zero divisor, an index out of range, a chance beyond 1 or a missing kernel in the middle of "
        "an in-place operation and leaves it half done; tensorkit looks first, and writes nothing",
        lambda case, found: (
            found.respect.endswith("afterwards") and any(_raised(found, text) for text in _MIDWAY)
        ),
    ),
    Deliberate(
        "where several elements share a slot but no stride is 0, neither library refuses an in-place write, and "
        "the order of writing decides: PyTorch's vectorised loops and NumPy's differ in it",
        lambda case, found: (
            (case.writes() or case.op.endswith("_scatter"))
            and case.layout() == "overlapping"
            and f"{found.respect}: values" in found.text
        ),
        chance=True,
    ),
    Deliberate(
        "PyTorch's threshold_ alone writes into expanded memory, which every other operation refuses",
        lambda case, found: (
            case.op in ("threshold", "threshold_") and case.writes() and case.layout() == "expanded"
        ),
    ),
    Deliberate(
        "whether sums of squares beyond the largest number become infinite or nan depends on the order of additions",
        lambda case, found: case.op == "group_norm" and case.telling() and "values" in found.text,
        chance=True,
    ),
    Deliberate(
        "PyTorch casts complex numbers to real ones, or finds no type to add unsigned ones in, before its batch_norm "
        "refuses the dtype",
        lambda case, found: (
            case.op in ("batch_norm", "instance_norm")
            and ("Casting complex" in found.text or "INTERNAL ASSERT" in found.text)
        ),
    ),
    Deliberate(
        "the mean of losses lies in PyTorch's storage of all of them, tensorkit's in one of its own",
        lambda case, found: ("_loss" in case.op or "entropy" in case.op) and "storage bytes" in found.text,
    ),
    Deliberate(
        "what complex numbers beyond the range of exp make of a loss differs from one logarithm to the next",
        lambda case, found: (
            case.op == "soft_margin_loss" and bool(case.dtypes() & _COMPLEX) and "inf" in found.text
        ),
        rare=True,
        chance=True,
    ),
    Deliberate(
        "which of two refusals comes first, of whole numbers or of what is no chance, where both would be right",
        lambda case, found: (
            (
                case.op == "soft_margin_loss"
                and bool(case.dtypes() - {*_HALF, "float32", "float64"})
                and found.respect == "error"
            )
            or (case.op == "binary_cross_entropy" and "should be between 0 and 1" in found.text)
        ),
        chance=True,
    ),
    Deliberate(
        "a logarithm in float32 beside targets in float64 shows its last digits",
        lambda case, found: "entropy" in case.op and len(case.dtypes()) > 1 and ": values" in found.text,
        rare=True,
        chance=True,
    ),
    Deliberate(
        "resize_ beyond the old storage shows memory that nobody wrote",
        lambda case, found: case.call.startswith("a.resize_") and f"{found.respect}: values" in found.text,
        chance=True,
    ),
    Deliberate(
        "there is no complex32: not for pairs of float16, not for a complex number beside float16",
        lambda case, found: (
            "float16" in case.dtypes()
            and (
                case.op in ("view_as_complex", "view_as_complex_copy", "complex")
                or "ComplexHalf" in found.text
            )
        ),
    ),
    Deliberate(
        "some of PyTorch's loops round a product before they add to it, and so meet infinity earlier than others; "
        "tensorkit rounds sums of 16-bit numbers once, and all others as they are written",
        lambda case, found: (
            "inf" in found.text
            and (
                ("alpha" in case.call and "float16" in case.dtypes())
                or case.op in ("addcmul", "addcdiv", "lerp")
            )
        ),
        rare=True,
        chance=True,
    ),
    Deliberate(
        "one of PyTorch's two loops over 16-bit numbers rounds a quotient before it truncates it, the other "
        "afterwards; tensorkit rounds before where two tensors meet, and afterwards beside a number",
        lambda case, found: (
            "rounding_mode='trunc'" in case.call and case.telling() and bool(case.dtypes() & _HALF)
        ),
        rare=True,
        chance=True,
    ),
    Deliberate(
        "which digits of a sum of huge, tiny and infinite numbers or products are left depends on the machine's own "
        "routines: on the order of additions, and on whether the tiniest numbers count",
        lambda case, found: (
            case.op in {*_SUMS_OF_PRODUCTS, "sum", "nansum"}
            and case.telling()
            and f"{found.respect}: values" in found.text
        ),
        rare=True,
        chance=True,
    ),
    Deliberate(
        "PyTorch folds into memory that is as large as the columns were, and uses a part of it",
        lambda case, found: case.op == "col2im" and "storage bytes" in found.text,
    ),
    Deliberate(
        "which of its libraries PyTorch asks for a convolution of bfloat16, and so the sentence that refuses one, "
        "depends on the machine's processor; and what the library MKL-DNN does not take is not said in sentences",
        lambda case, found: (
            case.op in _CONVOLUTIONS
            and found.respect == "error"
            and (
                "bfloat16" in case.dtypes()
                or _raised(found, "could not create a primitive")
                or _raised(found, "dimensions are invalid")
            )
        ),
        chance=True,
    ),
    Deliberate(
        "what a factorisation makes of infinities, of numbers at the end of their range, and of matrices that are "
        "singular but for rounding is chance: PyTorch's LAPACK and SciPy's add in different orders",
        lambda case, found: (
            factorises(case.op)
            and found.respect in ("value", "error")
            and (
                case.telling()
                or (
                    case.layout() in ("expanded", "overlapping")
                    and (
                        "singular" in found.text
                        or "is zero" in found.text
                        or (
                            bool(case.dtypes() & _COMPLEX)
                            and re.search("solve|inv|lu|det", case.op) is not None
                        )
                    )
                )
            )
        ),
        chance=True,
    ),
    Deliberate(
        "PyTorch's loop for the spread of a whole tensor makes it infinite for numbers near the end of their range, "
        "its loop along a dimension does not; tensorkit computes it in float64",
        lambda case, found: (
            case.op in ("std", "var", "std_mean", "var_mean") and "inf" in found.text and case.telling()
        ),
        rare=True,
        chance=True,
    ),
    Deliberate(
        "a Fourier transform adds large and small numbers: what is rounded away depends on the order, which is MKL's "
        "there and pocketfft's here",
        lambda case, found: case.op.startswith("fft_") and case.telling() and "value" in found.respect,
        rare=True,
        chance=True,
    ),
    Deliberate(
        "of float64, and where one large number is near another, PyTorch's incomplete gamma functions lose some of "
        "their last digits, which SciPy's have",
        lambda case, found: (
            case.op.startswith("igamma")
            and case.telling()
            and bool(case.dtypes() & {"float64"})
            and f"{found.respect}: values" in found.text
        ),
        rare=True,
    ),
    Deliberate(
        "some of PyTorch's loops over orthogonal polynomials give what happens to lie in memory where the argument is "
        "no number; tensorkit says that the value is none either",
        lambda case, found: (
            "_polynomial_" in case.op
            and case.telling()
            and f"{found.respect}: values" in found.text
            and "nan" in found.text
        ),
        chance=True,
    ),
)


def find(case: Case, difference: Difference) -> Deliberate | None:
    """The entry that covers a difference, if one does."""
    return next((entry for entry in DELIBERATE if entry.covers(case, difference)), None)


#: PyTorch's vectorised loops and its plain ones disagree about the sign of a zero among equal operands.
_ZERO_OF_EITHER_SIGN = {
    "batch_norm",
    "group_norm",
    "instance_norm",
    "avg_pool1d",  # of the smallest numbers of 16 bits
    "avg_pool2d",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "clamp",
    "clamp_min",
    "clamp_max",
    "amax",
    "amin",
    "aminmax",
    "index_reduce",
    "index_reduce_",
    "clamp_",
    "clamp_max_",
    "clamp_min_",
    "clip_",
    "quantile",
    "nanquantile",
}


#: Of complex numbers these compute each part to its last bit, infinities and all (but for the sign of a zero).
_EXACT_PARTS = {"add", "sub", "rsub"}


def signed_zeros(case: Case) -> bool:
    """Whether the sign of a zero says something: solving and decomposing leaves it to the order of additions."""
    name = case.op
    return not (
        name in _ZERO_OF_EITHER_SIGN or name.startswith(("linalg_", "cholesky", "lu_")) or name in _SOLVING
    )


_SOLVING = {
    "inverse",
    "pinverse",
    "svd",
    "qr",
    "triangular_solve",
    "ormqr",
    "orgqr",
    "lstsq",
    "solve",
    "eig",
    "symeig",
}


#: Whose last digits are those of PyTorch's vectors, on a processor that has them.
_OF_VECTORS = {"normal", "normal_", "log_normal_", "randn", "randn_like", "uniform_"}


def tolerance(case: Case) -> float:
    """How many times the usual tolerance of its dtype a result may be off: 0 when it must be right to the last bit.

    Complex arithmetic rounds differently even within PyTorch; sums and differences of two numbers do not.
    """
    complex_numbers = any("complex" in dtype for dtype in case.dtypes()) and case.op not in _EXACT_PARTS
    rounded = registry[case.op].rounded
    if not fused() and (case.op in _OF_VECTORS or "_polynomial_" in case.op):
        # Computed in single precision, and then perhaps written where there is room for more.
        return max(4e7 if "dtype=tk.float64" in case.call else 4.0, rounded)
    if (case.kind == "pointwise" and complex_numbers) or case.op in _ZERO_OF_EITHER_SIGN:
        return max(1.0, rounded)
    if (
        case.op == "poisson_nll_loss"
        and case.dtypes() > {"float32"}
        and {"float64", "complex128"} & case.dtypes()
    ):
        return (
            rounded * 2e7
        )  # the logarithm of the input is rounded to float32, whatever the target promotes it to
    return rounded
