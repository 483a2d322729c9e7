import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { slotLayout } from "../tensorkit_widgets/static/byte_overlap.js";
import { StrideScene } from "../tensorkit_widgets/static/stride_scene.js";

const fixtures = JSON.parse(readFileSync("fixtures/scenes.json", "utf-8"));
const named = (name) => fixtures.find((fixture) => fixture.name === name);

function shown(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  document.body.replaceChildren(document.importNode(parsed, true));
  return document.body.firstElementChild;
}

/** What a focus changes in a picture, as plain data; `tests/widgets/scene_examples.py` reads Python's picture in the same way. */
function look(svg) {
  const list = (selector, read) => [...svg.querySelectorAll(selector)].map(read);
  const classes = (part) => [part.getAttribute("data-key"), part.getAttribute("class").trim().split(/ +/).sort().join(" ")];
  const box = (part) => ["x", "y", "width", "height"].map((side) => part.getAttribute(side));
  return {
    tiles: list(".tk-tile", classes),
    headers: list(".tk-header", (part) => [part.textContent, part.getAttribute("class")]),
    selected: list('[aria-selected="true"]', (part) => part.getAttribute("aria-label")),
    halos: list(".tk-halo:not([hidden])", box).filter(([, , width]) => width !== "0"),
    formula: svg.querySelector(".tk-formula")?.textContent,
    arcs: list(".tk-arcs > *", (part) => [part.getAttribute("class"), part.getAttribute("d"), part.getAttribute("x"), part.getAttribute("y"), part.textContent]),
  };
}

describe("the browser and Python draw the same", () => {
  for (const { name, svg, others } of fixtures) {
    for (const other of others) {
      it(`${name}, element [${other.focus}]`, () => {
        const scene = new StrideScene(shown(svg), {});
        scene.showElement(other.focus);
        const wanted = { ...other.look, tiles: other.look.tiles.map(([key, kind]) => [key, kind.split(" ").sort().join(" ")]) };
        expect(look(scene.svg)).toEqual(wanted);
      });
    }
  }

  it("covers pictures of every kind", () => {
    expect(fixtures.flatMap(({ others }) => others).length).toBeGreaterThan(20);
  });
});

describe("a scene under the pointer", () => {
  let scene;
  let heard;
  beforeEach(() => {
    heard = { mark: vi.fn(), onAct: vi.fn(), onEdit: vi.fn(), onPoint: vi.fn(), say: vi.fn() };
    scene = new StrideScene(shown(named("transposed_slice").svg), heard);
  });
  let x = 0;
  const over = (part) => part.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: (x += 1), clientY: 5 }));
  const cell = (index) => scene.svg.querySelector(`.tk-tile[data-key="t:${index}"]`);
  const marks = (kind) => [...scene.svg.querySelectorAll(`[data-table="${kind[0] === "s" ? "s" : "t"}"] .tk-kin`)].map((part) => Number(part.dataset.slot)).sort((a, b) => a - b);
  const slot = (number) => scene.svg.querySelector(`.tk-tile[data-key="s:${number}"]`);
  const press = (part, key) => part.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));

  it("lights the slot around a smaller one that another picture points at, and all slots in a larger one", () => {
    const lit = (slot, item) => {
      scene.point({ storage: 1, slot: slotLayout(slot, item) });
      return [...scene.svg.querySelectorAll('[data-table="s"] .tk-lit')].map((part) => Number(part.dataset.slot));
    };
    expect(scene.layout.item).toBe(4);
    expect(lit(8, 4)).toEqual([8]);
    expect(lit(13, 2)).toEqual([6]);
    expect(scene.svg.querySelector('[data-part="slot"]').textContent).toBe("6");
    expect(lit(5, 8), "back at rest").toEqual([10]);
    expect(marks("slot"), "float64 5").toEqual([10, 11]);
    expect(marks("cell")).toEqual([10]);
    scene.point({ storage: 1, slot: slotLayout(1, 16) });
    expect(marks("slot"), "complex128 1").toEqual([4, 5, 6, 7]);
    expect(marks("cell")).toEqual([4, 6]);
    scene.point({ storage: 1, slot: slotLayout(100, 16) });
    expect(marks("slot")).toEqual([]);
    over(slot(8));
    expect(heard.onPoint).toHaveBeenLastCalledWith({ storage: 1, slot: slotLayout(8, 4) });
  });

  it("lights the gap that hides a slot when another picture points at it, and the old light goes", () => {
    scene = new StrideScene(shown(named("window").svg), heard);
    const gap = [...scene.svg.querySelectorAll(".tk-gap-group")].find(({ dataset }) => Number(dataset.to) - Number(dataset.from) > 100);
    const [from, to] = [Number(gap.dataset.from), Number(gap.dataset.to)];
    const words = () => [...gap.querySelectorAll(".tk-gap-count")].map((line) => line.textContent);
    const before = words();
    const lit = () => [...scene.svg.querySelectorAll(".tk-lit, .tk-kin")];
    const rest = lit();
    expect(rest).not.toEqual([]);
    scene.point({ storage: 1, slot: slotLayout(from + 5, scene.layout.item) });
    expect(lit()).toEqual([gap]);
    expect(words()).toEqual(["slot", String(from + 5)]);
    expect([...scene.svg.querySelectorAll(".tk-halo:not([hidden])")].map((halo) => halo.getAttribute("width"))).toEqual(["0", "0"]);
    const said = `slot ${from + 5} is not drawn here: it is one of slots ${from} to ${to - 1}, which the strip leaves out`;
    expect(heard.mark).toHaveBeenLastCalledWith({ focus: "", focusSlot: String(from + 5), element: said });
    scene.point({ storage: 1, slot: null });
    expect(lit()).toEqual(rest);
    expect(words()).toEqual(before);
    scene.point({ storage: 1, slot: null, tensor: { offset: from + 7, size: [2], stride: [1], item: scene.layout.item } });
    expect(gap.classList.contains("tk-kin"), "a part of the tensor is in there").toBe(true);
    scene.point({ storage: 1, slot: null, tensor: { offset: to, size: [], stride: [], item: scene.layout.item } });
    expect(gap.classList.contains("tk-kin")).toBe(false);
  });

  it("lights the gap that hides the slot of an element of the grid", () => {
    scene = new StrideScene(shown(named("window").svg), heard);
    const [index, part] = [...scene.cells].find(([, one]) => !scene.slots.has(Number(one.dataset.slot))) ?? ["", null];
    if (!part) throw new Error("the strip draws every slot of the grid");
    over(part);
    expect(scene.gapOf(Number(part.dataset.slot)).group.classList.contains("tk-lit"), index).toBe(true);
  });

  it("lights all that a tensor reads when another picture points at a whole one", () => {
    scene.point({ storage: 1, slot: null, tensor: { offset: 0, size: [2, 2], stride: [8, 2], item: 4 } });
    expect(marks("slot")).toEqual([0, 2, 8, 10]);
    expect(marks("cell")).toEqual([8, 10]);
    scene.point({ storage: 1, slot: null });
    expect(marks("slot")).toEqual([]);
    expect(marks("cell")).toEqual([]);
    expect(slot(10).classList.contains("tk-lit"), "back at rest").toBe(scene.layout.focus.join() === "1,1");
  });

  it("lights the slot of an element, and fills in the formula", () => {
    over(cell("0,1"));
    expect(slot(8).classList.contains("tk-lit")).toBe(true);
    expect(slot(10).classList.contains("tk-lit")).toBe(false);
    expect(scene.svg.querySelector('[data-part="slot"]').textContent).toBe("8");
    expect(scene.svg.querySelector('[data-part="term-1"]').textContent).toBe("1·4");
    expect(heard.mark).toHaveBeenLastCalledWith(expect.objectContaining({ focus: "0,1", focusSlot: "8" }));
  });

  it("lights every element that reads a slot", () => {
    scene = new StrideScene(shown(named("expanded").svg), heard);
    over(slot(2));
    expect(scene.svg.querySelectorAll('[data-table="t"] :is(.tk-lit, .tk-kin)')).toHaveLength(3);
  });

  it("lights a slot that no element reads, and says so", () => {
    over(slot(5));
    expect(scene.svg.querySelectorAll('[data-table="t"] .tk-lit')).toHaveLength(0);
    expect(heard.mark).toHaveBeenLastCalledWith({ focus: "", focusSlot: "5", element: expect.stringContaining("no element reads it") });
  });

  it("takes no repaint under a resting pointer for pointing", () => {
    const before = heard.mark.mock.calls.length;
    cell("0,0").dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: 7, clientY: 7 }));
    cell("1,1").dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: 7, clientY: 7 }));
    expect(heard.mark.mock.calls.length - before).toBe(1);
  });

  it("walks with the arrow keys, and asks for what is out of the window", () => {
    cell("0,0").focus();
    press(cell("0,0"), "ArrowDown");
    expect(document.activeElement).toBe(cell("1,0"));
    press(cell("1,0"), "ArrowRight");
    expect(document.activeElement).toBe(cell("1,1"));
    press(cell("1,1"), "ArrowRight");
    expect(heard.onAct).not.toHaveBeenCalled();
    scene = new StrideScene(shown(named("long").svg), heard);
    press(cell("15"), "ArrowRight");
    expect(heard.onAct).toHaveBeenCalledWith("look", "t:16");
  });

  it("keeps one stop of the Tab key in the grid and one in the strip", () => {
    cell("0,1").focus();
    expect(scene.svg.querySelectorAll('[data-table="t"] [tabindex="0"]')).toHaveLength(1);
    expect(cell("0,1").getAttribute("tabindex")).toBe("0");
    expect(scene.svg.querySelectorAll('[data-table="s"] [tabindex="0"]')).toHaveLength(1);
  });

  it("edits by Enter, F2 and double click", () => {
    press(cell("1,0"), "F2");
    press(cell("1,0"), "Enter");
    cell("1,0").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
    press(cell("1,0"), "4");
    expect(heard.onEdit.mock.calls.map(([tile, typed]) => [tile.dataset.key, typed])).toEqual([...Array(3).fill(["t:1,0", undefined]), ["t:1,0", "4"]]);
  });

  it("goes to a step, and takes one away", () => {
    scene.svg.querySelector('[data-action="chain-step"][data-key="1"]').dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(heard.onAct).toHaveBeenCalledWith("chain-step", "1");
    scene.svg.querySelector('[data-action="remove"][data-key="2"]').dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(heard.onAct).toHaveBeenLastCalledWith("remove", "2");
    expect(heard.onAct).toHaveBeenCalledTimes(2);
    press(scene.svg.querySelector('[data-action="chain-step"][data-key="1"]'), "Delete");
    expect(heard.onAct).toHaveBeenLastCalledWith("remove", "1");
  });

  it("swaps dimensions by keyboard: pick up, choose, swap", () => {
    const axis = scene.svg.querySelector('[data-role="axis"][data-dim="0"]');
    press(axis, "Enter");
    expect(axis.classList.contains("tk-held")).toBe(true);
    press(axis, "Enter");
    expect(heard.onAct).toHaveBeenCalledWith("swap", "0,1");
    press(axis, "Enter");
    press(axis, "Escape");
    expect(axis.classList.contains("tk-held")).toBe(false);
    expect(heard.onAct).toHaveBeenCalledTimes(1);
  });

  it("swaps dimensions by dragging one arrow onto another", () => {
    const [one, other] = scene.svg.querySelectorAll('[data-role="axis"]');
    document.elementFromPoint = () => other;
    one.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, pointerId: 3, button: 0 }));
    document.dispatchEvent(new PointerEvent("pointermove", { pointerId: 3, clientX: 50, clientY: 50 }));
    expect(other.classList.contains("tk-target")).toBe(true);
    document.dispatchEvent(new PointerEvent("pointerup", { pointerId: 3 }));
    expect(heard.onAct).toHaveBeenCalledTimes(1);
    document.elementFromPoint = () => null;
    one.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, pointerId: 4, button: 0 }));
    document.dispatchEvent(new PointerEvent("pointermove", { pointerId: 4, clientX: 50, clientY: 50 }));
    document.dispatchEvent(new PointerEvent("pointerup", { pointerId: 4 }));
    expect(heard.onAct).toHaveBeenCalledTimes(1);
  });

  it("hears nothing any more after it was disposed", () => {
    scene.dispose();
    heard.mark.mockClear();
    over(cell("0,0"));
    expect(heard.mark).not.toHaveBeenCalled();
  });
});
