"""Operations on complex numbers: conjugates, real and imaginary parts, signs and angles."""

__all__: list[str] = []
