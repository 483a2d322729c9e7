"""The names that the engine covers: each in every form that PyTorch has it in (function, method, in-place method)."""

from __future__ import annotations

#: Attributes and methods of a tensor.
TENSOR = """
size shape stride storage_offset dim ndim numel nelement element_size itemsize nbytes dtype device layout
is_contiguous data_ptr storage untyped_storage is_set_to is_leaf grad grad_fn requires_grad requires_grad_
retain_grad data detach detach_ _version _is_view _base item tolist numpy __array__ __dlpack__
__dlpack_device__ type to cpu cuda is_cuda float double half bfloat16 byte char short int long bool cfloat
cdouble clone copy_ set_ resize_ resize_as_ share_memory_ is_shared register_hook backward __len__ __iter__
__contains__ __bool__ __int__ __float__ __complex__ __index__ __format__ __repr__ __deepcopy__ __reduce_ex__
__getitem__ __setitem__ __array_wrap__ __invert__ __neg__ __pos__ __abs__ __matmul__ __rmatmul__ __imatmul__
__and__ __or__ __xor__ __lshift__ __rshift__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__ __add__
__radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __truediv__ __rtruediv__ __itruediv__
__floordiv__ __rfloordiv__ __ifloordiv__ __mod__ __rmod__ __imod__ __pow__ __rpow__ __ipow__ __eq__ __ne__
__lt__ __le__ __gt__ __ge__ __hash__ __reversed__ T mT H mH real imag is_complex is_floating_point is_signed
is_inference type_as expand_as view_as reshape_as new new_tensor new_empty new_zeros new_ones new_full
new_empty_strided pin_memory is_pinned is_sparse is_quantized is_meta is_nonzero is_same_size apply_ map_
get_device sum_to_size output_nr retains_grad map2_ storage_type dim_order resize resize_as
grad_dtype
"""

#: Attributes and methods of the two faces of a storage.
STORAGE = """
__getitem__ __setitem__ __len__ __iter__ size nbytes tolist copy_ fill_ resize_ data_ptr device element_size
cpu clone type dtype float double half bfloat16 byte char short int long bool is_shared share_memory_
is_pinned untyped
"""

#: Names of the namespace: dtypes and what is asked of them.
DTYPES = """
float16 half bfloat16 float32 float float64 double uint8 uint16 uint32 uint64 int8 int16 short int32 int int64
long bool complex64 cfloat complex128 cdouble finfo iinfo promote_types result_type can_cast is_tensor
is_storage is_floating_point is_complex is_nonzero is_signed set_default_dtype get_default_dtype
set_default_device get_default_device set_printoptions set_num_threads get_num_threads set_num_interop_threads
get_num_interop_threads Size device dtype layout strided memory_format contiguous_format preserve_format
channels_last Generator default_generator manual_seed seed initial_seed get_rng_state set_rng_state
from_dlpack set_warn_always e pi inf nan newaxis typename numel set_default_tensor_type get_device
get_float32_matmul_precision set_float32_matmul_precision use_deterministic_algorithms
are_deterministic_algorithms_enabled is_deterministic_algorithms_warn_only_enabled
set_deterministic_debug_mode get_deterministic_debug_mode
is_anomaly_enabled is_anomaly_check_nan_enabled set_anomaly_enabled
"""

#: Classes of the years before dtypes.
CONSTRUCTORS = """
Tensor FloatTensor DoubleTensor HalfTensor BFloat16Tensor ByteTensor CharTensor ShortTensor IntTensor
LongTensor BoolTensor FloatStorage DoubleStorage HalfStorage BFloat16Storage ByteStorage CharStorage
ShortStorage IntStorage LongStorage BoolStorage ComplexFloatStorage ComplexDoubleStorage UntypedStorage
TypedStorage
"""

#: Operations, in the namespace and on tensors.
NAMES = """
tensor as_tensor asarray from_numpy frombuffer empty zeros ones full empty_like zeros_like ones_like full_like
arange range linspace logspace eye empty_strided as_strided scalar_tensor tril_indices triu_indices meshgrid
complex polar heaviside rand rand_like randn randn_like randint randint_like randperm bernoulli multinomial
bartlett_window blackman_window hamming_window hann_window kaiser_window
normal poisson fill_ zero_ bernoulli_ normal_ uniform_ exponential_ random_ log_normal_ cauchy_ geometric_
fill_diagonal_ fill zero

view reshape flatten unflatten ravel transpose t swapaxes swapdims permute movedim moveaxis squeeze unsqueeze
expand broadcast_to broadcast_tensors broadcast_shapes narrow select diagonal unfold split split_with_sizes
chunk tensor_split hsplit vsplit dsplit unbind real imag view_as_real view_as_complex contiguous detach
positive adjoint unravel_index cat concat concatenate stack hstack vstack row_stack dstack column_stack tile
repeat repeat_interleave roll flip fliplr flipud rot90 tril triu diag diag_embed diagflat block_diag
cartesian_prod combinations atleast_1d atleast_2d atleast_3d clone vander

alias_copy as_strided_copy detach_copy diagonal_copy expand_copy permute_copy select_copy slice_copy split_copy
split_with_sizes_copy squeeze_copy t_copy transpose_copy
unbind_copy unfold_copy unsqueeze_copy view_as_complex_copy view_as_real_copy view_copy
narrow_copy

gather scatter scatter_add scatter_reduce index_select index_add index_copy index_fill index_put index_reduce take
take_along_dim put put_ masked_select masked_fill masked_scatter where nonzero argwhere select_scatter
slice_scatter diagonal_scatter as_strided_scatter

abs absolute neg negative sign sgn signbit reciprocal sqrt rsqrt square exp exp2 expm1 log log2 log10 log1p
logaddexp logaddexp2 pow float_power sin cos tan asin arcsin acos arccos atan arctan atan2 arctan2 sinh cosh
tanh asinh arcsinh acosh arccosh atanh arctanh sigmoid logit erf erfc erfinv lgamma digamma polygamma mvlgamma
igamma igammac i0 ceil floor round trunc fix frac fmod remainder add sub subtract mul multiply div divide true_divide
floor_divide rsub addcmul addcdiv lerp clamp clamp_min clamp_max clip hypot deg2rad rad2deg angle conj
conj_physical resolve_conj resolve_neg is_conj is_neg maximum minimum fmax fmin eq ne not_equal lt less le
less_equal gt greater ge greater_equal equal isclose allclose isnan isinf isposinf isneginf isfinite isreal
isin logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_not
bitwise_left_shift bitwise_right_shift nan_to_num xlogy copysign nextafter ldexp frexp gcd lcm sinc relu

sum nansum prod mean nanmean median nanmedian mode quantile nanquantile var std var_mean std_mean max min amax
amin aminmax argmax argmin all any count_nonzero logsumexp norm frobenius_norm nuclear_norm dist cumsum cumprod
cummax cummin logcumsumexp
diff gradient trapezoid trapz cumulative_trapezoid unique unique_consecutive histc histogram histogramdd bincount
bucketize searchsorted nonzero_static sort argsort msort topk kthvalue softmax log_softmax cov corrcoef renorm

matmul mm mv bmm dot vdot inner outer ger addmm addmv addr addbmm baddbmm einsum tensordot kron cross trace
det logdet slogdet inverse pinverse chain_matmul cdist pdist matrix_power matrix_exp qr svd cholesky
cholesky_inverse cholesky_solve lu lu_solve lu_unpack triangular_solve
svd_lowrank pca_lowrank
"""

LINALG = """
solve solve_ex lstsq inv inv_ex pinv det slogdet cholesky cholesky_ex qr svd svdvals eig eigh eigvals eigvalsh
lu lu_factor lu_factor_ex lu_solve matrix_norm vector_norm norm matrix_power matrix_rank matrix_exp multi_dot
cond cross diagonal vecdot vander tensorsolve tensorinv matmul solve_triangular householder_product
LinAlgError
"""

SPECIAL = """
digamma entr erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln i0 i0e i1 i1e log1p log_ndtr
log_softmax logit logsumexp multigammaln ndtr ndtri polygamma psi round sinc softmax xlog1py xlogy zeta
modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1
scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0
airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1
chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w
hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p
shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
shifted_chebyshev_polynomial_w
"""

#: By the module of ``backends``.
BACKENDS = {
    "mps": "is_available is_built is_macos13_or_newer is_macos_or_newer",
    "cudnn": """
allow_tf32 benchmark conv deterministic depthwise_kernel enabled flags fp32_precision is_acceptable is_available
rnn set_flags version
""",
    "cuda": "is_built matmul",
    "cpu": "get_cpu_capability",
    "mkl": "is_available",
    "mkldnn": "conv deterministic enabled fp32_precision is_acl_available is_available matmul rnn",
    "openmp": "is_available",
}

#: What PyTorch once had and no longer has, or has only to refuse it; code of those years still runs here.
GONE = "gels lstsq eig symeig solve matrix_rank"
