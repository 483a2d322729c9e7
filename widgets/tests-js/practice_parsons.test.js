import { afterEach, beforeEach, describe, expect, it } from "vitest";
import practice from "../tensorkit_widgets/static/practice.js";

const TEXTS = ["", "total = 0", "total += n", "for n in ns:", "print(n)"];

/** A board as Python draws it, for an order such as "1:0 3:0". */
function board(order, deepest = 6) {
  const placed = order.split(" ").filter(Boolean).map((pair) => pair.split(":"));
  const line = (number, indent) =>
    `<div class="tk-line" role="option" aria-selected="false" tabindex="-1" data-line="${number}" data-indent="${indent}"` +
    ` data-key="line-${number}"><span class="tk-grip"></span><code>${TEXTS[number]}</code></div>`;
  const mine = placed.map(([number, indent]) => line(number, indent)).join("");
  const rest = [1, 2, 3, 4].filter((n) => !placed.some(([number]) => Number(number) === n)).map((n) => line(n, 0)).join("");
  return (
    `<div class="tk-card" role="group"><div class="tk-lines" data-order="${order}" data-deepest="${deepest}"><div role="listbox">` +
    `<div data-zone="program">${mine}</div><div data-zone="rest">${rest}</div></div><div class="tk-tools">` +
    ["up", "down", "left", "right", "take"].map((move) => `<button data-move="${move}" data-key="move-${move}">${move}</button>`).join("") +
    '</div></div><button data-do="check" data-key="check">Run</button></div>'
  );
}

/** A model that answers an order as Python does, when it is told to. */
function fake(html) {
  const state = { html, announced: "", heard: 0 };
  const acts = new Map();
  const model = {
    sent: [],
    get: (name) => state[name],
    on: (event, act) => acts.set(event, act),
    off: (event) => acts.delete(event),
    send(content) { this.sent.push(content); },
    set(name, value) {
      state[name] = value;
      acts.get(`change:${name}`)?.();
    },
    orders() { return this.sent.filter((one) => one.do === "order").map((one) => one.value); },
    answer(order) {
      this.set("html", board(order));
      this.set("heard", state.heard + 1);
    },
  };
  return model;
}

/** @type {HTMLElement} */
let el;
let stop;
const show = (order = "", deepest = 6) => {
  const model = fake(board(order, deepest));
  stop = practice.render({ model, el });
  return model;
};
const line = (number) => el.querySelector(`[data-line="${number}"]`);
const press = (key, options = {}) =>
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options }));
const now = () => [...el.querySelectorAll('[data-zone="program"] .tk-line')].map((one) => `${one.dataset.line}:${one.dataset.indent}`).join(" ");
const said = () => el.querySelector("[role=status]").textContent;
const pointer = (target, type, x, y, more = {}) =>
  target.dispatchEvent(Object.assign(new MouseEvent(type, { bubbles: true, cancelable: true, clientX: x, clientY: y }), { pointerType: "mouse", pointerId: 1, ...more }));
/** jsdom lays nothing out: every line is 20 high, the pool is below 200. */
const layOut = () => {
  el.querySelectorAll(".tk-line").forEach((one) => {
    one.getBoundingClientRect = () => {
      const zone = one.parentElement;
      const top = (zone.dataset.zone === "rest" ? 200 : 0) + [...zone.children].indexOf(one) * 20;
      return { top, height: 20 };
    };
  });
  el.querySelector('[data-zone="rest"]').getBoundingClientRect = () => ({ top: 200, height: 100 });
};

beforeEach(() => {
  el = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  stop?.();
  document.body.replaceChildren();
});

describe("a puzzle by keyboard", () => {
  it("lets Tab reach one line", () => {
    show();
    expect([...el.querySelectorAll(".tk-line")].map((one) => one.tabIndex)).toEqual([0, -1, -1, -1]);
  });

  it("goes through the lines with the arrows, Home and End", () => {
    show("1:0");
    line(1).focus();
    press("ArrowDown");
    expect(document.activeElement).toBe(line(2));
    press("End");
    expect(document.activeElement).toBe(line(4));
    press("ArrowDown");
    expect(document.activeElement).toBe(line(4));
    press("Home");
    expect(document.activeElement).toBe(line(1));
    expect(now()).toBe("1:0");
  });

  it("picks a line up with Space, moves it, and puts it down", () => {
    const model = show("1:0 3:0");
    line(2).focus();
    press(" ");
    expect(line(2).getAttribute("aria-selected")).toBe("true");
    expect(said()).toBe("total += n: picked up, among the lines to choose from.");
    press("ArrowUp");
    expect(now()).toBe("1:0 3:0 2:1");
    expect(said()).toBe("total += n: place 3 of 3 in your program, indented by 1.");
    press("ArrowUp");
    expect(now()).toBe("1:0 2:1 3:0");
    expect(document.activeElement).toBe(line(2));
    press("ArrowLeft");
    expect(now()).toBe("1:0 2:0 3:0");
    press(" ");
    expect(line(2).getAttribute("aria-selected")).toBe("false");
    expect(model.orders()).toEqual(["1:0 3:0 2:1", "1:0 2:1 3:0", "1:0 2:0 3:0"]);
  });

  it("moves a line out of the program at its end, back to its place", () => {
    show("1:0 3:0");
    line(3).focus();
    press(" ");
    press("ArrowDown");
    expect(now()).toBe("1:0");
    expect([...el.querySelectorAll('[data-zone="rest"] .tk-line')].map((one) => one.dataset.line)).toEqual(["2", "3", "4"]);
  });

  it("takes a line in and out with Enter", () => {
    show();
    line(3).focus();
    press("Enter");
    expect(now()).toBe("3:0");
    expect(document.activeElement).toBe(line(3));
    press("Enter");
    expect(now()).toBe("");
  });

  it("indents without picking up, within bounds, and only in the program", () => {
    show("1:0");
    line(1).focus();
    press("ArrowLeft");
    expect(now()).toBe("1:0");
    for (let i = 0; i < 9; i += 1) press("ArrowRight");
    expect(now()).toBe("1:6");
    line(2).focus();
    press("ArrowRight");
    expect(line(2).dataset.indent).toBe("0");
  });

  it("indents nothing where indentation does not matter", () => {
    show("3:0", 0);
    line(3).focus();
    press("ArrowRight");
    line(1).focus();
    press("Enter");
    expect(now()).toBe("3:0 1:0");
    expect(said()).toBe("total = 0: place 2 of 2 in your program.");
  });

  it("gives a moved line back with Escape", () => {
    const model = show("1:0 3:0 2:1");
    line(2).focus();
    press(" ");
    press("ArrowUp");
    press("ArrowUp");
    expect(now()).toBe("2:1 1:0 3:0");
    press("Escape");
    expect(now()).toBe("1:0 3:0 2:1");
    expect(document.activeElement).toBe(line(2));
    expect(model.orders().at(-1)).toBe("1:0 3:0 2:1");
  });

  it("leaves other keys alone, and keeps its own from the page", () => {
    show();
    line(1).focus();
    expect(press("Tab")).toBe(true);
    expect(press("ArrowDown", { ctrlKey: true })).toBe(true);
    expect(press("ArrowDown")).toBe(false);
  });
});

describe("a puzzle and Python", () => {
  it("keeps focus and the picked-up line over Python's drawing", () => {
    const model = show("1:0");
    line(2).focus();
    press(" ");
    press("ArrowUp");
    model.answer("1:0 2:0");
    expect(document.activeElement).toBe(line(2));
    expect(line(2).getAttribute("aria-selected")).toBe("true");
    expect(line(2).tabIndex).toBe(0);
    press("ArrowUp");
    expect(now()).toBe("2:0 1:0");
  });

  it("does not go back to an older order while a newer one is on its way", () => {
    const model = show();
    line(1).focus();
    press("Enter");
    line(2).focus();
    press("Enter");
    model.answer("1:0");
    expect(now()).toBe("1:0 2:0");
    model.answer("1:0 2:0");
    expect(now()).toBe("1:0 2:0");
    expect(el.querySelector(".tk-lines").dataset.order).toBe("1:0 2:0");
  });

  it("follows Python when nothing is on its way", () => {
    const model = show();
    model.set("html", board("4:0 1:0"));
    expect(now()).toBe("4:0 1:0");
  });

  it("takes what Python made of an order that it refused", () => {
    const model = show("", 6);
    line(1).focus();
    press("Enter");
    model.answer("");
    expect(now()).toBe("");
  });

  it("sends nothing but numbers", () => {
    const model = show("1:0");
    line(3).focus();
    press("Enter");
    el.querySelector("[data-do=check]").click();
    expect(model.sent).toEqual([{ do: "order", value: "1:0 3:0" }, { do: "check", value: "" }]);
  });
});

describe("a puzzle by pointer", () => {
  it("moves the chosen line by buttons", () => {
    show("1:0 3:0");
    line(3).focus();
    el.querySelector("[data-move=up]").click();
    expect(now()).toBe("3:0 1:0");
    el.querySelector("[data-move=right]").click();
    el.querySelector("[data-move=take]").click();
    expect(now()).toBe("1:0");
    el.querySelector("[data-move=take]").click();
    expect(now()).toBe("1:0 3:0");
  });

  it("takes a line in by a click, and chooses one in the program", () => {
    show("1:0");
    pointer(line(3), "pointerdown", 5, 205);
    pointer(line(3), "pointerup", 5, 205);
    expect(now()).toBe("1:0 3:0");
    pointer(line(1), "pointerdown", 5, 5);
    pointer(line(1), "pointerup", 5, 5);
    expect(now()).toBe("1:0 3:0");
    expect(line(1).classList.contains("tk-current")).toBe(true);
  });

  it("drags a line to where it is dropped, sideways too", () => {
    const model = show("1:0 3:0");
    layOut();
    pointer(line(2), "pointerdown", 50, 215);
    pointer(el, "pointermove", 52, 216);
    expect(now()).toBe("1:0 3:0");
    pointer(line(2), "pointermove", 90, 15);
    expect(line(2).classList.contains("tk-picked")).toBe(true);
    pointer(line(2), "pointermove", 90, 55);
    pointer(line(2), "pointerup", 90, 55);
    expect(now()).toBe("1:0 3:0 2:1");
    expect(model.orders()).toEqual(["1:0 3:0 2:1"]);
    expect(line(2).classList.contains("tk-picked")).toBe(false);
  });

  it("drags a line out of the program", () => {
    show("1:0 3:0");
    layOut();
    pointer(line(1), "pointerdown", 50, 5);
    pointer(line(1), "pointermove", 50, 230);
    pointer(line(1), "pointerup", 50, 230);
    expect(now()).toBe("3:0");
  });

  it("puts a line back when the drag is broken off, and is not disturbed by a drawing", () => {
    const model = show("1:0 3:0");
    layOut();
    pointer(line(3), "pointerdown", 50, 25);
    pointer(line(3), "pointermove", 50, 2);
    expect(now()).toBe("3:0 1:0");
    model.set("html", board(""));
    expect(now()).toBe("3:0 1:0");
    pointer(line(3), "pointercancel", 0, 0);
    expect(now()).toBe("1:0 3:0");
    expect(model.orders()).toEqual([]);
  });

  it("lets a finger scroll, unless it is on the grip", () => {
    show("1:0");
    pointer(line(3), "pointerdown", 5, 205, { pointerType: "touch" });
    pointer(line(3), "pointerup", 5, 205, { pointerType: "touch" });
    expect(now()).toBe("1:0");
    pointer(line(3).querySelector(".tk-grip"), "pointerdown", 5, 205, { pointerType: "touch" });
    pointer(line(3), "pointerup", 5, 205, { pointerType: "touch" });
    expect(now()).toBe("1:0 3:0");
  });

  it("ignores the other buttons of a mouse", () => {
    show();
    line(1).dispatchEvent(Object.assign(new MouseEvent("pointerdown", { bubbles: true, button: 2 }), { pointerType: "mouse" }));
    pointer(line(1), "pointerup", 0, 0);
    expect(now()).toBe("");
  });
});

it("lets go of everything when it is taken down", () => {
  const model = show("1:0");
  const two = line(2);
  two.focus();
  stop();
  stop = undefined;
  press("Enter");
  expect(now()).toBe("1:0");
  expect(model.sent).toEqual([]);
});
