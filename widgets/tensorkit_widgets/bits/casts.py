"""What a cast does to one number, in words: the verdict in a line, and the story in three steps.

>>> from tensorkit_widgets.bits.formats import FORMATS, bits_of
>>> told = story(bits_of(300, FORMATS["int32"]), FORMATS["int32"], FORMATS["uint8"])
>>> told.verdict, told.steps[1]
('wraps: 300 - 256 = 44', '300 = 1 × 256 + 44, and what counts 256 and more is gone.')
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tensorkit_widgets.bits.formats import (
    Format,
    cast,
    exact,
    exactly,
    neighbours,
    parts,
    raised,
    rough,
    value_of,
    written,
)


@dataclass(frozen=True, slots=True)
class Story:
    """``kept`` are the source's bits (0 is the lowest) that have a place in the target, each with that place.

    ``between`` are the two numbers of the target that a rounded number lies between.
    """

    result: int
    verdict: str
    steps: tuple[str, str, str]
    kept: tuple[tuple[int, int], ...]
    between: tuple[int, int] | None = None


def places(source: Format, target: Format) -> tuple[tuple[int, int], ...]:
    """Pairs of a source's bit and the target's bit that means the same.

    >>> from tensorkit_widgets.bits.formats import FORMATS
    >>> places(FORMATS["int16"], FORMATS["uint8"])[-1], len(places(FORMATS["float32"], FORMATS["bfloat16"]))
    ((7, 7), 16)
    """
    if source.kind != "float" and target.kind != "float":
        wide = 1 if "bool" in (source.kind, target.kind) else min(source.width, target.width)
        return tuple((k, k) for k in range(wide))
    if source.kind != target.kind:
        return ()
    shift = target.mantissa - source.mantissa
    pairs = [(k, k + shift) for k in range(source.mantissa) if k + shift >= 0]
    if source.exponent == target.exponent:
        pairs += [(source.mantissa + k, target.mantissa + k) for k in range(source.exponent)]
    return (*pairs, (source.width - 1, target.width - 1))


def error_words(number: Fraction, wanted: Fraction) -> str:
    """How far a number is from the one that was meant."""
    return f"{'+' if number > wanted else '-'}{rough(abs(number - wanted))}"


def story(bits: int, source: Format, target: Format) -> Story:
    """The cast of ``bits`` from one dtype to another, as the engine does it."""
    result, kept = cast(bits, source.name, target.name), places(source, target)
    told = _told(bits, source, target, result)
    return Story(result, told[0], told[1:4], kept, told[4] if len(told) > 4 else None)


def _told(
    bits: int, source: Format, target: Format, result: int
) -> tuple[str, str, str, str, tuple[int, int] | None]:
    now, then = (written(b, f).rstrip(".") for b, f in ((bits, source), (result, target)))
    if source == target:
        return (
            "the same dtype",
            "Both dtypes are the same.",
            "Nothing is to be done.",
            f"It stays {now}.",
            None,
        )
    if target.kind == "bool":
        zero = value_of(bits, source) == 0
        why = f"{now} is {'' if zero else 'not '}0."
        return f"{now} is {'' if zero else 'not '}0", "A bool asks one thing only: is the number 0?", why, (
            f"So the result is {then}. Everything but 0 is True, nan as well."
        ), None  # fmt: skip
    if source.kind == "bool":
        return "False is 0, True is 1", "A bool takes a byte, but knows two numbers only.", (
            "False counts as 0, True as 1."), f"{now} becomes {then}.", None  # fmt: skip
    if source.kind == "float" and target.kind != "float":
        return _to_whole(bits, source, target, now, then)
    if target.kind == "float":
        return _to_float(bits, source, target, result, now, then)
    return _whole_to_whole(bits, source, target, now, then)


def _to_whole(
    bits: int, source: Format, target: Format, now: str, then: str
) -> tuple[str, str, str, str, None]:
    number, goes = exact(bits, source), f"{target.name} goes from {target.low} to {target.high}"
    if number is None:
        return f"{now} is no whole number", f"{target.name} has no bits for {now}.", (
            f"{goes}, and every pattern of bits is taken by a number."), (
            f"What comes out is not defined. Here it was {then}: do not build on it."), None  # fmt: skip
    whole = int(number)
    cut = "nothing comes after the point" if whole == number else f"{rough(abs(number - whole))} is dropped"
    first = f"What comes after the point is dropped, towards 0: {now} → {_counted(whole)}."
    if target.low <= whole <= target.high:
        return f"cut: {cut}" if whole != number else "the same number", first, (
            f"{_counted(whole)} fits: {goes}."), f"It is kept as {then}. Nothing was rounded.", None  # fmt: skip
    return f"does not fit: became {then}", first, f"{_counted(whole)} does not fit: {goes}.", (
        f"What comes out is not defined. Here it was {then}; another machine may say something else."
    ), None  # fmt: skip


def _counted(number: int) -> str:
    return str(number) if abs(number) < 10**16 else rough(Fraction(number), 6)


def _whole_to_whole(
    bits: int, source: Format, target: Format, now: str, then: str
) -> tuple[str, str, str, str, None]:
    value, result = int(now), int(then)
    first, second = _places_told(value, result, source, target)
    if value == result:
        return "the same number", first, second, f"Read as {target.name}, it is {then} again.", None
    step, sign = _counted(abs(value - result)), "-" if value > result else "+"
    wraps = f"wraps: {now} {sign} {step} = {then}" if len(now) < 12 else "wraps"
    last = f"Read as {target.name}, the bits mean {then}. No error, no warning."
    return wraps, first, second, last, None


def _places_told(value: int, result: int, source: Format, target: Format) -> tuple[str, str]:
    """Which bits have a place, and what that does to the number."""
    if target.width > source.width:
        fill = "copies of the sign bit" if source.kind == "int" else "zeros"
        still = ", which leaves the number as it is" if value == result else ""
        return (
            f"{target.name} has {target.width - source.width} bits more.",
            f"They are filled with {fill}{still}.",
        )
    if target.width == source.width:
        top = (1 << (target.width - 1)) * (-1 if target.kind == "int" else 1)
        return "Both have as many bits: every bit stays as it is.", (
            f"Only the top bit means something else: {_counted(top)} now."
        )
    first = f"Only the low {target.width} bits have a place; the grey ones are dropped."
    if value == result:
        return (
            first,
            f"Nothing is lost: the dropped bits {'only repeat the sign' if value < 0 else 'are zeros'}.",
        )
    size, (times, rest) = _counted(1 << target.width), divmod(value, 1 << target.width)
    return first, f"{value} = {times} × {size} + {rest}, and what counts {size} and more is gone."


def _to_float(
    bits: int, source: Format, target: Format, result: int, now: str, then: str
) -> tuple[str, str, str, str, tuple[int, int] | None]:
    number, got = exact(bits, source), exact(result, target)
    if number is None:
        return f"{now} stays {now}", f"{target.name} has bits for {now}: an exponent of ones only.", (
            "They are set."), f"{now} stays {now}.", None  # fmt: skip
    room = f"{target.name} has {target.mantissa} bits after the point"
    if got == number:
        return "the same number", f"Written in binary, {now} is {_binary(number)}; {room}.", (
            "All its digits have a place."), f"Not a bit is lost: it is {then} exactly.", None  # fmt: skip
    if got is None:
        most = rough(exact(_largest(target), target) or Fraction(0), 6)
        return f"too large: {then}", f"The largest number of {target.name} is {most}.", (
            f"{now} is beyond it, and nearer to the next power of two than to {most}."), (
            f"That becomes {then}, and inf stays inf whatever you do with it later."), None  # fmt: skip
    low, high = _between(number, got, result, target)
    if got == 0:
        least = rough(abs(exact(1, target) or Fraction(0)))
        return "too small: 0", f"The smallest number above 0 that {target.name} has is {least}.", (
            f"{now} is nearer to 0."), f"It becomes {then}. That is called underflow.", (low, high)  # fmt: skip
    return f"rounded by {error_words(got, number)}", (
        f"Written in binary, {now} is {_binary(number)}; {_room(result, target, room)}."
    ), _nearest(number, low, high, target), (
        f"The result is {exactly(got, 24)}, {rough(abs(got - number))} {'more' if got > number else 'less'}."
    ), (low, high)  # fmt: skip


def _room(result: int, target: Format, room: str) -> str:
    normal = parts(result, target)[1] > 0
    return room if normal else f"so small, {target.name} has fewer than {target.mantissa} bits for it"


def _largest(target: Format) -> int:
    return ((1 << target.exponent) - 1 << target.mantissa) - 1


def _between(number: Fraction, got: Fraction, result: int, target: Format) -> tuple[int, int]:
    low, high = neighbours(result, target)
    if got < number:
        return result, result if high is None else high
    return result if low is None else low, result


def _nearest(number: Fraction, low: int, high: int, target: Format) -> str:
    a, b = exact(low, target), exact(high, target)
    if a is None or b is None:
        return f"It lies beyond the last number of {target.name}, but nearer to it than to the next power of two."
    part = (number - a) / (b - a)
    names = exactly(a, 20), exactly(b, 20)  # all digits of the largest integers: they differ in the last
    if part == Fraction(1, 2):
        return (
            f"It lies in the very middle of {names[0]} and {names[1]}: the one that ends in a 0 bit is taken."
        )
    near = names[part > Fraction(1, 2)]
    percent = min(max(float(part * 100), 0.01), 99.99)
    return f"It lies {percent:.2f} % of the way from {names[0]} to {names[1]}, so {near} is nearer."


def _binary(number: Fraction) -> str:
    """The start of a number's binary digits: ``1.1001100…₂ × 2⁻⁴``."""
    if number == 0:
        return "0"
    power = abs(number.numerator).bit_length() - number.denominator.bit_length()
    if abs(number) < Fraction(2) ** power:
        power -= 1
    rest = abs(number) / Fraction(2) ** power - 1
    digits = ""
    while rest and len(digits) < 12:
        rest *= 2
        digits += str(int(rest))
        rest -= int(rest)
    sign = "-" if number < 0 else ""
    return f"{sign}1{'.' * bool(digits)}{digits}{'…' * bool(rest)}₂ × {raised(power)}"
