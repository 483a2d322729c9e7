import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import board from "../tensorkit_widgets/static/board.js";
import { listen, tell } from "../tensorkit_widgets/static/hover_bus.js";
import { slotLayout } from "../tensorkit_widgets/static/byte_overlap.js";
import { Model } from "./model.js";

const frame = JSON.parse(readFileSync("fixtures/boards.json", "utf-8"));

describe("a board", () => {
  let model;
  let el;
  let dispose;
  const root = () => document.querySelector("[data-tk-widget]");
  const part = (role) => document.querySelector(`[data-role="${role}"]`);
  const tile = (key) => document.querySelector(`.tk-tile[data-key="${key}"]`);
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

  beforeEach(() => {
    model = new Model(frame);
    el = document.createElement("div");
    document.body.replaceChildren(el);
    dispose = board.render({ model, el });
  });
  afterEach(() => dispose());

  it("carries its state as attributes", () => {
    expect({ ...root().dataset }).toMatchObject({ tkWidget: "broadcast-explorer", step: "3", steps: "3", status: "ok", size: "3,4", kernel: "live" });
  });

  it("says for screen readers alone what the picture says too, in however many lines", () => {
    const hidden = () => part("said").classList.contains("tk-drawn");
    const note = [...document.querySelectorAll("svg text")].find((text) => text.textContent.includes("stretched to the other size"));
    expect(part("said").textContent).toContain("stretched to the other size");
    expect(hidden()).toBe(true);
    const after = (more, svg) => {
      model.frame = { ...model.frame, ...more, revision: model.frame.revision + 1, svg };
      model.emit("change:frame");
    };
    const { svg } = model.frame;
    after({}, svg.replace(note.textContent, "something else"));
    expect(hidden(), "the picture says something else").toBe(false);
    after({}, svg.replace("stretched to", "stretched</text><text>to"));
    expect(hidden(), "in two lines").toBe(true);
    tile("a:1,0").dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
    expect(part("said").textContent).toBe("a at [1, 0] is 1.");
    expect(hidden(), "what a tile says is seen").toBe(false);
    const [, other] = [...document.querySelectorAll("svg text")].filter((text) => text.textContent.length > 12).map((text) => text.textContent);
    after({ facts: { ...model.frame.facts, said: `${note.textContent}; ${other}` } }, svg);
    expect(hidden(), "two parts, each in its place").toBe(true);
    after({ facts: { ...model.frame.facts, said: `${note.textContent}; and more` } }, svg);
    expect(hidden(), "of two parts one").toBe(false);
    after({ facts: { ...model.frame.facts, said: "" } }, svg);
    expect(hidden(), "nothing is no sentence").toBe(false);
  });

  it("lights all that a tensor reads when another picture points at a whole one", () => {
    const { storage } = tile("a:1,0").dataset;
    tell({ storage: Number(storage), slot: null, tensor: { offset: 0, size: [2], stride: [2], item: 4 }, from: {} });
    const kin = [...document.querySelectorAll(".tk-tile.tk-kin")].map(({ dataset }) => dataset);
    expect(kin.length).toBeGreaterThan(1);
    expect(new Set(kin.map((one) => one.storage))).toEqual(new Set([storage]));
    expect(new Set(kin.map((one) => one.slot))).toEqual(new Set(["0", "2"]));
    tell({ storage: Number(storage), slot: null, from: {} });
    expect(document.querySelectorAll(".tk-tile.tk-kin")).toHaveLength(0);
  });

  it("lights the bytes of a slot that another picture points at, whatever its dtype", () => {
    const { storage } = tile("a:1,0").dataset;
    const lit = (slot, item) => {
      tell({ storage: Number(storage), slot: slotLayout(slot, item), from: {} });
      const kin = [...document.querySelectorAll(".tk-tile.tk-kin")].filter(({ dataset }) => dataset.storage === storage);
      return [...new Set(kin.map(({ dataset }) => Number(dataset.slot)))].sort();
    };
    expect(lit(1, 4), "the board's own float32").toEqual([1]);
    expect(lit(1, 8)).toEqual([2]);
    expect(lit(0, 8)).toEqual([0, 1]);
    expect(lit(3, 2)).toEqual([1]);
    expect(lit(11, 1)).toEqual([2]);
  });

  it("tells of the slot under the pointer and of its bytes; its own tiles of another dtype light by their bytes", () => {
    const heard = vi.fn();
    const stop = listen(heard);
    const [own, other] = [tile("a:1,0"), tile("b:0,2")];
    const over = (target) => target.dispatchEvent(new MouseEvent("pointerover", { bubbles: true }));
    over(own);
    expect(heard).toHaveBeenLastCalledWith(expect.objectContaining({ storage: Number(own.dataset.storage), slot: slotLayout(1, 4) }));
    Object.assign(other.dataset, { storage: own.dataset.storage, item: "2", slot: "3" });
    over(own);
    expect(other.classList.contains("tk-kin")).toBe(true);
    other.dataset.slot = "4";
    over(own);
    expect(other.classList.contains("tk-kin")).toBe(false);
    stop();
  });

  it("steps by its buttons, keys and slider", () => {
    part("back").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "back" });
    model.answer({ step: 2 });
    expect(root().dataset.step).toBe("2");
    press(part("back"), "End");
    expect(model.sent.at(-1)).toMatchObject({ kind: "run" });
    model.answer();
    part("scrub").value = "1";
    part("scrub").dispatchEvent(new Event("input", { bubbles: true }));
    expect(model.sent.at(-1)).toMatchObject({ kind: "goto", value: 1 });
  });

  it("lights kin and repetitions without asking Python", () => {
    tile("r:1,2").dispatchEvent(new MouseEvent("pointerover", { bubbles: true }));
    expect(tile("r:1,2").classList.contains("tk-lit")).toBe(true);
    expect(tile("a:1,2").classList.contains("tk-kin")).toBe(true);
    expect(tile("b:0,2").classList.contains("tk-kin")).toBe(false);
    expect(tile("b:1,2").classList.contains("tk-kin")).toBe(true);
    tile("b:0,2").dispatchEvent(new MouseEvent("pointerover", { bubbles: true }));
    expect(tile("b:2,2").classList.contains("tk-kin")).toBe(true);
    expect(model.sent).toEqual([]);
  });

  it("walks its tables by the arrow keys, with one stop of the Tab key each", () => {
    const first = tile("a:0,0");
    first.focus();
    press(first, "ArrowRight");
    press(document.activeElement, "ArrowDown");
    expect(document.activeElement.dataset.key).toBe("a:1,1");
    press(document.activeElement, "End");
    expect(document.activeElement.dataset.key).toBe("a:1,3");
    press(document.activeElement, "PageDown");
    expect(document.activeElement.dataset.key).toBe("b:0,0");
    for (const table of document.querySelectorAll(".tk-table")) expect(table.querySelectorAll('[tabindex="0"]').length).toBe(1);
  });

  it("keeps the keyboard when the button that has it is switched off", () => {
    part("back").focus();
    press(part("back"), "Home");
    model.answer({ step: 0 });
    expect(part("back").disabled).toBe(true);
    expect(document.activeElement).toBe(part("step"));
    press(part("step"), "End");
    expect(model.sent.at(-1)).toMatchObject({ kind: "run" });
  });

  it("keeps a choice, and sends what is chosen", () => {
    const sign = part("sign");
    sign.value = "*";
    sign.dispatchEvent(new Event("change", { bubbles: true }));
    expect(model.sent.at(-1)).toMatchObject({ kind: "sign", value: "*" });
    model.answer({ controls: model.frame.facts.controls.map((one) => ({ ...one, value: "*" })) });
    expect(part("sign")).toBe(sign);
    expect(sign.value).toBe("*");
  });

  it("copies a piece of code without asking Python, and says it where the clipboard is closed", async () => {
    const code = { role: "copy-0", kind: "copy", label: "Copy x.t()", value: "x.t()", options: [], low: 0, high: 0, title: "", enabled: true, group: "", wide: false, panel: "", dim: null, name: "" };
    model.answer({ controls: [code] });
    const before = model.sent.length;
    part("copy-0").click();
    await Promise.resolve();
    await Promise.resolve();
    expect(document.querySelector(".tk-board-controls").dataset.copied).toBe("x.t()");
    expect(model.sent).toHaveLength(before);
    model.answer({ controls: [{ ...code, value: "y" }] });
    part("copy-0").click();
    await Promise.resolve();
    await Promise.resolve();
    expect(document.querySelector(".tk-board-controls").dataset.copied).toBe("y");
  });

  it("says what was refused in an alert, and once", () => {
    part("back").click();
    model.answer({ complaint: "<b>no</b>", said: "something else" });
    expect(part("refusal").textContent).toBe("<b>no</b>");
    expect(part("said").textContent).toBe("");
  });

  it("goes on the stage by a key and comes back to its place", () => {
    press(part("present"), "p");
    expect(document.querySelector("dialog.tk-stage").contains(root())).toBe(true);
    expect(model.sent.at(-1)).toMatchObject({ kind: "mark" });
    model.answer({ script: { step: 0, steps: 3, scenes: ["one", "two"], scene: 0, marked: true, away: false } });
    press(document.body, "n");
    expect(model.sent.at(-1)).toMatchObject({ kind: "scene", value: 1 });
    model.answer();
    press(part("present"), "+");
    expect(root().dataset.stage).toBe("125");
    press(part("present"), "+");
    press(part("present"), "-");
    expect(part("stage-size").textContent).toBe("125 %, 0 fits");
    press(part("present"), "-");
    expect([root().dataset.stage, root().dataset.fitted]).toEqual(["100", "true"]);
    press(part("present"), "r");
    expect(model.sent.at(-1)).toMatchObject({ kind: "return" });
    part("leave").click();
    expect(document.querySelector("dialog")).toBe(null);
    expect(el.contains(root())).toBe(true);
  });

  describe("on the stage", () => {
    const sent = () => model.sent.at(-1);
    const told = () => part("stage-said").textContent;
    /** The keys, and what the last of them sent. */
    const after = (script, ...keys) => {
      model.answer({ script: { step: 0, steps: 0, scenes: [], scene: -1, marked: true, away: false, ...script } });
      model.sent.length = 0;
      for (const key of keys) press(document.body, key);
      return model.sent.map(({ kind, value }) => (value === undefined ? kind : `${kind} ${value}`)).join(", ");
    };

    beforeEach(() => press(part("present"), "p"));
    afterEach(() => part("leave").click());

    it("steps while there are steps, and goes on to the next scene after the last", () => {
      const script = { steps: 3, scenes: ["one", "two"], scene: 0 };
      expect(after({ ...script, step: 2 }, "ArrowRight")).toBe("step");
      expect(after({ ...script, step: 3 }, "ArrowRight")).toBe("scene 1");
      expect(after({ ...script, step: 1 }, "ArrowLeft")).toBe("back");
      expect(after({ ...script, step: 0, scene: 1 }, "ArrowLeft")).toBe("scene 0");
      expect(after({ ...script, steps: null }, "ArrowRight"), "nobody knows how many").toBe("step");
      expect(told()).toBe("");
    });

    it("goes from scene to scene where a picture has no steps", () => {
      const script = { scenes: ["one", "two", "three"], scene: -1 };
      expect(after(script, "ArrowRight")).toBe("scene 0");
      expect(after({ ...script, scene: 1 }, "PageDown")).toBe("scene 2");
      expect(after({ ...script, scene: 1 }, "ArrowLeft")).toBe("scene 0");
      expect(after({ ...script, scene: 0 }, "End")).toBe("scene 2");
      expect(after({ ...script, scene: 2 }, "Home")).toBe("scene 0");
    });

    it("follows the script with a clicker, and the steps where there is none", () => {
      const script = { step: 1, steps: 3, scenes: ["one", "two"], scene: 0 };
      expect(after(script, "PageDown")).toBe("scene 1");
      expect(after({ ...script, scene: 1 }, "PageUp")).toBe("scene 0");
      expect(after({ step: 1, steps: 3 }, "PageDown")).toBe("step");
      expect(after({ step: 1, steps: 3 }, "PageUp")).toBe("back");
    });

    it("says why a key does nothing", () => {
      expect(after({}, "ArrowRight")).toBe("");
      expect(told()).toMatch(/no steps/);
      expect(after({}, "n")).toBe("");
      expect(told()).toMatch(/no scenes/);
      expect(after({ steps: 3, step: 3 }, "ArrowRight")).toBe("");
      expect(told()).toMatch(/end of it/);
      expect(after({ scenes: ["one"], scene: 0 }, "n")).toBe("");
      expect(told()).toMatch(/last scene/);
      expect(after({ scenes: ["one"], scene: 0 }, "PageUp")).toBe("");
      expect(told()).toMatch(/first scene/);
      expect(after({ steps: 3, step: 1 }, "ArrowRight")).toBe("step");
      expect(told(), "and no longer when one does something").toBe("");
    });

    it("goes back no further than to the step that it came with", () => {
      part("leave").click();
      model.answer({ script: { step: 22, steps: 22, scenes: [], scene: -1, marked: true, away: false } });
      press(part("present"), "p");
      const heard = vi.fn((event) => event.preventDefault());
      document.addEventListener("tensorkit-stage-end", heard);
      expect(after({ step: 23, steps: 23 }, "PageUp")).toBe("back");
      expect(after({ step: 22, steps: 23 }, "PageUp")).toBe("");
      expect(heard).toHaveBeenCalledTimes(1);
      expect(after({ step: 22, steps: 23 }, "ArrowLeft"), "an arrow does").toBe("back");
      document.removeEventListener("tensorkit-stage-end", heard);
    });

    it("asks the page to go on where it ends, by every key that leads on", () => {
      const heard = [];
      const goOn = (event) => {
        heard.push(event.detail);
        event.preventDefault();
      };
      document.addEventListener("tensorkit-stage-end", goOn);
      for (const key of ["PageDown", " ", "ArrowRight"]) expect(after({ scenes: ["one"], scene: 0 }, key)).toBe("");
      expect(after({ steps: 3, step: 3 }, "PageDown")).toBe("");
      expect(after({ scenes: ["one"], scene: 0 }, "PageUp")).toBe("");
      document.removeEventListener("tensorkit-stage-end", goOn);
      expect([heard, told()]).toEqual([[1, 1, 1, 1, -1], ""]);
      expect(after({ scenes: ["one", "two"], scene: 0 }, " ")).toBe("scene 1");
    });

    it("says nothing more of a moment that is over", () => {
      const script = { steps: 3, scenes: ["one", "two"], scene: 1 };
      for (const change of [{ step: 1 }, { scene: 0 }, { away: true }]) {
        after(script, "n");
        expect(told()).toMatch(/last scene/);
        after(script);
        expect(told(), "the picture is painted again as it was").toMatch(/last scene/);
        after({ ...script, ...change });
        expect(told()).toBe("");
      }
    });

    it("says where Return goes, and that there is something to return from", () => {
      expect(after({ scenes: ["one", "two"], scene: 1 }, "m")).toBe("mark");
      expect(told()).toMatch(/R comes back/);
      expect(part("return").textContent).toBe("Return to 2");
      expect(root().dataset.away).toBe(undefined);
      expect(after({ scenes: ["one", "two"], scene: 1, away: true })).toBe("");
      expect(root().dataset.away).toBe("true");
      expect(after({ scenes: ["one", "two"], scene: 1, away: true }, "r")).toBe("return");
      expect(after({ marked: false }, "r"), "nothing is marked").toBe("");
      expect(part("return").hidden).toBe(true);
    });

    it("keeps its keys when a button of the steps has the keyboard", () => {
      after({ steps: 3, step: 3, scenes: ["one", "two"], scene: 0 });
      press(part("back"), "ArrowRight");
      expect(sent()).toMatchObject({ kind: "scene", value: 1 });
    });

    it("hides its controls by H, for one picture after another", () => {
      expect(root().dataset.bare).toBe("false");
      press(document.body, "h");
      expect(root().dataset.bare).toBe("true");
      part("leave").click();
      expect(root().dataset.bare, "among the cells they are there").toBe("false");
      press(part("present"), "p");
      expect(root().dataset.bare).toBe("true");
      press(document.body, "H");
      expect(root().dataset.bare).toBe("false");
    });

    it("tells the notes the step of the picture, and nothing where there is none", () => {
      const heard = [];
      const stills = [];
      const listen = ({ detail }) => {
        const { still, ...told } = detail ?? {};
        heard.push(detail && told);
        if (still) stills.push(still());
      };
      document.addEventListener("tensorkit-stage", listen);
      after({ step: 1, steps: 3, scenes: ["one"], notes: ["say"], scene: 0 });
      after({ step: 0, steps: 0, away: true });
      part("leave").click();
      document.removeEventListener("tensorkit-stage", listen);
      expect(heard).toEqual([
        { scenes: ["one"], notes: ["say"], scene: 0, step: 1, steps: 3, away: false, kernel: "live" },
        { scenes: [], notes: [], scene: -1, step: 0, steps: 0, away: true, kernel: "live" },
        null,
      ]);
      // The picture goes as Python drew it, cut as the stage has cut it.
      const { viewBox, width } = root().querySelector(".tk-picture svg").attributes;
      for (const { svg, text, title } of stills) {
        expect(svg).toMatch(/^<svg [^]*<\/svg>$/);
        expect(svg).toContain(`viewBox="${viewBox.value}"`);
        expect(svg).toContain(`width="${width.value}"`);
        expect([text, title]).toEqual([root().querySelector('[data-role="twin"]').textContent, root().dataset.title]);
      }
      expect(stills.length).toBe(2);
    });
  });

  it("tells its room, which on the stage is that of the larger type", () => {
    let told = () => {};
    vi.stubGlobal("ResizeObserver", class {
      constructor(act) {
        told = act;
      }
      observe() {}
      disconnect() {
        told = () => {};
      }
    });
    dispose();
    model = new Model(frame);
    dispose = board.render({ model, el });
    const picture = document.querySelector(".tk-picture");
    for (const width of [0, 955, 402, 410, 2000]) {
      Object.defineProperty(picture, "clientWidth", { value: width, configurable: true });
      told();
      model.answer();
    }
    const rooms = () => model.sent.filter(({ kind }) => kind === "room").map(({ value }) => value);
    expect(rooms()).toEqual([402, 960]);
    expect(root().dataset.room).toBe("960");
    Object.defineProperty(picture, "clientWidth", { value: 1352, configurable: true });
    part("present").click();
    for (const key of ["0", "+", "+", "+"]) {
      root().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      model.answer();
    }
    expect(root().dataset.stage).toBe("200");
    expect(rooms().at(-1)).toBe(676);
    model.answer();
    expect(root().dataset.room).toBe("676");
    Object.defineProperty(picture, "clientWidth", { value: 900, configurable: true });
    told();
    expect([rooms().at(-1), root().dataset.room]).toEqual([450, ""]); // not before the answer has come
    Object.defineProperty(picture, "clientWidth", { value: 1352, configurable: true });
    told();
    model.answer();
    expect([rooms().at(-1), root().dataset.room]).toEqual([676, ""]); // as wide as before, but this picture is for 450
    model.answer();
    expect(root().dataset.room).toBe("676");
    root().dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    part("present").click();
    vi.unstubAllGlobals();
  });

  it("is never so small on the stage that a label cannot be read: the controls make room first", async () => {
    vi.resetModules(); // nobody has pressed H yet
    dispose();
    model = new Model(frame);
    dispose = (await import("../tensorkit_widgets/static/board.js")).default.render({ model, el });
    const picture = document.querySelector(".tk-picture");
    const svg = picture.querySelector("svg");
    const look = document.createElement("style");
    look.textContent = ".tk-tiny { font-size: 11px; }";
    document.head.append(look);
    svg.querySelector("text").classList.add("tk-tiny");
    const tall = (height) => { svg.getBBox = () => ({ x: 0, y: 0, width: 932, height }); };
    Object.defineProperty(picture, "clientWidth", { value: 1256 });
    Object.defineProperty(picture, "clientHeight", { get: () => (root().dataset.bare === "true" ? 700 : 500) });
    const seen = (height) => {
      svg.setAttribute("height", "2000");
      tall(height);
      press(part("present"), "p");
      const { stage, bare } = root().dataset;
      part("leave").click();
      return [stage, bare];
    };
    expect(seen(380)).toEqual(["130", "false"]);
    expect(seen(396)).toEqual(["125", "false"]);
    expect(seen(500), "under the controls it would be at 99 %").toEqual(["130", "true"]);
    expect(seen(900), "it scrolls").toEqual(["124", "true"]);
    press(part("present"), "p");
    press(part("present"), "-");
    expect(root().dataset.stage, "a chosen size").toBe("100");
    part("leave").click();
    expect([svg.getAttribute("height"), svg.querySelector("text").style.fontSize]).toEqual(["2000", ""]);
    look.remove();
  });

  it("says when the kernel is gone, and sends nothing more", () => {
    model.emit("destroy");
    expect(root().dataset.kernel).toBe("gone");
    part("back").click();
    expect(model.sent).toEqual([]);
  });
});
