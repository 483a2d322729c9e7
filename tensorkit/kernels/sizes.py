"""Up to how many elements which way is faster: every such number of the engine, with the measurement that chose it.

Three classes serve nearly all: a tensor is `TINY`, `SMALL` or `LARGE`. What needs another number has the name of its
operation. Times are microseconds of one call, measured on two cores of a Xeon with compiled loops loaded, of float32
unless it says otherwise; "3 against 5" is the way taken on this side of the number against the other way.

What does not belong here: sizes at which PyTorch itself changes its algorithm, and with it the result (they are with
their operation; `tests/structure/test_thresholds.py` lists them), lengths of buffers, and how much a cache holds.
A loop that Numba compiles has its sizes in its own file: the machine code is kept until that file changes.

>>> TINY < PIECE < NEW_AT_ONCE
True
"""

from __future__ import annotations

import os

#: Whether every tensor is treated as if it were large, to test what only large ones reach.
FORCED = os.environ.get("TENSORKIT_COMPILED") == "force"

# -- the classes --------------------------------------------------------------------------------------------------

#: Up to here Python's own loop over a list, or NumPy's plainest call, is done first: `equal` of 64 numbers takes 2.8
#: against 4.2 (of 128: 5.5 against 4.3), `linspace` 9.0 against 16.6, `nan_to_num` 3.1 against 5.3.
TINY = 64
#: Up to here the time goes into what is looked at before the arithmetic, and a short way is worth its lines: `flip` of
#: 4,096 numbers takes 5.2 against 10.2, `cat` of transposed ones 9.4 against 13.0, `rand` 24.9 against 32.1.
SMALL = 0 if FORCED else 4096
#: From here on work is cut into pieces for several threads. Waking one takes about 15; `add` of 131,072 numbers takes
#: 31 on one thread. `add` with `out=` of 32,768 by pieces takes 46 against 9, of 524,288 205 against 219.
LARGE = 1 if FORCED else 1 << 17
#: The elements of one piece of such work: 256 kB of float32, which stay in a core's cache of 2 MB between two steps.
PIECE = 1 << 16

# -- compiled loops -----------------------------------------------------------------------------------------------

#: From here on a compiled loop is used, if it is ready or wanted often; below, NumPy is done while the loop
#: looks at its arguments. `erfc` of 256 numbers takes 4.4 against 5.0, of 64 3.5 against 2.4; `cumsum` 4.2 against
#: 12.9.
LOOPS = 1 if FORCED else 256
#: The same for loops that are ufuncs, and so look at nothing: `rsqrt` of 128 numbers takes 1.1 against 1.6.
UFUNC_LOOPS = 1 if FORCED else 128
#: From here on a loop is compiled when it is first wanted. float16 to float32 takes 4.5 either way, of 512 numbers 4.4
#: against 3.7; a stable sort of int64 takes 17 against 26, of 512 numbers 14 either way.
LOOPS_AT_ONCE = 1 if FORCED else 1024
#: Rows of this length that do not follow one another in memory: `add` to 200,000 numbers in rows of 64 takes 239
#: against 214, in rows of 128 170 against 211, in rows of 16 696 against 308. Rows of one would be taken for columns.
ROWS_BY_LOOP = 2 if FORCED else TINY
#: A transposed matrix is copied by tiles: 262,144 numbers take 186 against 362, 16,384 13.2 either way.
COPIED_BY_TILES = 1 if FORCED else 1 << 14
#: A number beside an array is laid out as a row of this length, which is read again and again: 64 kB of float32. `x +
#: 0.5` of 1,048,576 numbers takes 273, by rows of 4,096 275.
LAID_OUT_NUMBER = 1 << 14

# -- single operations --------------------------------------------------------------------------------------------

#: A row of this length is added by itself, a shorter one element by element: 40 rows of 32 take 68 against 87, rows of
#: 16 would take 68 against 44.
ADDED_BY_ROWS = 32
#: How often each number occurs is counted in a table of this length: 65,536 numbers below 65,536 take 103 against
#: NumPy's 149; below 1,048,576 it is 560 against 586.
COUNTED_IN_A_TABLE = 1 << 16
#: A dimension of this length is cut into pieces; of a shorter one, threads would get unequal shares. `exp` of 16 rows
#: of 131,072 takes 2,166 cut along the first dimension and 2,122 along the longest, of 2 rows 361 and 513.
CUT_ALONG = 16
#: Sums of products of so few numbers are one product of matrices at once: of 1,024 each it takes 13.5 against 108. The
#: general way adds in another order, and so this decides last digits.
EINSUM_AT_ONCE = 1024
#: From this many arrays, one call of NumPy's `concatenate` joins them; fewer are copied by several threads each: 8
#: of 30,000 numbers take 40 either way.
FEW_ARRAYS = 8
#: Draws of 32 bits that NumPy hands out one by one: 4,096 take 13.7 against 17.0, 16,384 50.6 against 51.8.
FEW_DRAWS = 4096
#: The same of 64 bits: 512 take 5.9 against 7.3, 1,024 9.6 against 9.7, 4,096 would take 31 against 23.
FEW_LONG_DRAWS = 1024
#: From this many matrices a loop in C goes over them, while they are `TINY`: `inv` of 16 of size 3 × 3 takes 42
#: against 123. It would pay from 2 on, but LAPACK is called otherwise then, and last digits may differ.
FEW_MATRICES = 16
#: From here on an emulated device runs the kernel that a GPU would run, which takes 200,000 to compile, and no steps
#: that others share: `x + x.t()` of 262,144 numbers takes 1,133 against 2,760, of 65,536 374 against 378, of 4,096 it
#: would take 104 against 157.
FUSED_ON_HOST = 1 << 16
#: Elements that Python computes one by one: `sigmoid` of 8 takes 3.1 either way, `clamp` 4.1 against 4.4 (of 12: 4.5
#: against 4.4), `angle` 2.5 against 3.8.
IN_PYTHON = 8
#: New tensors are filled at once up to here: `zeros` of 262,144 numbers takes 23 against 37, `arange` of 1,048,576 374
#: against 1,085, `ones` of as many 166 against 169.
NEW_AT_ONCE = 1 << 20
#: From this many PyTorch makes normal numbers in blocks of 16, and below one by one: this decides which are drawn.
NORMALS_IN_BLOCKS = 16
#: From this many numbers in a row, normalisation of channels takes a loop: (128, 32, 32) takes 143 against 961. Of
#: fewer, NumPy takes rows side by side: (1024, 32, 4) takes 5,814 against 10,809.
NORMED_BY_LOOP = 16
#: Products fold a row of this length in halves: 100 rows of 64 float64 numbers take 10.7 against 10.8. It decides the
#: order in which numbers are multiplied, and so last digits.
PRODUCT_FOLDED = 64
#: Up to this many numbers are rounded once from double precision in `exp` and its kin: as many as are ever compared by
#: eye with what PyTorch prints. It decides last digits.
ROUNDED_ONCE = 512
#: Rows of a tensor whose views are remembered: a walk over 16 takes 10 against 15. A layout remembers 64 things in
#: all.
ROWS_REMEMBERED = 16
#: Running sums add slices of this size at once: 50 slices of 512 float64 numbers take 61 against 125, of 128 they
#: would take 49 against 29.
RUNNING_BY_SLICES = 512
#: The C++ library's `sort` leaves segments of this length to an insertion sort: this decides the order of equal
#: elements.
SORT_BY_INSERTION = 16
#: A weight's gradient is added up in registers for this many elements in a window: 25 take 910 against
#: 1,832 by columns, of 64 images of 28 × 28; 9 would take 2,256 against 1,864.
TAPS_IN_REGISTERS = 16
#: Distinct integers are found in a table of all between them: 1,024 take 13.5 against 14.5, 512 would take 12.3
#: against 10.9.
UNIQUE_BY_TABLE = 1024

# -- sums ---------------------------------------------------------------------------------------------------------

#: This many rows are added to one another at a time, and then their sums: decides last digits.
SUM_BLOCK = 32
#: From here on a sum is a compiled loop's, in double precision, which decides last digits: 16,384 numbers take 12.0
#: against 19.2.
SUM_COMPILED = 0 if FORCED else 1 << 14
#: The parts of a longer row go to threads one by one, of a shorter one two by two, for a thread that comes back for
#: each waits longer than it adds: 8,388,608 numbers take 1,053 against 1,229, 1,048,576 take 217 against 225.
SUM_IN_TWOS = 1 << 22
#: Narrower rows are added several at once, as one row: decides last digits.
SUM_NARROW = 64
#: A row of float32 of this length is exact enough when it is added in one go, in lanes: decides last digits.
SUM_ROW = 4096

# -- caches -------------------------------------------------------------------------------------------------------

#: Plans of pointwise calls that are kept before all are forgotten: a plan takes 26 to make.
PLANS_KEPT = 4096

# -- workers ------------------------------------------------------------------------------------------------------

#: Operations on elements that become one task of a worker at the most: a task costs it 4 to 7 ms.
SHARDED_CHAIN = 32
#: Fewer elements than 16 KB hold are added up by each worker for itself: a message costs more than they do.
SHARDED_SCATTER = 4096
