"""Names of Numba's in a kernel, and what Numba refuses.

`numba_names` is what stands for them, `libdevice` its mathematics, `refusals` what a kernel's source may not hold.
"""

from __future__ import annotations
