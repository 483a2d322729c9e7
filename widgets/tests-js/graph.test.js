import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listen, tell } from "../tensorkit_widgets/static/hover_bus.js";
import { GraphScene } from "../tensorkit_widgets/static/graph_scene.js";
import graph from "../tensorkit_widgets/static/board.js";
import { slotLayout } from "../tensorkit_widgets/static/byte_overlap.js";
import { Model } from "./model.js";

const FOLD = { role: "fold", kind: "button", label: "Fold again", value: null, options: [], low: 0, high: 0, title: "", enabled: true, group: "bar", wide: false };
const frames = JSON.parse(readFileSync("fixtures/graphs.json", "utf-8"));

describe("the view of a graph", () => {
  let model;
  let el;
  let dispose;
  const root = () => el.querySelector("[data-tk-widget]");
  const part = (role) => el.querySelector(`[data-role="${role}"]`);
  const box = (name) => el.querySelector(`.tk-vertex[data-name="${name}"]`);
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const open = (frame) => {
    model = new Model(frame);
    el = document.createElement("div");
    document.body.replaceChildren(el);
    dispose = graph.render({ model, el });
  };

  beforeEach(() => open(frames.affine[0]));
  afterEach(() => dispose());

  it("carries the state of the picture as attributes", () => {
    expect({ ...root().dataset }).toMatchObject({
      tkWidget: "graph-view", title: "loss", library: "tensorkit", operations: "5", status: "ready", step: "0", kernel: "live", zoom: "fit",
    });
  });

  it("steps by its buttons, one message at a time", () => {
    part("step").click();
    part("step").click();
    expect(model.sent).toMatchObject([{ kind: "step" }]);
    model.answer({}, frames.affine[1]);
    expect(root().dataset).toMatchObject({ step: "1", steps: "7", status: "rehearsing" });
    expect(model.sent).toHaveLength(2);
    model.answer({}, frames.affine[2]);
    part("run").click();
    model.answer({}, frames.affine[7]);
    expect(root().dataset.status).toBe("done");
    expect(part("step").disabled && part("run").disabled).toBe(true);
    for (const role of ["back", "reset", "backward"]) {
      part(role).click();
      model.answer({}, frames.affine[0]);
      expect(model.sent.at(-1).kind).toBe(role === "backward" ? "backward" : role);
      if (role !== "backward") model.answer({}, frames.affine[7]);
    }
  });

  it("goes to a step by the slider", () => {
    expect(part("scrub").hidden).toBe(true);
    model.answer({}, frames.affine[1]);
    expect(part("scrub").hidden).toBe(false);
    part("scrub").value = "4";
    part("scrub").dispatchEvent(new Event("input", { bubbles: true }));
    expect(model.sent.at(-1)).toMatchObject({ kind: "goto", value: 4 });
  });

  it("steps by the arrow keys and goes from box to box", () => {
    box("w").focus();
    for (const [key, kind] of [["ArrowRight", "step"], ["ArrowLeft", "back"], ["End", "run"], ["Home", "reset"]]) {
      press(box("w"), key);
      expect(model.sent.at(-1).kind).toBe(kind);
      model.answer({}, frames.affine[3]);
    }
    expect(document.activeElement.dataset.name).toBe("w");
    press(document.activeElement, "ArrowDown");
    expect(document.activeElement.dataset.name).toBe("x");
    expect(part("said").textContent).toContain("constant x");
    press(document.activeElement, "ArrowUp");
    expect(document.activeElement.dataset.name).toBe("w");
    expect(el.querySelectorAll('.tk-vertex[tabindex="0"]')).toHaveLength(1);
  });

  it("fills the jars and lets saved tensors go, as Python drew it", () => {
    model.answer({}, frames.affine[7]);
    expect(box("w").dataset).toMatchObject({ filled: "rehearsed", grad: "[4.5, 12.5, 169.]" });
    expect(box("Mul").dataset.kept).toMatch(/freed/);
    expect(el.querySelectorAll('.tk-edge[data-flow="flowed"], .tk-edge[data-flow="flows"]').length).toBeGreaterThan(4);
  });

  it("zooms by keys and buttons, and fits again", () => {
    box("w").focus();
    press(box("w"), "+");
    expect(el.querySelector("svg").style.width).not.toBe("");
    press(box("w"), "0");
    expect(el.querySelector("svg").style.width).toBe("");
    part("zoom-in").click();
    expect(root().dataset.zoom).toBe("1.25");
    model.answer({}, frames.affine[1]);
    expect(root().dataset.zoom).toBe("1.25");
    part("zoom-out").click();
    part("zoom-fit").click();
    expect(root().dataset.zoom).toBe("fit");
  });

  it("unfolds a folded run by a click and by Enter", () => {
    dispose();
    open(frames.chain[0]);
    const fold = el.querySelector("[data-fold]");
    fold.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(model.sent.at(-1)).toMatchObject({ kind: "unfold", key: fold.dataset.vertex });
    model.answer({}, frames.chain[0]);
    press(el.querySelector("[data-fold]"), "Enter");
    expect(model.sent).toHaveLength(2);
    expect(part("fold")).toBeNull();
    model.answer({ controls: [FOLD, ...frames.chain[0].facts.controls] }, frames.chain[0]);
    expect(part("fold").closest(".tk-bar")).not.toBeNull();
    part("fold").click();
    expect(model.sent.at(-1).kind).toBe("fold");
  });

  describe("lights with the other pictures of a storage", () => {
    const over = (target) => target.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    const item = (name, slot) => box(name).querySelector(`:scope > text > [data-slot="${slot}"]`);
    const storage = (name) => Number(box(name).dataset.storage);
    const kin = (selector) => [...el.querySelectorAll(`${selector}.tk-kin`)].map((part) => part.dataset.name ?? part.textContent);
    let heard;
    let unlisten;

    beforeEach(() => {
      heard = [];
      unlisten = listen(({ from, ...pointed }) => heard.push(pointed));
    });
    afterEach(() => unlisten());

    it("tells of the number under the pointer, and of the whole tensor of a box", () => {
      over(item("w", 1));
      expect(heard).toEqual([{ storage: storage("w"), slot: slotLayout(1, 4), tensor: null }]);
      expect(item("w", 1).classList.contains("tk-lit")).toBe(true);
      expect(box("w").classList.contains("tk-lit")).toBe(true);
      over(box("w").querySelector(".tk-vertex-name"));
      expect(heard.at(-1)).toEqual({ storage: storage("w"), slot: null, tensor: { offset: 0, size: [3], stride: [1], item: 4 } });
      el.querySelector("svg").dispatchEvent(new PointerEvent("pointerleave"));
      expect(heard.at(-1)).toEqual({ storage: storage("w"), slot: null });
      expect(el.querySelectorAll(".tk-lit, .tk-kin")).toHaveLength(0);
      over(el.querySelector(".tk-turn"));
      expect(heard).toHaveLength(3);
    });

    it("lights what reads the slot that another picture points at", () => {
      tell({ storage: storage("d"), slot: slotLayout(2, 4), from: {} });
      expect(kin(".tk-vertex")).toEqual(["d"]);
      expect(kin(".tk-item"), "the constant d, and the result y that it was detached from").toEqual(["6.5", "6.5"]);
      expect(kin(".tk-held-line").some((text) => text.startsWith("y = "))).toBe(true);
      tell({ storage: storage("d"), slot: slotLayout(9, 4), from: {} });
      expect(el.querySelectorAll(".tk-kin")).toHaveLength(0);
      tell({ storage: storage("x"), slot: null, tensor: { offset: 1, size: [2], stride: [1], item: 4 }, from: {} });
      expect(kin(".tk-vertex")).toEqual(["x"]);
      expect(kin(".tk-vertex > text > .tk-item")).toEqual(["1.", "2."]);
      tell({ storage: storage("x"), slot: null, from: {} });
      expect(el.querySelectorAll(".tk-kin")).toHaveLength(0);
    });

    it("lights the numbers that share a byte with a slot of another dtype", () => {
      const lit = (slot, item) => {
        tell({ storage: storage("x"), slot: slotLayout(slot, item), from: {} });
        return [...box("x").querySelectorAll(":scope > text > .tk-item.tk-kin")].map(({ dataset }) => Number(dataset.slot));
      };
      expect(lit(0, 8)).toEqual([0, 1]);
      expect(lit(1, 8)).toEqual([2]);
      expect(lit(3, 2)).toEqual([1]);
      expect(lit(12, 1), "past its end").toEqual([]);
    });

    it("lights the tensor of the box that has the keyboard, of an operation its result", () => {
      box("x").focus();
      expect(heard.at(-1)).toEqual({ storage: storage("x"), slot: null, tensor: { offset: 0, size: [3], stride: [1], item: 4 } });
      const add = box("Add");
      add.focus();
      expect(heard.at(-1).storage).toBe(storage("d"));
      expect(box("d").classList.contains("tk-kin")).toBe(true);
      add.blur();
      expect(heard.at(-1)).toEqual({ storage: storage("d"), slot: null });
    });

    it("is deaf when it is gone", () => {
      const there = box("x");
      const number = storage("x");
      dispose();
      tell({ storage: number, slot: slotLayout(0, 4), from: {} });
      expect(there.classList.contains("tk-kin")).toBe(false);
    });
  });

  it("says what was refused, as text", () => {
    model.answer({ complaint: "<b>backward() was refused</b>" }, frames.affine[0]);
    expect(part("refusal").hidden).toBe(false);
    expect(part("refusal").querySelector("b")).toBeNull();
    expect(part("said").textContent).toBe("");
    model.answer({}, frames.affine[0]);
    expect(part("refusal").hidden).toBe(true);
  });

  it("shows the text where no picture could be drawn", () => {
    model.answer({}, { ...frames.affine[0], svg: "", reason: "the picture could not be drawn: no ink" });
    expect(root().dataset.status).toBe("undrawn");
    expect(part("picture").textContent).toContain("no ink");
    model.answer({}, frames.affine[0]);
    expect(el.querySelector("svg")).not.toBeNull();
  });

  it("says that the kernel is gone, and sends nothing more", () => {
    model.emit("comm_live_update");
    expect(root().dataset.kernel).toBe("gone");
    part("step").click();
    expect(model.sent).toEqual([]);
  });

  it("lets no key out to the notebook's shortcuts", () => {
    const heard = vi.fn();
    document.body.addEventListener("keydown", heard);
    press(box("w"), "x");
    expect(heard).not.toHaveBeenCalled();
    document.body.removeEventListener("keydown", heard);
  });

  it("leaves no listener behind", () => {
    dispose();
    expect([...model.listeners.values()].flat()).toEqual([]);
  });
});

describe("a graph's picture", () => {
  it("scrolls its own frame to the box that runs, and not the page", () => {
    document.body.innerHTML = `<div id="frame">${frames.affine[3].svg}</div>`;
    const frame = document.querySelector("#frame");
    const running = frame.querySelector(".tk-running");
    vi.spyOn(frame, "getBoundingClientRect").mockReturnValue({ top: 0, bottom: 100, left: 0, right: 900 });
    vi.spyOn(running, "getBoundingClientRect").mockReturnValue({ top: 500, bottom: 560, left: 10, right: 200 });
    const scene = new GraphScene(frame.querySelector("svg"), { frame });
    expect(frame.scrollTop).toBe(520);
    scene.dispose();
  });
});
