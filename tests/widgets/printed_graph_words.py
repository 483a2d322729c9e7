"""The sentences and the text twin of a `GraphView`, against its graph and a real backward pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tests.widgets.printed_graph_truth import called, gatherer, is_leaf
from tests.widgets.printed_values import sized

if TYPE_CHECKING:
    from tests.widgets.printed_graph import Check, Picture

END = r" It needed| \(the walk| The rehearsal| \S+ retains| Its result|$"
"""How a sentence of a step may go on."""


def words_lie(check: Check, text: str, said: str, picture: Picture) -> Iterator[str]:
    """The counts of the whole graph, and the sentence of the step."""
    real, nodes = check.real, check.nodes
    leaves = sum(map(is_leaf, nodes))
    counted = re.search(
        r"([\d,]+) operations? recorded, forward down the page; gradients climb back to (\w+)", text
    )
    if counted and int(counted[1].replace(",", "")) != len(nodes) - leaves:
        yield f"{counted[0]!r}, and there are {len(nodes) - leaves}"
    if counted and counted[2] != {0: "no", 1: "one"}.get(leaves, str(leaves)):
        yield f"{counted[0]!r}, and there are {leaves}"
    folded = re.search(r"(\d+) runs? folded", text)
    boxes = picture[0]
    if int(folded[1] if folded else 0) != sum(
        "data-fold" in b.about and b.about["data-kind"] == "op" for b in boxes
    ):
        yield f"{folded and folded[0]!r} in {text[:200]!r}"
    ran = [k for k in real.order if k in check.ran]
    if " refuses. " in said:
        who = called(nodes[real.order[-1]])
        if not real.error or f"{who} refuses. " not in said or " ".join(real.error.split())[:60] not in said:
            yield f"{said!r}, and {who} says {real.error!r}"
    elif "step " in said and "over" in said and real.error:
        yield f"{said!r}, and it is refused: {real.error}"
    if found := re.search(rf": (\w+) runs\. (.+?) arrives?; (.+?)\.(?:{END})", said):
        k = ran[-1]
        if called(nodes[k]) != found[1]:
            yield f"{said!r}, and {called(nodes[k])} does"
        yield from _list_of(found[2], [g for g in real.arrived[k] if g is not None])
        sent = [(i, check.sent(k, i)) for i in range(len(nodes[k].next_functions))]
        yield from _sent_on(found[3], [(i, g) for i, g in sent if g is not None], len(sent))
    elif found := re.search(
        r": (.+) arrives? at (\S+)(?:, a leaf: its \.grad holds (.+?) now| and is added to its \.grad: (.+) → (.+?))"
        rf"\.(?:{END})",
        said,
    ):
        k = ran[-1]
        if nodes[k].variable is not check.names.get(found[2], nodes[k].variable):
            yield f"{said!r}, and it is another leaf"
        yield from _list_of(found[1], list(real.arrived[k]))
        yield from check.value(found[3] or found[5], real.filled[k], said)
        if found[4]:
            yield from check.value(found[4], nodes[k].variable.grad, said)


def twin_lies(check: Check, text: str, picture: Picture) -> Iterator[str]:
    """The text twin says what the wide picture says, and each operation is given what its node points back to."""
    boxes, wires = picture
    for box in boxes:
        for kind, words in box.texts:
            told = box.about["data-kind"] != "reference" and kind.rpartition("-")[2] not in ("name", "tag")
            if (told or "tk-vertex-name" in kind) and words not in text:
                yield f"the text twin lacks {words!r}"
    climbing = {w["data-gradient"] for w in wires if "data-to" in w and w["data-gradient"]}
    if climbing != {found[1] for found in re.finditer(r"      ↑ (.+) to .+", text)}:
        yield f"the text twin has other gradients than {climbing}"
    if any("data-fold" in box.about for box in boxes):
        return
    lines = {m[1]: (m[2], m[3]) for m in re.finditer(r"^[>! ] (\S+) ← ([\w:]+)\(([^()]*)\)", text, re.M)}
    known = {
        name: id(t.grad_fn) for name, t in check.names.items() if t.requires_grad and t.grad_fn is not None
    }
    known |= {
        name: id(gatherer(t)) for name, t in check.names.items() if t.requires_grad and t.grad_fn is None
    }
    output = {name: t.output_nr for name, t in check.names.items() if t.requires_grad}
    rest = [label for label in lines if label in known]
    while rest:
        label = rest.pop()
        node = check.nodes[check.number[known[label]]] if known[label] in check.number else None
        if node is None or label not in lines:
            continue
        operation, args = lines[label][0], iter(lines[label][1].split(", "))
        if re.search(r"\d+ (?:leaves|constants)", lines[label][1]):
            continue  # many of them in one box
        if operation != called(node):
            yield f"{label} ← {operation}, and it is {node.name()}"
        for source, nr in node.next_functions:
            if source is None:
                continue
            for arg in args:
                if arg.startswith(("#", "leaf ")) and arg not in known:
                    known[arg] = id(source)
                    rest.append(arg)
                if known.get(arg) == id(source) and output.get(arg, nr) == nr:
                    break
            else:
                yield f"{label} ← {operation}({lines[label][1]}), and it was given {source.name()} too"


def _list_of(text: str, grads: list[Any]) -> Iterator[str]:
    words = text.split(" and ")
    if len(grads) <= 3 and (len(words) != len(grads) or not all(map(sized, words, grads))):
        yield f"{text!r} arrives, and it is {[g.tolist() for g in grads]}"


def _sent_on(text: str, grads: list[tuple[int, Any]], inputs: int) -> Iterator[str]:
    rest = re.search(r", and (\d+) more to the other inputs$", text)
    parts = re.split(r" and (?=[(\[\d-]|nan|inf)", text[: rest.start()] if rest else text)
    found = [re.fullmatch(r"(.+?) (?:goes on)? ?(?:to input (\d+))?", part) for part in parts]
    words = [one.groups() for one in found if one is not None]
    if not grads and text == "nothing is sent on":
        return
    if len(words) + int(rest[1] if rest else 0) != len(grads):
        yield f"{text!r}, and {len(grads)} are sent: {words}"
    for (value, k), (i, grad) in zip(words, grads, strict=False):
        if not sized(value, grad) or (k and int(k) != i) or (not k and inputs != 1):
            yield f"{text!r}, and to input {i} goes {grad.tolist()}"


def turns(said: str) -> int:
    """How many nodes take their turn in a step, as its sentence says."""
    many = re.search(r": (\d+) (?:operations run|leaves get)", said)
    return int(many[1]) if many else int(" refuses. " not in said)
