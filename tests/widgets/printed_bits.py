"""What a `BitView` prints, against the bits of NumPy and ml_dtypes and the casts of PyTorch.

Nothing here knows the widget's formats: sign, exponent and fraction are cut out of the bits by the widths that
ml_dtypes publishes, and sums are added up from the text as exact fractions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import ml_dtypes
import numpy

from tensorkit_widgets import BitView

WIDTHS = (960.0, 400.0)
DTYPES: dict[str, Any] = {
    name: numpy.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
                 "float16", "bfloat16", "float32", "float64")
}  # fmt: skip
POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def is_float(name: str) -> bool:
    return "float" in name


def fields(name: str) -> tuple[int, int]:
    """How many bits the exponent and the fraction have."""
    about = ml_dtypes.finfo(DTYPES[name])
    return int(about.bits) - 1 - int(about.nmant), int(about.nmant)


def held(bits: str, name: str) -> Any:
    """The NumPy scalar that has these bits."""
    data = int(bits, 2).to_bytes(len(bits) // 8, "little")
    return numpy.frombuffer(data, DTYPES[name])[0]


def value(bits: str, name: str) -> Any:
    """As a Python number."""
    found = held(bits, name)
    return float(found) if is_float(name) else found.item()


def bits_of(scalar: Any) -> str:
    """The bits of a NumPy scalar, the highest first."""
    data = numpy.asarray(scalar).tobytes()
    return f"{int.from_bytes(data, 'little'):0{8 * len(data)}b}"


def exact(bits: str, name: str) -> Fraction | None:
    """The number, added up bit by bit; None for inf and nan."""
    if name == "bool":
        return Fraction(int(bits, 2) != 0)
    if not is_float(name):
        top = int(bits[0]) << (len(bits) - 1)
        return Fraction(int(bits, 2) - (2 * top if name.startswith("int") else 0))
    wide, many = fields(name)
    exponent, fraction = int(bits[1 : 1 + wide], 2), int(bits[1 + wide :], 2)
    if exponent == 2**wide - 1:
        return None
    bias = 2 ** (wide - 1) - 1
    part = Fraction(fraction, 2**many) + (exponent > 0)
    return (-1 if bits[0] == "1" else 1) * part * Fraction(2) ** (max(exponent, 1) - bias)


def cast_bits(bits: str, source: str, target: str, torch: Any) -> str:
    """The bits after ``.to(target)``: PyTorch's."""
    raw = numpy.frombuffer(int(bits, 2).to_bytes(len(bits) // 8, "little"), f"u{len(bits) // 8}").copy()
    made = torch.from_numpy(raw).view(getattr(torch, source)).to(getattr(torch, target))
    wide = DTYPES[target].itemsize
    found = made.view(getattr(torch, f"uint{8 * wide}")).numpy()
    return f"{int(found[0]):0{8 * wide}b}"


# ---- numbers as text


def near(text: str, number: Fraction | None, bits: str, name: str) -> bool:
    """Whether a text is a number: exactly, cut with a …, or rounded to the digits that it has."""
    if text in ("True", "False"):
        return name == "bool" and (text == "True") == (number != 0)
    if text.rstrip(".") in ("nan", "inf", "-inf"):
        return number is None and str(float(held(bits, name))) == text.rstrip(".")
    if number is None:
        return False
    if text.startswith("-") != (number < 0 or (number == 0 and bits[0] == "1" and is_float(name))):
        return False
    if text.endswith("…"):
        digits = text[:-1].lstrip("-")
        step = Fraction(1, 10 ** len(digits.partition(".")[2]))
        return 0 <= abs(number) - Fraction(digits.rstrip(".")) < step
    mantissa, _, power = text.rstrip(".").partition("e")
    shown = Fraction(Decimal(mantissa)) * Fraction(10) ** int(power or 0)
    if not power:
        return shown == number or _reads_back(text, bits, name)
    step = Fraction(10) ** (int(power) - len(mantissa.partition(".")[2]))
    return abs(shown - number) <= step / 2


def _reads_back(text: str, bits: str, name: str) -> bool:
    """Whether it is the shortest text of a float, which leads to it and to no other."""
    if not is_float(name):
        return False
    with numpy.errstate(all="ignore"):
        return bits_of(numpy.asarray([float(text)]).astype(DTYPES[name])[0]) == bits


def rounded(text: str, number: Fraction) -> bool:
    """Whether a few digits are this number, rounded."""
    mantissa, _, power = text.partition("e")
    shown = Fraction(Decimal(mantissa)) * Fraction(10) ** int(power or 0)
    if number == 0 or shown == number:
        return shown == number
    size = (
        math.floor(math.log10(abs(number)))
        if abs(number) < 1e300 and abs(number) > 1e-300
        else Decimal(abs(number).numerator).adjusted() - Decimal(abs(number).denominator).adjusted()
    )
    return abs(shown - number) <= Fraction(10) ** (size - 2) * Fraction(51, 100)


# ---- compared


def lies(view: BitView, torch: Any) -> list[str]:
    """Everything that a board prints of its rows, of their sum, their neighbours and a cast, and that is not so."""
    out = list[str]()
    for width in WIDTHS:
        view._act("room", {"value": width})
        for at in range(0 if width == WIDTHS[0] else view._steps(), view._steps() + 1):
            view._go(at)
            out += [f"{width:.0f} px, step {at}: {words}" for words in _wrong(view, torch)]
    return list(dict.fromkeys(out))


def _wrong(view: BitView, torch: Any) -> Iterator[str]:
    sheet = view._sheet_now()  # one for `text` and `svg`, which draw no more than this
    own, text = view.bits(), view._text_of(sheet)
    rows = re.findall(r"^(\w+) +((?:[01]+ ?)+)  (\S+)(?:  \((.*)\))?$", text, re.M)
    if not rows:
        yield f"no rows in {text!r}"
    for name, groups, number, note in rows:
        bits = groups.replace(" ", "")
        true = cast_bits(own, view.dtype, name, torch)
        if bits != true and not (
            _nan(bits, name) and _nan(true, name)
        ):  # which nan it is, is the processor's
            yield f"{name} {bits}, and it is {true}"
            continue
        yield from _grouped(name, groups)
        if not near(number, exact(bits, name), bits, name):
            yield f"{name} {number}, and it is {held(bits, name)!r}"
        yield from _noted(name, bits, note, own, view.dtype)
    drawn = _drawn(view._svg_of(sheet))
    shown = {name: groups.replace(" ", "") for name, groups, _, _ in rows}
    for name, bits in drawn.items():
        if name in shown and bits != shown[name]:
            yield f"{name} is drawn as {bits}, and told as {shown[name]}"
    if view._state.target == "":
        yield from _explained(view, text, shown)
    else:
        yield from _told_of_a_cast(view, text, own, torch)


def _nan(bits: str, name: str) -> bool:
    return is_float(name) and bool(numpy.isnan(held(bits, name)))


def _drawn(svg: str) -> dict[str, str]:
    """The bits of each row, as its tiles have them."""
    found: dict[str, dict[int, str]] = {}
    for part in ElementTree.fromstring(svg).iter():
        name, _, place = part.get("data-key", "").partition(":")
        if name in DTYPES and place.isdigit():
            words = "".join(t.text or "" for t in part if "tk-number" in t.get("class", ""))
            found.setdefault(name, {})[int(place)] = words
    return {n: "".join(b[k] for k in sorted(b, reverse=True)) for n, b in found.items() if all(b.values())}


def _grouped(name: str, groups: str) -> Iterator[str]:
    """The groups are sign, exponent and fraction."""
    parts = [len(part) for part in groups.split()]
    wide = DTYPES[name].itemsize * 8
    true = [1, *fields(name)] if is_float(name) else [1, wide - 1] if name.startswith("int") else [wide]
    if len(parts) > 1 and parts != true:
        yield f"{name} is grouped {parts}, and it is {true}"


def _noted(name: str, bits: str, note: str, own: str, source: str) -> Iterator[str]:
    """What became of the number: how far it is off, or what wrapping took away."""
    got, wanted = exact(bits, name), exact(own, source)
    if not note or got is None or wanted is None:
        return
    if found := re.search(r"rounded by ([+-])(\S+)", note):
        if got == wanted or (found[1] == "+") != (got > wanted) or not rounded(found[2], abs(got - wanted)):
            yield f"{name}: {note!r}, and it is {float(got - wanted)} more"
    elif "the same number" in note:
        if got != wanted:
            yield f"{name}: {note!r}, and it is {float(got - wanted)} more"
    elif found := re.search(r"wraps: (-?\d+) ([+-]) (\S+) = (-?\d+)", note):
        step = got - wanted
        if (
            int(found[1]) != wanted
            or int(found[4]) != got
            or not rounded(found[3], abs(step))
            or (found[2] == "+") != (step > 0)
        ):
            yield f"{name}: {note!r}, and it is {got}"
    elif found := re.search(r"cut: (?:(\S+) is dropped|nothing)", note):
        if got != int(wanted) or (found[1] and not rounded(found[1], abs(wanted - got))):
            yield f"{name}: {note!r}, and {wanted} became {got}"
    elif found := re.search(r"does not fit: became (\S+)", note):
        if int(found[1]) != got or int(wanted) == got:
            yield f"{name}: {note!r}, and it is {got}"
    elif found := re.search(r"(\S+) is (not )?0$", note):
        if bool(found[2]) != (wanted != 0):
            yield f"{name}: {note!r}, and it is {wanted}"
    elif "too small" in note and (got != 0 or wanted == 0):
        yield f"{name}: {note!r}, and it is {got}"


def _term(text: str) -> Fraction:
    """``-2⁷``, ``64`` or ``2⁻³``."""
    sign = -1 if text.startswith("-") else 1
    bare = text.lstrip("-")
    if re.fullmatch(r"2[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", bare):
        return sign * Fraction(2) ** int(bare[1:].translate(POWERS))
    return sign * Fraction(Decimal(bare.rstrip(".")))


def _summed(text: str) -> Fraction | None:
    """A sum that is written out whole."""
    return None if "…" in text else sum((_term(t) for t in text.split(" + ")), Fraction(0))


def _explained(view: BitView, text: str, shown: dict[str, str]) -> Iterator[str]:
    """The sum under the rows, what rounding lost, and the neighbours."""
    name = view._state.focus if view._state.focus in shown else next(iter(shown))
    bits, number = shown[name], exact(shown[name], name)
    if found := re.search(r"^([+-]1) × 2([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+) × (\S+)  =  (\S+)$", text, re.M):
        wide, many = fields(name)
        exponent, fraction = int(bits[1 : 1 + wide], 2), int(bits[1 + wide :], 2)
        power = max(exponent, 1) - (2 ** (wide - 1) - 1)
        part = Fraction(fraction, 2**many) + (exponent > 0)
        if (found[1] == "-1") != (bits[0] == "1") or int(found[2].translate(POWERS)) != power:
            yield f"{found[0]!r}, and sign and exponent are {bits[0]}, {power}"
        if not _digits(found[3], part) or not near(found[4], number, bits, name):
            yield f"{found[0]!r}, and it is {held(bits, name)!r}, mantissa {float(part)}"
        if (terms := re.search(r"stands for (\S+) = (.+)\.$", text, re.M)) and (
            not _digits(terms[1], part) or _summed(terms[2]) not in (None, part)
        ):
            yield f"{terms[0]!r}, and it is {float(part)}"
        if ("subnormal" in text) != (exponent == 0 and fraction > 0):
            yield f"{name} {bits}: subnormal or not"
    elif found := re.search(r"^(.+)  =  (\S+)$", text, re.M):
        total = _summed(found[1])
        if total not in (None, number) or not near(found[2], number, bits, name):
            yield f"{found[0]!r}, and it is {number}"
    elif number is not None:
        yield f"no sum of {name} in {text!r}"
    if found := re.search(r"from (-?\d+) to (-?\d+)\.", text):
        about = numpy.iinfo(DTYPES[name])
        if (int(found[1]), int(found[2])) != (about.min, about.max):
            yield f"{found[0]!r}, and it is {about.min} to {about.max}"
    if (asked := view._state.asked) is not None and number is not None:
        yield from _meant(text, asked.text, number)
    yield from _neighbours(text, name, bits)


def _digits(text: str, number: Fraction) -> bool:
    """All digits of a fraction, or the first of them and a ….

    >>> _digits("1.5", Fraction(3, 2)), _digits("1.33…", Fraction(4, 3)), _digits("1.34…", Fraction(4, 3))
    (True, True, False)
    """
    if "e" in text:
        return rounded(text, number)
    shown = Fraction(text.rstrip("…").rstrip("."))
    if not text.endswith("…"):
        return shown == number
    return 0 <= number - shown < Fraction(1, 10 ** len(text.rstrip("…").partition(".")[2]))


def _meant(text: str, asked: str, got: Fraction) -> Iterator[str]:
    try:
        wanted = Fraction(Decimal(asked.replace("_", "")))
    except (ArithmeticError, ValueError):
        return
    if found := re.search(r"was meant; this is (\S+) (more|less)\.", text):
        if (found[2] == "more") != (got > wanted) or not rounded(found[1], abs(got - wanted)):
            yield f"{found[0]!r} of {asked}, and it is {got}"
    elif "without any error" in text and got != wanted:
        yield f"{asked} is kept without any error, and it is {got}"


def _neighbours(text: str, name: str, bits: str) -> Iterator[str]:
    number = held(bits, name)
    for word, end in (("smaller", -math.inf), ("larger", math.inf)):
        found = re.search(rf"^the next {word} number: (\S+)$", text, re.M)
        if is_float(name):
            with numpy.errstate(all="ignore"):
                true = numpy.nextafter(number, numpy.asarray(end).astype(DTYPES[name]))
            none = number != number or float(number) == end
            near_it = None if none else bits_of(true)
        else:
            about = (
                (0, 1) if name == "bool" else (numpy.iinfo(DTYPES[name]).min, numpy.iinfo(DTYPES[name]).max)
            )
            one = int(number) + (1 if end > 0 else -1)
            near_it = bits_of(numpy.asarray(one, DTYPES[name])) if about[0] <= one <= about[1] else None
        if found is None:
            if near_it is not None:
                yield f"{name} {number!r} has a next {word} number, which is not told"
        elif near_it and exact(near_it, name) == 0 and found[1] in ("0.", "-0.", "0"):
            continue  # one number, whatever its sign
        elif near_it is None or not near(found[1], exact(near_it, name), near_it, name):
            yield f"{found[0]!r} than {number!r}, and it is {near_it and held(near_it, name)!r}"


OUTCOME = r"It becomes|It is kept as|Read as \w+, it is|the bits mean|becomes|it is|result is"


def _told_of_a_cast(view: BitView, text: str, own: str, torch: Any) -> Iterator[str]:
    """The sentences of a cast: between which numbers it lies, which is nearer, what came out."""
    target = view._state.target
    result = cast_bits(own, view.dtype, target, torch)
    wanted, got = exact(own, view.dtype), exact(result, target)
    if found := re.search(r"lies (\S+) % of the way from (\S+) to (\S+), so (\S+) is nearer", text):
        ends = [Fraction(Decimal(end.rstrip("…").rstrip("."))) for end in (found[2], found[3])]
        if wanted is None or not ends[0] <= wanted <= ends[1] + abs(ends[1]) / 10**12:
            yield f"{found[0]!r}, and it is {float(wanted or 0)}"
        elif not near(found[4], got, result, target):
            yield f"{found[0]!r}, and it became {held(result, target)!r}"
        elif "…" not in found[0] and "e" not in found[0]:
            share = float((wanted - ends[0]) / (ends[1] - ends[0]) * 100)
            if abs(share - float(found[1])) > 0.0051 and 0.01 < share < 99.99:
                yield f"{found[0]!r}, and it is {share} %"
    if found := re.search(r"in the very middle of (\S+) and (\S+): the one that ends in a 0 bit", text):
        ends = [Fraction(Decimal(end.rstrip("."))) for end in found.groups() if "…" not in end]
        if result[-1] != "0" or (len(ends) == 2 and "e" not in found[0][:60] and sum(ends) / 2 != wanted):
            yield f"{found[0]!r}, and it is {float(wanted or 0)}, and became {result}"
    if found := re.search(r"The result is (\S+), (\S+) (more|less)\.", text):
        off = (got or Fraction(0)) - (wanted or Fraction(0))
        if (
            not near(found[1], got, result, target)
            or (found[3] == "more") != (off > 0)
            or not rounded(found[2], abs(off))
        ):
            yield f"{found[0]!r}, and it is {held(result, target)!r}, {float(off)} more"
    found = re.search(
        rf"\b(?:{OUTCOME}) (-?(?:\d[\d.e-]*|nan|inf)|True|False)(?: again| exactly)?\.?(?:\s|$)", text
    )
    if found and not near(found[1], got, result, target):
        yield f"{found[0]!r}, and it is {held(result, target)!r}"
    if (found := re.search(r"^(-?\d+) = (-?\d+) × (\d+) \+ (\d+), and", text, re.M)) and (
        int(found[1]) != int(found[2]) * int(found[3]) + int(found[4])
        or int(found[3]) != 2 ** (8 * DTYPES[target].itemsize)
        or int(found[1]) != wanted
    ):
        yield f"{found[0]!r} is not so"
    if (found := re.search(r"(\d+) bits more", text)) and int(found[1]) != len(result) - len(own):
        yield f"{found[0]!r}, and they are {len(result) - len(own)}"
    if found := re.search(r"Written in binary, \S+ is (-?)1\.?([01]*)(…?)₂ × 2([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text):
        shown = (1 + Fraction(int(found[2] or "0", 2), 2 ** len(found[2]))) * Fraction(2) ** int(
            found[4].translate(POWERS)
        )
        room = Fraction(2) ** (int(found[4].translate(POWERS)) - len(found[2]))
        if (
            wanted is None
            or (found[1] == "-") != (wanted < 0)
            or not (0 < abs(wanted) - shown < room if found[3] else abs(wanted) == shown)
        ):
            yield f"{found[0]!r}, and it is {float(wanted or 0)}"
    if (
        is_float(target)
        and (found := re.search(r"has (\d+) bits after the point", text))
        and int(found[1]) != fields(target)[1]
    ):
        yield f"{found[0]!r}, and {target} has {fields(target)[1]}"
