"""Library calls on a GPU, by CuPy: cuBLAS, cuSOLVER and its sorts, on the memory where the tensors lie.

`table` has a line for each operation: its name, and the function of CuPy arrays that does it. `place` shows a buffer
to CuPy in place, on the current stream, and gives CuPy its scratch memory from the kit's own allocator: nothing
crosses to the host. What is not in the table has no function in CuPy and is refused by name.

Such a function takes CuPy itself and the operation's arguments by name, arrays in place of tensors. Sizes, dtypes and
the other arguments have been checked before by the operation's own body on the meta device; what only the numbers can
tell (a singular matrix) is a `Refused`, and the body says it in its own words.
"""

from __future__ import annotations

from tensorkit.kernels.cuda.gpu.libraries import place, table

__all__ = ["place", "table"]
