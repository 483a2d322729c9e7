"""What a `GraphView` prints, against the library's own ``grad_fn`` graph and a real backward pass.

Nothing here knows the widget's model: nodes are found along ``next_functions``, saved tensors by ``_saved_…``, and
gradients by hooks on the nodes of a second, equal graph that is really walked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from tensorkit_widgets import GraphView
from tests.widgets.printed_graph_truth import (
    Pass,
    called,
    gatherer,
    is_leaf,
    nodes_of,
    really_walked,
    saved_under,
)
from tests.widgets.printed_graph_words import turns, twin_lies, words_lie
from tests.widgets.printed_values import Cut, shows, sized

Made = tuple[Any, dict[str, Any]]
Program = Callable[[Any], Made]
WIDTHS = (960.0, 400.0)


# ---- what is printed


@dataclass
class Printed:
    """A box of a picture: its attributes, and its texts with the class of each."""

    about: dict[str, str]
    texts: list[tuple[str, str]]
    spoken: str

    @property
    def number(self) -> int:
        return int(self.about["data-vertex"])

    def of(self, kind: str) -> list[str]:
        return [text for classes, text in self.texts if kind in classes.split()]


Picture = tuple[list[Printed], list[dict[str, str]]]


def _kinds(part: ElementTree.Element) -> list[str]:
    return part.get("class", "").split()


def read_picture(svg: str) -> Picture:
    """The boxes, and the wires with the label that is drawn beside each."""
    root = ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    boxes, wires = [], []
    for part in root.iter(f"{space}g"):
        texts = [(t.get("class", ""), "".join(t.itertext())) for t in part.iter(f"{space}text")]
        if "tk-vertex" in _kinds(part):
            boxes.append(Printed(dict(part.attrib), texts, part.findtext(f"{space}title", "")))
        elif "tk-edge" in _kinds(part):
            wires.append({**part.attrib, "label": texts[0][1].removeprefix("↑ ") if texts else ""})
    return boxes, wires


# ---- compared


class Check:
    """One picture of one step, against the truth."""

    def __init__(
        self, lib: Any, tensors: Sequence[Any], names: dict[str, Any], real: Pass, done: int
    ) -> None:
        self.lib, self.tensors, self.names, self.real = lib, tensors, names, real
        self.nodes = nodes_of(tensors)
        self.number = {id(node): k for k, node in enumerate(self.nodes)}
        self.ran = set(real.order[:done])

    def lies(self, picture: Picture) -> Iterator[str]:
        """What its boxes and wires say and is not so."""
        boxes, wires = picture
        drawn = {box.number: box for box in boxes}
        self.folded = {
            member: box.number
            for box in boxes
            if "data-fold" in box.about
            for member in self._members(box, drawn)
        }
        self.folded |= {member: box.number for box in boxes for member in self._listed(box, wires)}
        for box in boxes:
            yield from (f"box {box.about['data-name']}: {words}" for words in self._box(box))
        for k in range(len(self.nodes)):
            if k not in drawn and k not in self.folded:
                yield f"{self.nodes[k].name()} is not drawn"
        yield from self._wires(wires, drawn)

    # -- groups

    def _operations(self, k: int) -> list[int]:
        return [
            s
            for n, _ in self.nodes[k].next_functions
            if n is not None and not is_leaf(self.nodes[s := self.number[id(n)]])
        ]

    def _members(self, box: Printed, drawn: dict[int, Printed]) -> list[int]:
        """The operations of a fold: a line of operations that are drawn nowhere else."""
        if box.about["data-kind"] != "op":
            return []
        out = [box.number]
        while below := [s for s in self._operations(out[-1]) if s not in drawn]:
            out.append(below[0])
        return out[: int(box.about["data-fold"])]

    def _listed(self, box: Printed, wires: list[dict[str, str]]) -> list[int]:
        """The leaves of a bundle: those of the operation that its wire leads to."""
        if box.about["data-kind"] != "leaf" or not re.match(r"\d+ leaves$", box.about["data-name"]):
            return []
        wire = next(w for w in wires if int(w["data-from"]) == box.number and "data-to" in w)
        edges = self.nodes[int(wire["data-to"])].next_functions
        return list(
            dict.fromkeys(self.number[id(edges[k][0])] for k in map(int, wire["data-inputs"].split(",")))
        )

    # -- boxes

    def _box(self, box: Printed) -> Iterator[str]:
        kind = box.about["data-kind"]
        if kind == "reference":
            return
        if kind == "op":
            yield from self._fold(box) if "data-fold" in box.about else self._operation(box)
        elif kind == "leaf" and box.number in self.folded:
            yield from self._bundle(box)
        elif kind == "leaf":
            yield from self._leaf(box)
        else:
            yield from self._constant(box)
        words = box.about["data-state"]
        members = [k for k, b in self.folded.items() if b == box.number] or [box.number]
        if kind != "constant" and words == "ran" and not self.ran.issuperset(members):
            yield f"is said to have run; {len(self.ran)} nodes have"
        if kind != "constant" and words == "waiting" and self.ran.issuperset(members) and self.ran:
            yield "is said to wait, and has run"

    def _fold(self, box: Printed) -> Iterator[str]:
        members = [k for k, b in self.folded.items() if b == box.number]
        title, many = box.about["data-name"], int(box.about["data-fold"])
        found = re.fullmatch(r"× (\d+) (.+)", title)
        if found is None:
            yield f"{title} is no fold"
            return
        pattern = found[2].split(" · ")
        if len(members) != many or f"{many} operations, folded" not in " ".join(t for _, t in box.texts):
            yield f"{many} are said to be folded, and {len(members)} are"
        if [called(self.nodes[k]) for k in reversed(members)] != pattern * int(found[1]):
            yield f"{title}, and they are {[called(self.nodes[k]) for k in reversed(members)]}"
        kept = sum(len(self._saved(self.nodes[k])) for k in members)
        for text in box.of("tk-line-kept") + box.of("tk-line-gone"):
            told = re.fullmatch(r"keeps (\d+)(?: of \d+)? tensors?|(\d+) tensors? let go", text)
            still = sum(len(self._saved(self.nodes[k])) for k in members if k not in self.ran)
            many = int(told[1] or told[2]) if told else -1
            if kept and (many != (still or kept) or bool(told and told[1]) != (still > 0)):
                yield f"{text!r}, and it is {still} of {kept}"

    def _bundle(self, box: Printed) -> Iterator[str]:
        members = [k for k, b in self.folded.items() if b == box.number]
        if box.about["data-name"] != f"{len(members)} leaves":
            yield f"it stands for {len(members)} leaves"
        filled = sum(self._grad(k) is not None for k in members)
        jar = (box.of("tk-jar-text") or [None])[0]
        if jar is not None and jar != (f"{filled} of {len(members)}" if filled else "None"):
            yield f".grad {jar}, and {filled} are filled"
        for text in box.of("tk-line-number"):
            found = re.match(r"(?:… )?(\S+) = ([^·]*)(?: · .grad (.*))?$", text)
            if found is None or found[1] not in self.names:
                continue
            yield from self.value(found[2].strip(), self.names[found[1]], text)
            if found[3]:
                yield from self._jar(found[3], self._grad(self.number[id(gatherer(self.names[found[1]]))]))

    def _leaf(self, box: Printed) -> Iterator[str]:
        leaf = self.nodes[box.number].variable
        name = box.about["data-name"]
        if name not in self.names and not re.fullmatch(r"leaf \d+", name):
            yield f"there is no {name}"
        if name in self.names and self.names[name] is not leaf:
            yield f"it is not {name}"
        for text in box.of("tk-line-number"):
            yield from self.value(text, leaf, text)
        yield from self._about(box.of("tk-line-about"), leaf)
        yield from self._jar(box.of("tk-jar-text")[0], self._grad(box.number))

    def _grad(self, k: int) -> Any:
        """What a leaf's ``.grad`` holds now, or would hold by now."""
        return self.real.filled[k] if k in self.ran else self.nodes[k].variable.grad

    def _constant(self, box: Printed) -> Iterator[str]:
        name = box.about["data-name"]
        tensor = self.names.get(name)
        if name and tensor is None:
            yield f"there is no {name}"
        if tensor is None:
            held = [t for node in self.nodes if not is_leaf(node) for _, t in self._saved(node)]
            held += [t for t in self.tensors if not t.requires_grad]
            texts = box.of("tk-line-number")
            if held and not any(shows(texts[0], t) for t in held if "…" not in texts[0] or t.ndim):
                yield f"{texts[0]} is what no node saved"
            return
        if tensor.requires_grad:
            yield f"{name} wants its gradient"
        for text in box.of("tk-line-number"):
            yield from self.value(text, tensor, text)
        for text in box.of("tk-line-about"):
            shared = re.search(r"shares (.+)’s numbers", text)
            if shared is None:
                yield from self._about([text.removeprefix("no grad · ")], tensor)
            elif "…" not in shared[1] and shared[1] != "a leaf":
                other = self.names[shared[1]].untyped_storage().data_ptr()
                if other != tensor.untyped_storage().data_ptr():
                    yield f"{text!r}, and it does not"

    def _operation(self, box: Printed) -> Iterator[str]:
        node, name = self.nodes[box.number], box.about["data-name"]
        if name != called(node) and not (name.endswith("…") and called(node).startswith(name[:-1])):
            yield f"it is {node.name()}"
        came = self.real.arrived.get(box.number, ())
        for tag in box.of("tk-vertex-tag"):
            size = (
                "(" + ", ".join(map(str, came[0].shape)) + ("," if came[0].ndim == 1 else "") + ")"
                if came and came[0] is not None
                else tag
            )
            if tag != size:
                yield f"its result has size {tag}, and it is {size}"
        texts = [t for c, t in box.texts if "tk-line-" in c]
        names = [one for text in texts if (one := self._kept_name(text))]
        for text in texts:
            yield from self._line(box, node, text)
        rest = sum(int(m[1]) for text in texts if (m := re.fullmatch(r"and (\d+) more saved", text)))
        known = len(self._saved(node))
        if known and len(names) + rest != known:
            yield f"{len(names) + rest} saved tensors, and it has {known}"

    # -- lines of an operation

    KEPT = re.compile(
        r"(?:keeps )?(?P<name>[a-z_0-9]+(?:\[\d+\])?)(?: = (?P<source>[^:]*?))?"
        r"(?P<rest>: let go| · v\d+|: v\d+ now, needs v\d+| [\[\d-].*)$"
    )

    def _kept_name(self, text: str) -> str:
        found = self.KEPT.match(text)
        if (
            found is None
            or (not text.startswith("keeps ") and ": " not in text)
            or (text.startswith("input ") and text[6].isdigit())
        ):
            return ""
        return found["name"]

    def _line(self, box: Printed, node: Any, text: str) -> Iterator[str]:
        if text.endswith("…"):
            return  # cut for a narrow page: the whole line is in its label
        if found := re.fullmatch(r"input (\d+): (no gradient|the number (.+))", text):
            if node.next_functions[int(found[1])][0] is not None:
                yield f"{text!r}, and a gradient goes there"
            return
        if found := re.fullmatch(r"(\d+) inputs: no gradient", text):
            return
        if text.startswith(".grad "):
            made = next((t for t in self._results(node) if t.retains_grad), None)
            if made is None:
                yield f"{text!r}, and no result retains its gradient"
            else:
                held = self.real.arrived[box.number][made.output_nr] if box.number in self.ran else made.grad
                yield from self._jar(text.removeprefix(".grad "), held)
            return
        name = self._kept_name(text)
        if name:
            yield from self._saved_line(box, node, name, text)
            return
        if found := re.fullmatch(r"(.+?) = (.+?)(?: · v(\d+))?", text):
            made = next((t for t in self._results(node) if self.names.get(found[1], t) is t), None)
            if made is None:
                yield f"{text!r}, and it made no {found[1]}"
            else:
                yield from self.value(found[2], made, text)
                if int(found[3] or 0) != made._version:
                    yield f"{text!r}, and it is version {made._version}"

    def _results(self, node: Any) -> list[Any]:
        return [t for t in (*self.names.values(), *self.tensors) if t.requires_grad and t.grad_fn is node]

    def _saved_line(self, box: Printed, node: Any, name: str, text: str) -> Iterator[str]:
        try:
            held, refusal = saved_under(node, name), ""
        except RuntimeError as error:
            held, refusal = None, str(error)
        except (AttributeError, IndexError):
            yield f"{text!r}, and it saved no {name}"
            return
        versions = re.search(r"is at version (\d+); expected version (\d+)", refusal)
        if found := re.search(r": v(\d+) now, needs v(\d+)", text):
            if versions is None or found.groups() != versions.groups():
                yield f"{text!r}, and the library says {refusal[:80]!r}"
        elif text.endswith(": let go"):
            if box.number not in self.ran and not refusal:
                yield f"{text!r}, and it has it still"
        elif refusal:
            yield f"{text!r}, and the library says {refusal[:80]!r}"
        elif box.number in self.ran:
            yield f"{text!r}, and it has run"
        elif int(re.search(r" · v(\d+)$", text)[1]) != held._version:  # type: ignore[index]
            yield f"{text!r}, and it is version {held._version}"
        source = re.search(rf"{re.escape(name)} = ([^:·]+?)(?: ·|:|$)", text)
        if source and "…" not in source[1] and held is not None and source[1] in self.names:
            if not _alike(self.names[source[1]], held):
                yield f"{text!r}, and it is another tensor"
        elif (
            not source
            and held is not None
            and (value := re.search(rf"keeps {re.escape(name)} (.+) · v", text))
        ):
            yield from self.value(value[1], held, text)

    def _saved(self, node: Any) -> list[tuple[str, Any]]:
        """The tensors that a node still has, but for the numbers that PyTorch wraps."""
        if hasattr(node, "saved") and isinstance(node.saved, dict):
            names = [f"_saved_{one}" for one in node.saved]
        else:
            names = [n for n in dir(type(node)) if n.startswith("_saved_")] or ["saved_tensors"]
        out: list[tuple[str, Any]] = []
        for name in names:
            try:
                found = getattr(node, name)
            except (RuntimeError, AttributeError):
                return []  # let go, or written to since
            for one in found if isinstance(found, tuple | list) else (found,):
                if isinstance(one, self.lib.Tensor):
                    out.append((name, one))
        known = [id(t) for t in self.names.values()]
        return [
            (n, t)
            for n, t in out
            if t.requires_grad
            or t.ndim
            or id(t) in known
            or "result" in n
            or str(t.dtype) not in ("torch.int64", "torch.float64")
        ]

    # -- values

    def value(self, text: str, tensor: Any, where: str) -> Iterator[str]:
        try:
            true = shows(text, tensor)
        except Cut:
            if not text.endswith("…"):
                yield f"{text!r} is no tensor's"
            return
        if not true:
            yield f"{where!r}, and it is {tensor.detach().tolist()}"

    def _about(self, texts: list[str], tensor: Any) -> Iterator[str]:
        size = "(" + ", ".join(map(str, tensor.shape)) + ("," if tensor.ndim == 1 else "") + ")"
        true = f"{size} {str(tensor.dtype).rpartition('.')[2]} · v{tensor._version}"
        for text in texts:
            if text != true and not (text.endswith("…") and true.startswith(text[:-1])):
                yield f"{text!r}, and it is {true}"

    def _jar(self, text: str, grad: Any) -> Iterator[str]:
        if grad is None or text == "None":
            if text != "None" or grad is not None:
                yield f".grad {text}, and it is {grad}"
            return
        yield from self.value(text, grad, f".grad {text}")

    # -- wires

    def _wires(self, wires: list[dict[str, str]], drawn: dict[int, Printed]) -> Iterator[str]:
        wanted = {
            (self.folded.get(k, k), self.folded.get(s, s), k, i)
            for k, n in enumerate(self.nodes)
            for i, (source, _) in enumerate(n.next_functions)
            if source is not None
            for s in (self.number[id(source)],)
        }
        wanted = {one for one in wanted if one[0] != one[1]}
        between: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for t, s, k, i in wanted:
            between.setdefault((t, s), set()).add((k, i))
        seen: set[tuple[int, int]] = set()
        for wire in wires:
            if "data-to" not in wire:
                continue
            source, target = (
                self.folded.get(int(wire["data-from"]), int(wire["data-from"])),
                int(wire["data-to"]),
            )
            inputs = {int(k) for k in wire["data-inputs"].split(",")}
            of = between.get((target, source), set())
            if drawn[source].about["data-kind"] == "constant":
                blind = self.nodes[target].next_functions if target not in self.folded else ()
                if any(blind[i][0] is not None for i in inputs if blind):
                    yield f"a wire without gradient from {source} to {target}"
                continue
            seen.add((target, source))
            if {i for _, i in of} != inputs:
                yield f"a wire from {source} to {target} for inputs {inputs}, and they are {of}"
            yield from (f"wire {source} to {target}: {w}" for w in self._flow(wire, of))
        for target, source in between.keys() - seen:
            yield f"no wire from {source} to {target}"

    def _flow(self, wire: dict[str, str], of: set[tuple[int, int]]) -> Iterator[str]:
        """The gradients that climb a wire: all of those that were really sent by now."""
        sent = [self.sent(k, i) for k, i in sorted(of) if k in self.ran]
        sent = [grad for grad in sent if grad is not None]
        for text in {wire["data-gradient"], wire["label"]}:
            if not sent or not text:
                if sent or text:
                    yield f"{text!r}, and {len(sent)} gradients climb it"
                continue
            if found := re.fullmatch(r"(\d+) gradients(?:, the last (.+))?", text):
                if int(found[1]) != len(sent) or (found[2] and not sized(found[2], sent[-1])):
                    yield f"{text!r}, and they are {len(sent)}, the last {sent[-1].tolist()}"
            elif found := re.fullmatch(r"(\d+) × (.+)", text):
                if int(found[1]) != len(sent) or not all(sized(found[2], g) for g in sent):
                    yield f"{text!r}, and they are {[g.tolist() for g in sent]}"
            else:
                words = text.split(" + ")
                if len(words) != len(sent) or not all(map(sized, words, sent)):
                    yield f"{text!r}, and they are {[g.tolist() for g in sent]}"

    def sent(self, k: int, i: int) -> Any:
        """A gradient as it arrives at the source: added up over what broadcasting had repeated."""
        grad = self.real.sent.get((k, i))
        if grad is None:
            return None
        source, nr = self.nodes[k].next_functions[i]
        came = self.real.arrived.get(self.number[id(source)])
        if came is None:  # the real pass was refused before it got there
            came = (source.variable,) if is_leaf(source) else (grad,)
        size = tuple(came[nr].shape)
        while grad.ndim > len(size):
            grad = grad.sum(0)
        for d, n in enumerate(size):
            grad = grad.sum(d, keepdim=True) if n == 1 and grad.shape[d] != 1 else grad
        return grad


def _alike(one: Any, other: Any) -> bool:
    return (
        one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()
        and tuple(one.stride()) == tuple(other.stride())
        and one.storage_offset() == other.storage_offset()
    )


def _each(names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in names.items():
        if isinstance(value, list):
            yield from ((f"{name}[{k}]", one) for k, one in enumerate(value))
        else:
            yield name, value


def lies(program: Program, lib: Any, prepared: Callable[[GraphView], None] = lambda view: None) -> list[str]:
    """Everything that the pictures of a program's graph print, at every step and both widths, and that is not so."""
    made, given = program(lib)
    names = dict(_each(given))
    tensors = made if isinstance(made, list) else [made]
    again, _ = program(lib)
    real = really_walked(again if isinstance(again, list) else [again], lib)
    view, out = GraphView(made, names=given), list[str]()
    try:
        prepared(view)
        for width in WIDTHS:
            view._heard(None, {"kind": "room", "value": width}, [])
            done = 0
            for at in range(view.steps + 1):
                view._go(at)
                sheet = view._sheet_now()  # one for `text` and `svg`, which draw no more than this
                text, picture = view._text_of(sheet), read_picture(view._svg_of(sheet))
                said = text.partition("\n\n")[2].partition("\n\n")[0]
                done = 0 if not at else done + turns(said)
                check = Check(lib, tensors, names, real, done)
                where = f"{width:.0f} px, step {at}: "
                found = [*check.lies(picture), *words_lie(check, text, said, picture)]
                found += twin_lies(check, text, picture) if width == WIDTHS[0] else ()
                out += [where + words for words in found]
    finally:
        view.close()
    return list(dict.fromkeys(out))
