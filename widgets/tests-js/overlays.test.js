import { readFileSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  bareMenus, blank, isSetup, overview, spotlight, zoomAt, zoomOut, zoomed,
} from "../../tensorkit/lab/talk/labextensions/tensorkit-present/static/overlays.js";

// What jsdom has not: a dialog that opens and closes, and a page to scroll.
HTMLDialogElement.prototype.showModal = function () {
  this.open = true;
};
HTMLDialogElement.prototype.close = function () {
  this.open = false;
  this.dispatchEvent(new Event("close"));
};
Element.prototype.scrollIntoView = () => {};

const press = (key, target = document.activeElement) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

beforeEach(() => {
  blank(false);
  spotlight(false);
  zoomOut();
  document.body.innerHTML = '<div id="main"></div>';
});

describe("a black screen", () => {
  it("comes and goes, and tells of each change once", () => {
    const told = [];
    const hear = ({ detail }) => told.push(detail);
    document.addEventListener("tensorkit-blank", hear);
    expect([blank(), blank(true), blank(), blank(false), blank(true)]).toEqual([true, true, false, false, true]);
    expect(document.querySelectorAll(".tk-blank[popover=manual]").length).toBe(1);
    document.removeEventListener("tensorkit-blank", hear);
    expect(told).toEqual([true, false, true]);
  });

  it("lets a program click", () => {
    const clicked = vi.fn();
    const button = document.body.appendChild(document.createElement("button"));
    button.addEventListener("click", clicked);
    blank(true);
    button.click();
    expect(clicked).toHaveBeenCalledOnce();
    expect(blank(true)).toBe(true);
  });
});

describe("a spotlight", () => {
  it("is where the mouse was when it was switched on, and follows it", () => {
    const move = (clientX, clientY) => window.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY }));
    move(30, 40);
    expect(spotlight()).toBe(true);
    const hole = () => ["--tk-x", "--tk-y"].map((name) => document.querySelector(".tk-spotlight").style.getPropertyValue(name));
    expect(hole()).toEqual(["30px", "40px"]);
    move(50, 60);
    expect(hole()).toEqual(["50px", "60px"]);
    expect(spotlight()).toBe(false);
    expect(document.querySelector(".tk-spotlight")).toBe(null);
  });
});

describe("a closer look", () => {
  const large = () => [...document.querySelectorAll(".tk-magnified")].map((node) => [node.id, node.style.transformOrigin]);

  it("is around a point, of the lesson or of the stage above it", () => {
    zoomAt(10, 20);
    expect([zoomed(), large()]).toEqual([true, [["main", "10px 20px"]]]);
    zoomAt(30, 40);
    expect(large()).toEqual([["main", "30px 40px"]]);
    document.body.insertAdjacentHTML("beforeend", '<dialog class="tk-stage" id="stage" open></dialog>');
    document.dispatchEvent(new CustomEvent("tensorkit-stage", { detail: {} }));
    expect([zoomed(), large()]).toEqual([false, []]);
    zoomAt(50, 60);
    document.dispatchEvent(new CustomEvent("tensorkit-stage", { detail: {} }));
    expect(large()).toEqual([["stage", "50px 60px"]]);
    const stage = document.querySelector("#stage");
    stage.remove();
    document.dispatchEvent(new CustomEvent("tensorkit-stage", { detail: null }));
    expect([zoomed(), stage.className, stage.getAttribute("style")]).toEqual([false, "tk-stage", ""]);
  });
});

describe("the overview", () => {
  const ENTRIES = [
    { title: "Where?", level: 1, cell: 0, minutes: 6, scenes: [] },
    { title: "1 · Slot and slice", level: 2, cell: 3, minutes: 8, scenes: ["The last one", "One row"] },
    { title: "", level: 2, cell: 5, scenes: ["The slice"] },
    { title: "2 · Transpose", level: 2, cell: 9, scenes: ["Turned"] },
  ];
  let chosen;
  const dialog = () => document.querySelector("dialog.tk-overview");
  const here = () => document.activeElement.firstChild.textContent;
  const after = (...keys) => {
    for (const key of keys) press(key);
    return here();
  };
  const show = (at, scene) => overview(ENTRIES, chosen, at, scene);

  beforeEach(() => {
    chosen = vi.fn();
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  it("marks where the talk is", () => {
    const marked = () => [...dialog().querySelectorAll("[aria-current]")].map((one) => `${one.firstChild.textContent} ${one.getAttribute("aria-current")}`);
    for (const [at, scene, words] of [
      [0, undefined, ["Where? true"]],
      [4, 1, ["1 · Slot and slice true", "2. One row step"]],
      [7, 0, ["1 · Slot and slice true", "1. The slice step"]],
      [99, -1, ["2 · Transpose true"]],
    ]) {
      expect(show(at, scene)).toBe(true);
      expect(marked()).toEqual(words);
      expect(here()).toBe(words.at(-1).replace(/ \w+$/, ""));
      expect(show(at)).toBe(false);
      expect(dialog()).toBe(null);
    }
  });

  it("is gone through by section, and by scene", () => {
    show(0);
    expect(after("ArrowUp")).toBe("Where?");
    expect(after("ArrowDown")).toBe("1 · Slot and slice");
    expect(after("ArrowRight", "ArrowRight")).toBe("2. One row");
    expect(after("ArrowRight")).toBe("1. The slice");
    expect(after("ArrowUp")).toBe("1 · Slot and slice");
    expect(after("ArrowDown", "ArrowDown", "ArrowDown")).toBe("2 · Transpose");
    expect(after("End", "ArrowRight")).toBe("1. Turned");
    expect(after("Home", "ArrowLeft")).toBe("Where?");
    expect(dialog().querySelectorAll('ol [tabindex="0"]').length).toBe(1);
  });

  it("is searched by the beginnings of words", () => {
    show(0);
    expect(after("t")).toBe("1. The last one");
    expect(after("r")).toBe("2 · Transpose");
    vi.advanceTimersByTime(1500);
    expect(after("s", "l", "i")).toBe("1 · Slot and slice");
    expect(after("x")).toBe("1 · Slot and slice");
    vi.advanceTimersByTime(1500);
    expect(after("2")).toBe("2 · Transpose");
    vi.advanceTimersByTime(1500);
    expect(after("r", "o", "w")).toBe("2. One row");
    expect(dialog()).not.toBe(null);
  });

  it.each([["o"], ["O"], ["Escape"]])("is closed by %s", (key) => {
    show(0);
    press(key);
    expect(dialog()).toBe(null);
    expect(chosen).not.toHaveBeenCalled();
  });

  it("goes to what is chosen, once it is closed", () => {
    chosen.mockImplementation(() => expect(dialog()).toBe(null));
    show(0);
    after("End", "ArrowUp", "ArrowLeft");
    document.activeElement.click();
    expect(chosen).toHaveBeenCalledExactlyOnceWith(5, 0);
    show(0);
    document.activeElement.click();
    expect(chosen).toHaveBeenLastCalledWith(0, -1);
  });

  it("keeps its keys from the page, but for those of the browser", () => {
    const heard = vi.fn();
    document.addEventListener("keydown", heard);
    show(0);
    press("ArrowDown");
    press("p");
    document.removeEventListener("keydown", heard);
    expect(heard).not.toHaveBeenCalled();
    const reload = new KeyboardEvent("keydown", { key: "r", ctrlKey: true, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(reload);
    expect(reload.defaultPrevented).toBe(false);
  });

  it("says so when there is nowhere to go", () => {
    overview([], chosen, 0);
    expect(dialog().textContent).toContain("This notebook has no headings and no scenes to go to.");
    expect(here()).toBe("Back to the lesson (Esc)");
    for (const key of ["ArrowDown", "ArrowUp", "Home", "End", "a"]) press(key);
    document.activeElement.click();
    expect(dialog()).toBe(null);
  });

  it("is as dark as the stage, or as JupyterLab", () => {
    const dark = () => {
      show(0);
      const is = dialog().classList.contains("tk-dark");
      show(0);
      return is;
    };
    document.body.dataset.jpThemeLight = "false";
    expect(dark()).toBe(true);
    document.body.insertAdjacentHTML("beforeend", '<dialog class="tk-stage tk-stage-light" open></dialog>');
    expect(dark()).toBe(false);
    document.body.dataset.jpThemeLight = "true";
    document.querySelector(".tk-stage").className = "tk-stage tk-stage-dark";
    expect(dark()).toBe(true);
  });
});

describe("JupyterLab's menus", () => {
  const part = () => ({ hidden: false, setHidden(on) { this.hidden = on; } });

  it("go and come back, also with a document that is opened later", () => {
    const [bar, first, later] = [part(), part(), part()];
    const open = [{ toolbar: first }, {}];
    const slots = new Set();
    const shell = {
      top: true, isTopInSimpleModeVisible() { return this.top; }, toggleTopInSimpleModeVisibility() { this.top = !this.top; },
      widgets: (area) => (area === "menu" ? [{ parent: bar }, { parent: bar }] : open), currentChanged: { connect: (slot) => slots.add(slot) },
    };
    const hidden = () => [!shell.top, bar.hidden, first.hidden, later.hidden];
    bareMenus(shell, true);
    bareMenus(shell, true);
    expect(hidden()).toEqual([true, true, true, false]);
    open.push({ toolbar: later });
    for (const slot of slots) slot(shell);
    expect([slots.size, hidden()]).toEqual([1, [true, true, true, true]]);
    bareMenus(shell, false);
    expect(hidden()).toEqual([false, false, false, false]);
  });
});

describe("a cell that sets the lesson up", () => {
  it.each([
    ["import tensorkit as tk", true],
    ["# what we need\nimport math\n\nfrom a.b import c, d  # and more; all of it", true],
    ["from a import (\n    b,  # (one)\n    c,\n)\n\n%load_ext tensorkit_widgets", true],
    ["from a import b, \\\n    c\n%matplotlib inline", true],
    ["", false],
    ["# only words", false],
    ["import a; print(a)", false],
    ["import a\n\na.b()", false],
    ["from_numpy(x)", false],
    ["%%explain\nimport a", false],
    ["%timeit import a", false],
    ['text = """\nimport a\n"""', false],
  ])("%j", (source, is) => expect(isSetup(source)).toBe(is));

  it("is one without output, and each lesson begins with such cells", () => {
    const folder = "../../notebooks";
    const lessons = readdirSync(folder).filter((name) => /^\d\d_.*ipynb$/.test(name));
    expect(lessons.length).toBeGreaterThan(20);
    for (const name of lessons) {
      const { cells } = JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
      const code = cells.filter(({ cell_type: type }) => type === "code");
      const setup = code.filter(({ source }) => isSetup([source].flat().join("")));
      expect(setup.flatMap(({ outputs }) => outputs), name).toEqual([]);
      const first = name.startsWith("00") ? 1 : 0; // which begins with 1 + 1
      expect(setup.slice(0, 2), name).toEqual(code.slice(first, first + 2));
    }
  });
});
