import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import explorer from "../tensorkit_widgets/static/board.js";
import { Model } from "./model.js";

const fixtures = JSON.parse(readFileSync("fixtures/scenes.json", "utf-8"));
const frameOf = (name) => fixtures.find((fixture) => fixture.name === name).frame;
const frame = frameOf("transposed_slice");

describe("the view", () => {
  let model;
  let el;
  let dispose;
  const part = (role) => el.querySelector(`[data-role="${role}"]`);
  const root = () => el.querySelector("[data-tk-widget]");
  /** Typed, and the box is left. */
  const type = (box, text) => {
    box.value = text;
    for (const event of ["input", "change"]) box.dispatchEvent(new Event(event, { bubbles: true }));
  };
  const slide = (selector, value) => {
    const input = el.querySelector(selector);
    input.value = String(value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };

  beforeEach(() => {
    model = new Model(frame);
    el = document.createElement("div");
    document.body.replaceChildren(el);
    dispose = explorer.render({ model, el });
  });
  afterEach(() => dispose());

  it("carries the state of the picture as attributes", () => {
    expect({ ...root().dataset }).toMatchObject({
      tkWidget: "stride-explorer", expression: "[1:, ::2].t()", size: "2,2", stride: "2,4", offset: "4", slots: "12", steps: "2", kind: "view",
      status: "ok", kernel: "live", focus: "1,1", focusSlot: "10", revision: "1",
    });
  });

  it("sends what is typed, clicked and slid, one message at a time", () => {
    type(part("expression"), ".t().view(12)");
    part("apply").click();
    part("undo").click();
    expect(model.sent).toMatchObject([{ kind: "expression", value: ".t().view(12)" }]);
    for (const kind of ["apply", "undo"]) {
      model.answer();
      expect(model.sent.at(-1)).toMatchObject({ kind });
    }
    model.answer();
    el.querySelector('[data-action="chain-step"][data-key="1"]').dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(model.sent.at(-1)).toMatchObject({ kind: "chain-step", key: "1" });
    expect(Number(root().dataset.latency)).toBeGreaterThanOrEqual(0);
  });

  it("says what was refused, and offers what works", () => {
    const refused = frameOf("refused_view");
    model.answer({ complaint: "<b>no</b>" }, refused);
    expect(root().dataset.status).toBe("refused");
    expect(root().dataset.conflicts).toBe("0-1");
    expect(part("refusal").hidden).toBe(false);
    expect(part("refusal").querySelector("b")).toBeNull();
    expect(el.querySelectorAll(".tk-is-seam").length).toBe(4);
    expect(part("expression").value).toBe(".t().view(12)");
    expect(part("expression").getAttribute("aria-invalid")).toBe("true");
    el.querySelectorAll('[data-role="offer"]')[1].click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "offer", value: ".t().reshape(12)" });
    model.answer({}, frame);
    expect(part("refusal").hidden).toBe(true);
  });

  it("sends what a slider, a dial and a number of a step are moved to, with its dimension or its name", () => {
    slide('[data-role="slice-start"][data-dim="1"]', 2);
    expect(model.sent.at(-1)).toMatchObject({ kind: "slice-start", dim: 1, value: 2, sliding: true });
    slide('[data-role="slice-start"][data-dim="0"]', 1);
    slide('[data-role="slice-start"][data-dim="1"]', 1);
    slide('[data-role="slice-start"][data-dim="1"]', 0);
    for (const message of [{ kind: "slice-start", dim: 0, value: 1 }, { kind: "slice-start", dim: 1, value: 0 }]) {
      model.answer();
      expect(model.sent.at(-1), "of one slider only the newest").toMatchObject(message);
    }
    model.answer();
    slide('[data-role="dial-stride"][data-dim="0"]', 1);
    expect(model.sent.at(-1)).toMatchObject({ kind: "dial-stride", dim: 0, value: 1 });
    model.answer();
    slide('[data-role="argument"][data-name="length"]', 2);
    expect(model.sent.at(-1)).toMatchObject({ kind: "argument", name: "length", value: 2 });
    model.answer();
    el.querySelector('[data-role="quick"][data-code=".flatten()"]').click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "quick", value: ".flatten()" });
  });

  it("moves a dimension with Alt and an arrow key", () => {
    el.querySelector('[data-role="dim"][data-dim="0"]').dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", altKey: true, bubbles: true }));
    expect(model.sent.at(-1)).toMatchObject({ kind: "permute", value: [1, 0] });
  });

  it("keeps what was typed when it is not allowed", () => {
    type(part("expression"), "__import__('os')");
    const controls = frame.facts.controls.map((one) => (one.role === "expression" ? { ...one, value: "__import__('os')", wrong: true } : one));
    model.answer({ complaint: "not allowed here: …", status: "not-allowed", controls });
    expect(root().dataset.status).toBe("not-allowed");
    expect(part("expression").value).toBe("__import__('os')");
    expect(part("expression").getAttribute("aria-invalid")).toBe("true");
  });

  it("keeps the keyboard on its element over a repaint", () => {
    el.querySelector('.tk-tile[data-key="t:0,1"]').focus();
    model.answer();
    expect(document.activeElement.dataset.key).toBe("t:0,1");
    expect(root().dataset.focus).toBe("0,1");
  });

  it("flashes the numbers that changed, and only those", () => {
    expect(el.querySelectorAll(".tk-changed")).toHaveLength(0);
    model.answer({}, { ...frame, svg: frame.svg.replaceAll('data-full="8."', 'data-full="80."') });
    expect([...el.querySelectorAll(".tk-changed")].map((changed) => changed.dataset.slot)).toEqual(["8", "8"]);
    model.answer({}, { ...frame, svg: frame.svg.replaceAll('data-storage="1"', 'data-storage="2"') });
    expect(el.querySelectorAll(".tk-changed")).toHaveLength(0);
  });

  it("writes a cell that is edited", () => {
    const cell = el.querySelector('.tk-tile[data-key="t:0,1"]');
    cell.dispatchEvent(new KeyboardEvent("keydown", { key: "7", bubbles: true }));
    expect(part("editor").value).toBe("7");
    part("editor").value = "7.5";
    part("editor").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    expect(model.sent.at(-1)).toMatchObject({ kind: "edit", key: "t:0,1", value: "7.5" });
  });

  it("tells at the cell what it may not hold, once, and keeps what was typed there", () => {
    const enter = () => part("editor").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    el.querySelector('.tk-tile[data-key="t:0,1"]').dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
    part("editor").value = "abc";
    enter();
    expect(part("editor")).toBeNull();
    const wrong = { key: "t:0,1", value: "abc", words: "`abc` is not a number" };
    model.answer({ wrong });
    expect(part("editor").value).toBe("abc");
    expect(part("editor").getAttribute("aria-invalid")).toBe("true");
    expect(part("editor-words").textContent).toBe(wrong.words);
    expect(part("refusal").hidden).toBe(true);
    part("editor").value = "abc5";
    part("editor").dispatchEvent(new Event("input", { bubbles: true }));
    expect(part("editor-words")).toBeNull();
    part("editor").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    model.answer({ wrong });
    expect(part("editor"), "a later picture does not ask again").toBeNull();
  });

  it("leaves what is being typed over a cell alone when the picture is drawn again", () => {
    el.querySelector('.tk-tile[data-key="t:0,1"]').dispatchEvent(new KeyboardEvent("keydown", { key: "5", bubbles: true }));
    const editor = part("editor");
    model.answer({}, { ...frame, svg: frame.svg.replaceAll('data-full="8."', 'data-full="80."') });
    expect(part("editor")).toBe(editor);
    expect(document.activeElement).toBe(editor);
    expect(model.sent).toHaveLength(0);
    expect(el.querySelectorAll("svg.tk-scene")).toHaveLength(1);
    editor.value += "5";
    editor.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    expect(model.sent.at(-1)).toMatchObject({ kind: "edit", key: "t:0,1", value: "55" });
    expect(document.activeElement.dataset.key).toBe("t:0,1");
  });

  it("does not change the picture between a press and its click", async () => {
    const cell = el.querySelector('.tk-tile[data-key="t:0,1"]');
    cell.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    model.answer();
    document.body.dispatchEvent(new FocusEvent("blur"));
    expect(cell.isConnected).toBe(true);
    expect(root().dataset.revision).toBe("1");
    cell.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
    expect(cell.isConnected).toBe(true);
    await new Promise((done) => setTimeout(done, 1));
    expect(cell.isConnected).toBe(false);
    expect(root().dataset.revision).toBe("2");
  });

  it("goes on after a press during which the answer and another frame came", async () => {
    part("undo").click();
    const cell = el.querySelector('.tk-tile[data-key="t:0,1"]');
    cell.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    model.answer();
    model.frame = { ...model.frame, revision: 3, serial: null };
    model.emit("change:frame");
    cell.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
    await new Promise((done) => setTimeout(done, 1));
    expect(root().dataset.revision).toBe("3");
    part("apply").click();
    expect(model.sent.map((message) => message.kind)).toEqual(["undo", "apply"]);
  });

  it("follows a drag", async () => {
    const cell = el.querySelector('.tk-tile[data-key="t:0,1"]');
    cell.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, clientX: 10, clientY: 10 }));
    cell.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 12, clientY: 12 }));
    model.answer();
    expect(root().dataset.revision).toBe("1");
    cell.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 30, clientY: 10 }));
    await new Promise((done) => setTimeout(done, 1));
    expect(root().dataset.revision).toBe("2");
    model.answer();
    expect(root().dataset.revision).toBe("3");
  });

  it("shows the text where no picture could be drawn, and comes back", () => {
    model.answer({}, { ...frame, svg: "", reason: "the picture could not be drawn: no ink" });
    expect(root().dataset.status).toBe("undrawn");
    expect(part("picture").textContent).toContain("no ink");
    model.answer({}, frame);
    expect(el.querySelector("svg")).not.toBeNull();
  });

  it("says that the kernel is gone, keeps the picture, and sends nothing more", () => {
    model.emit("comm_live_update");
    expect(root().dataset.kernel).toBe("gone");
    expect(part("kernel").textContent).toContain("kernel of this picture is gone");
    expect(el.querySelector("svg")).not.toBeNull();
    part("undo").click();
    expect(model.sent).toEqual([]);
  });

  it("copies the code", async () => {
    const writeText = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal("navigator", { clipboard: { writeText } });
    part("copy").click();
    await vi.waitFor(() => expect(root().dataset.copied).toBe("t[1:, ::2].t()"));
    expect(writeText).toHaveBeenCalledWith("t[1:, ::2].t()");
    vi.unstubAllGlobals();
  });

  it("lights the slot that another picture of the same storage points at", () => {
    const other = document.createElement("div");
    document.body.append(other);
    const stop = explorer.render({ model: new Model({ ...model.frame }), el: other });
    other.querySelector('.tk-tile[data-key="t:0,0"]').dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: 901, clientY: 1 }));
    expect(root().dataset.focusSlot).toBe("4");
    stop();
  });

  it("lets no key out to the notebook's shortcuts", () => {
    const heard = vi.fn();
    document.body.addEventListener("keydown", heard);
    el.querySelector(".tk-tile").dispatchEvent(new KeyboardEvent("keydown", { key: "x", bubbles: true }));
    expect(heard).not.toHaveBeenCalled();
    document.body.removeEventListener("keydown", heard);
  });

  it("hides the static picture while it is alive, and gives it back", () => {
    dispose();
    document.body.innerHTML = '<div class="jp-OutputArea-child"><div class="live"></div></div><div class="jp-OutputArea-child"><img class="tk-still"></div>';
    el = document.querySelector(".live");
    dispose = explorer.render({ model, el });
    const still = document.querySelector("img").parentElement;
    expect(still.style.display).toBe("none");
    dispose();
    expect(still.style.display).toBe("");
  });

  it("leaves no listener behind", () => {
    dispose();
    expect([...model.listeners.values()].flat()).toEqual([]);
  });
});
