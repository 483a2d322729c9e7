import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listen, tell } from "../tensorkit_widgets/static/hover_bus.js";
import { MessageQueue } from "../tensorkit_widgets/static/message_queue.js";
import { make, numbers } from "../tensorkit_widgets/static/dom.js";
import { editCell } from "../tensorkit_widgets/static/cell_editor.js";
import { fitting } from "../tensorkit_widgets/static/page_layouts.js";
import { slotLayout } from "../tensorkit_widgets/static/byte_overlap.js";
import { coordinate, hops, slotOf } from "../tensorkit_widgets/static/stride_arcs.js";
import { tabs } from "../tensorkit_widgets/static/tabs.js";

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
  });
});

describe("the courier", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("sends one message at a time, and of a slider only the newest", () => {
    const sent = [];
    const courier = new MessageQueue((message) => sent.push(message), () => {});
    for (const k of [1, 2, 3, 4]) courier.post({ kind: "slice-start", dim: 0, sliding: true, k });
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

  it("says within 200 ms that an answer is awaited, through all that waits, and when it came", () => {
    const waiting = vi.fn();
    const sent = [];
    const courier = new MessageQueue((message) => sent.push(message), () => {}, waiting);
    courier.post({ kind: "step" });
    courier.painted(sent[0].serial);
    expect(waiting.mock.calls).toEqual([[false]]);
    courier.post({ kind: "step" });
    courier.post({ kind: "step" });
    vi.advanceTimersByTime(200);
    expect(waiting).toHaveBeenLastCalledWith(true);
    courier.painted(sent[1].serial);
    expect(waiting).toHaveBeenLastCalledWith(true);
    courier.painted(sent[2].serial);
    expect(waiting).toHaveBeenLastCalledWith(false);
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

describe("the editor over a cell", () => {
  const open = (write) => {
    document.body.innerHTML = '<div class="host"><svg><g class="tk-tile" data-key="t:1,0" data-full="6." tabindex="-1"><rect/></g></svg></div>';
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
