"""What bits mean, in words: the sum of a float and of an integer, the names of the groups, and what rounding lost."""

from __future__ import annotations

from fractions import Fraction

from tensorkit_widgets.bits.formats import Format, exact, exactly, parts, raised, rough, value_of, written

GROUPS = (5, 2, 6)
"""The pair of colour and dash of the sign, of the exponent, and of the mantissa or an integer's bits."""

MOST_TERMS = 7
WIDE = 7.8
"""The width of a character of a brace's label."""


def group_words(bits: int, format: Format, group: int, width: float, hidden: bool) -> str:
    """What stands over a group of bits, as long as there is room for it."""
    for words in _group_words(bits, format, group, hidden):
        if len(words) * WIDE <= width + 8:
            return words
    return ""


def _group_words(bits: int, format: Format, group: int, hidden: bool) -> tuple[str, ...]:
    if format.kind != "float":
        top = format.width - 1 - (format.kind == "int")
        sign = f"-{raised(format.width - 1)}"
        return (sign, "±") if group == 0 else (f"each 1 counts its power of two: {raised(top)} … 2¹, 2⁰", "")
    if hidden:
        return ("", "", "")
    minus, exponent, mantissa = parts(bits, format)
    if group == 0:
        return ("sign -" if minus else "sign +", "-" if minus else "+")
    ones = (1 << format.exponent) - 1
    if group == 1 and exponent == ones:
        return ("exponent: all ones", "all ones")
    if group == 1 and exponent == 0:
        return ("exponent: all zeros", "all zeros")
    if group == 1:
        power = exponent - format.bias
        return (f"exponent {exponent} - {format.bias} = {power}", f"exponent {power}", str(power))
    lead = "0" if exponent == 0 else "1"
    if exponent == ones:
        return ("mantissa: 0 for inf, else nan", "0: inf, else nan")
    part = Fraction(mantissa, 1 << format.mantissa) + int(lead)
    return (f"mantissa {exactly(part, 22)}", f"mantissa {exactly(part, 6)}", exactly(part, 6))


def sum_lines(bits: int, format: Format) -> tuple[list[str], list[str]]:
    """The sum that the bits stand for (in large type), and a sentence that explains it."""
    if format.kind == "bool":
        return [f"{bits & 1}  =  {written(bits, format)}"], [
            "A bool takes a whole byte, though one bit would do: memory is addressed by bytes."
        ]
    return _float_lines(bits, format) if format.kind == "float" else _whole_lines(bits, format)


def _float_lines(bits: int, format: Format) -> tuple[list[str], list[str]]:
    sign, exponent, mantissa = parts(bits, format)
    ones, plus = (1 << format.exponent) - 1, "-1" if sign else "+1"
    if exponent == ones:
        value = written(bits, format)
        why = "An exponent of ones only is kept for what is no ordinary number: "
        rest = "with a mantissa of zeros it is infinity." if not mantissa else (
            "with any 1 in the mantissa it is nan, “not a number”, and equal to nothing, not even to itself."
        )  # fmt: skip
        return [value], [why + rest]
    part = Fraction(mantissa, 1 << format.mantissa)
    power = exponent - format.bias if exponent else 1 - format.bias
    lead = int(exponent > 0)
    number = exact(bits, format) or Fraction(0)
    value = written(bits, format) if number == 0 else exactly(number, 26)
    large = [f"{plus} × {raised(power)} × {exactly(part + lead, 24)}  =  {value}"]
    halves = _halves(mantissa, format, lead)
    small = [
        f"The mantissa means {exactly(part + lead, 24)} = {halves}."
        if mantissa
        else "The mantissa is 1 and nothing more."
    ]
    if not exponent:
        small = [
            "An exponent of zeros only: there is no leading 1 any more, and the exponent stays at "
            f"{power}. "
            + ("That is how 0 is written." if not mantissa else "Such a number is called subnormal.")
        ]
    return large, small


def _halves(mantissa: int, format: Format, lead: int) -> str:
    terms = [str(lead)] if lead else []
    terms += [raised(k - format.mantissa) for k in range(format.mantissa - 1, -1, -1) if mantissa >> k & 1]
    return _joined(terms) or "0"


def _joined(terms: list[str]) -> str:
    if len(terms) <= MOST_TERMS:
        return " + ".join(terms)
    return " + ".join([*terms[: MOST_TERMS - 2], "…", terms[-1]])


def _whole_lines(bits: int, format: Format) -> tuple[list[str], list[str]]:
    top = format.width - 1 if format.kind == "int" else -1
    on = [k for k in range(format.width - 1, -1, -1) if bits >> k & 1]
    terms = [("-" if k == top else "") + (str(1 << k) if k < 16 else raised(k)) for k in on]
    value = written(bits, format)
    large = [f"{_joined(terms) or '0'}  =  {value}"]
    if format.kind == "uint":
        return large, [f"Every bit counts its power of two; {format.name} goes from 0 to {format.high}."]
    return large, [
        f"The first bit counts -{raised(top)}, all others their power of two (“two’s complement”): "
        f"from {format.low} to {format.high}."
    ]


def rounding_words(bits: int, format: Format, text: str, wanted: Fraction | None) -> str:
    """What became of the number that was meant."""
    got = exact(bits, format)
    if wanted is None:
        return ""
    if got is None:
        return f"{text} was meant; {format.name} holds {value_of(bits, format)}."
    if got == wanted:
        return f"{text} is kept without any error."
    more = "more" if got > wanted else "less"
    return f"{text} was meant; this is {rough(abs(got - wanted))} {more}."
