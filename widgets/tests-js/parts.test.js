import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listen, tell } from "../tensorkit_widgets/static/hover_bus.js";
import { DialControls, OrderControls, ShapeControls, SliceControls, tuple } from "../tensorkit_widgets/static/stride_controls.js";
import { MessageQueue } from "../tensorkit_widgets/static/message_queue.js";
import { make, numbers } from "../tensorkit_widgets/static/dom.js";
import { editCell } from "../tensorkit_widgets/static/cell_editor.js";
import { fitting } from "../tensorkit_widgets/static/page_layouts.js";
import { slotLayout } from "../tensorkit_widgets/static/byte_overlap.js";
import { coordinate, hops, slotOf } from "../tensorkit_widgets/static/stride_arcs.js";
import { tabs } from "../tensorkit_widgets/static/tabs.js";

const state = (more = {}) => ({
  name: "t", expression: "", code: "t", library: "tensorkit", size: [3, 4], stride: [4, 1], offset: 0, slots: 12, nbytes: 48, dtype: "float32",
  device: "cpu", sliceSize: [3, 4], slices: [[0, 3, 1], [0, 4, 1]], views: [[12], [2, 6]], copies: [], complaint: "", typed: "", fault: "", said: "",
  canUndo: false, storage: 1, element: "", steps: [], refusal: null, ...more,
});
const input = (element, value) => {
  element.value = String(value);
  element.dispatchEvent(new Event("input", { bubbles: true }));
};

describe("the layouts of a saved page", () => {
  it("shrinks a layout a little rather than lay out for less", () => {
    expect([300, 509, 510, 815, 816, 2000].map((room) => fitting([400, 600, 960], room))).toEqual([400, 400, 600, 600, 960, 960]);
  });
});

describe("integers", () => {
  it("finds the slot of an element", () => expect(slotOf([1, 1], [2, 4], 4)).toBe(10));
  it("writes coordinates as Python does", () => expect([12, 1 / 3, 10.5, 100].map(coordinate)).toEqual(["12", "0.33", "10.5", "100"]));
  it("hops dimension by dimension, and jumps where the hops would be many", () => {
    expect(hops([2, 1], [4, -1], 1, [0, 1]).map((hop) => hop.label)).toEqual(["+4", "+4", "−1"]);
    expect(hops([9], [3], 0, [0])).toEqual([{ dim: 0, start: 0, stop: 27, label: "9·3" }]);
  });
  it("reads and writes indices", () => {
    expect(numbers("1,0,2")).toEqual([1, 0, 2]);
    expect(numbers("")).toEqual([]);
    expect([tuple([3]), tuple([2, 2]), tuple([])]).toEqual(["(3,)", "(2, 2)", "()"]);
  });
});

describe("the courier", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("sends one message at a time, and of a slider only the newest", () => {
    const sent = [];
    const courier = new MessageQueue((message) => sent.push(message), () => {});
    for (const k of [1, 2, 3, 4]) courier.post({ kind: "slice", k });
    expect(sent.map((message) => message.k)).toEqual([1]);
    courier.painted(sent[0].serial);
    expect(sent.map((message) => message.k)).toEqual([1, 4]);
  });

  it("loses no step that is not a slider's", () => {
    const sent = [];
    const courier = new MessageQueue((message) => sent.push(message), () => {});
    for (const k of [1, 2, 3]) courier.post({ kind: "step", k });
    for (const _ of [1, 2, 3]) courier.painted(sent.at(-1).serial);
    expect(sent.map((message) => message.k)).toEqual([1, 2, 3]);
  });

  it("says when the kernel is slow, and when it answered after all", () => {
    const slow = vi.fn();
    const sent = [];
    const courier = new MessageQueue((message) => sent.push(message), slow);
    courier.post({ kind: "undo" });
    vi.advanceTimersByTime(5000);
    expect(slow).toHaveBeenLastCalledWith(true);
    expect(courier.painted(sent[0].serial + 1)).toBeNull();
    expect(courier.painted(sent[0].serial)).toBeGreaterThanOrEqual(0);
    expect(slow).toHaveBeenLastCalledWith(false);
  });
});

describe("the bus", () => {
  it("tells every picture, until it stops listening", () => {
    const heard = vi.fn();
    const stop = listen(heard);
    tell({ storage: 1, slot: slotLayout(4, 8), from: {} });
    stop();
    tell({ storage: 1, slot: slotLayout(5, 8), from: {} });
    expect(heard.mock.calls.map(([pointed]) => pointed.slot)).toEqual([slotLayout(4, 8)]);
  });
});

describe("controls", () => {
  it("sliders send start, stop and step of every dimension", () => {
    const post = vi.fn();
    const controls = new SliceControls(post);
    controls.update(state());
    input(controls.root.querySelector('[data-role="slice-start"][data-dim="1"]'), 2);
    expect(post).toHaveBeenCalledWith({ kind: "slice", slices: [[0, 3, 1], [2, 4, 1]] });
  });

  it("dials send size, stride and offset, and can add a dimension", () => {
    const post = vi.fn();
    const controls = new DialControls(post);
    controls.update(state());
    input(controls.root.querySelector('[data-role="dial-stride"][data-dim="0"]'), 1);
    expect(post).toHaveBeenLastCalledWith({ kind: "dials", size: [3, 4], stride: [1, 1], offset: 0 });
    controls.root.querySelector('[data-role="dial-more"]').click();
    expect(post).toHaveBeenLastCalledWith({ kind: "dials", size: [1, 3, 4], stride: [0, 1, 1], offset: 0 });
    controls.update(state({ library: "numpy" }));
    expect(controls.root.textContent).toContain("as_strided");
  });

  it("dimensions move with Alt and an arrow key", () => {
    const post = vi.fn();
    const controls = new OrderControls(post, () => {});
    document.body.replaceChildren(controls.root);
    controls.update(state({ size: [2, 3, 4], stride: [12, 4, 1] }));
    const chip = controls.root.querySelector('[data-dim="0"]');
    chip.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", altKey: true, bubbles: true }));
    expect(post).toHaveBeenCalledWith({ kind: "permute", order: [1, 0, 2] });
  });

  it("offers the shapes that view can give, and builds steps with numbers", () => {
    const post = vi.fn();
    const controls = new ShapeControls(post);
    controls.update(state());
    controls.root.querySelector('[data-role="view"][data-code=".view(2, 6)"]').click();
    expect(post).toHaveBeenLastCalledWith({ kind: "step", text: ".view(2, 6)" });
    const codes = {};
    for (const option of controls.method.options) {
      controls.method.value = option.value;
      controls.method.dispatchEvent(new Event("change"));
      codes[option.value] = controls.preview.textContent;
    }
    expect(codes).toMatchObject({ narrow: ".narrow(0, 0, 1)", select: ".select(0, 0)", unsqueeze: ".unsqueeze(0)", expand: ".expand(3, 4)", transpose: ".transpose(0, 1)" });
    controls.method.value = "narrow";
    controls.form();
    input(controls.fields.querySelector('[data-name="length"]'), 2);
    controls.add.click();
    expect(post).toHaveBeenLastCalledWith({ kind: "step", text: ".narrow(0, 0, 2)" });
  });

  it("writes NumPy's own code for a NumPy array", () => {
    const controls = new ShapeControls(() => {});
    controls.update(state({ library: "numpy" }));
    const code = (method) => {
      controls.method.value = method;
      controls.form();
      return controls.preview.textContent;
    };
    expect([code("narrow"), code("unsqueeze"), code("transpose")]).toEqual(["[0:1]", "[None]", ".swapaxes(0, 1)"]);
  });
});

describe("the editor over a cell", () => {
  const open = (write) => {
    document.body.innerHTML = '<div class="host"><svg><g class="tk-cell" data-index="1,0" data-full="6." tabindex="-1"><rect/></g></svg></div>';
    const host = document.querySelector(".host");
    editCell(host, host.querySelector("g"), write);
    return host.querySelector("input");
  };
  const key = (element, name) => element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));

  it("writes on Enter", () => {
    const write = vi.fn();
    const editor = open(write);
    editor.value = "42";
    key(editor, "Enter");
    expect(write.mock.calls).toEqual([["42"]]);
    expect(document.querySelector("input")).toBeNull();
  });

  it("writes nothing on Escape, nor when nothing was changed", () => {
    const write = vi.fn();
    const editor = open(write);
    editor.value = "42";
    key(editor, "Escape");
    key(open(write), "Enter");
    expect(write).not.toHaveBeenCalled();
  });
});

describe("tabs", () => {
  it("show one panel, and move with the arrow keys", () => {
    const root = tabs([["a", "A", make("p")], ["b", "B", make("p")]]);
    document.body.replaceChildren(root);
    const [first, second] = root.querySelectorAll('[role="tab"]');
    const hidden = () => [...root.querySelectorAll('[role="tabpanel"]')].map((panel) => panel.hidden);
    expect(hidden()).toEqual([false, true]);
    first.focus();
    first.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    expect(hidden()).toEqual([true, false]);
    expect(document.activeElement).toBe(second);
  });
});

describe("text is text", () => {
  it("never becomes an element", () => {
    const element = make("p", { title: '"><b>' }, "<img src=x onerror=alert(1)>");
    expect(element.children).toHaveLength(0);
    expect(element.textContent).toBe("<img src=x onerror=alert(1)>");
  });
});
