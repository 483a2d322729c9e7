"""Operations on complex numbers: conjugates, real and imaginary parts, signs and angles."""
