"""Operations that put elements elsewhere and copy: `flip`, `roll`, `tile`, `diag`, `meshgrid`.

What shares its storage is in `ops.views`.
"""
