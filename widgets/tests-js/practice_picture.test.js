import { afterEach, beforeEach, describe, expect, it } from "vitest";
import practice from "../tensorkit_widgets/static/practice.js";

const tile = (table, at, x, full) =>
  `<g class="tk-tile" data-key="${table}:${at}" data-full="${full}" tabindex="-1" aria-label="${at}"><rect x="${x}" y="40" width="30"/></g>`;
const strip = [0, 1, 2, 3].map((slot) => tile("s", slot, 30 * slot, `${slot}.5`)).join("");
const grid = [0, 1].map((row) => `<g role="row">${[0, 1].map((column) => tile("t", `${row},${column}`, 30 * column, 2 * row + column)).join("")}</g>`).join("");
const board = (pick, tiles, revealed = false) =>
  `<div class="tk-card" data-kind="predict" data-card="q" data-revealed="${revealed}" role="group">` +
  `<div class="tk-pick"${revealed ? "" : ` data-pick="${pick}"`}><svg>${tiles}</svg></div>` +
  '<div class="tk-row" data-enter="answer"><input type="text" data-key="entry"><button data-do="sure" data-key="sure">sure</button>' +
  '<button data-do="unsure" data-key="unsure">not</button><button data-do="skip" data-key="skip">Skip</button></div></div>';
const OPTIONS =
  '<div class="tk-card" data-kind="predict" data-card="q" data-revealed="false"><fieldset>' +
  ["A", "B"].map((name, k) => `<label class="tk-option"><input type="radio" name="c" value="${name}" data-key="option-${k}"></label>`).join("") +
  '</fieldset><div class="tk-row" data-enter="answer"><button data-do="skip" data-key="skip">Skip</button></div></div>';

/** A model as anywidget gives it, with what it was sent. */
function fake(html) {
  const acts = new Map();
  return {
    sent: [],
    get: (name) => ({ html, announced: "" })[name],
    on: (event, act) => acts.set(event, act),
    off: (event) => acts.delete(event),
    send(content) { this.sent.push(content); },
    draw(next) {
      html = next;
      acts.get("change:html")?.();
    },
  };
}

let el;
let stop;
const show = (html) => {
  const model = fake(html);
  stop = practice.render({ model, el });
  return model;
};
const one = (key) => el.querySelector(`[data-key="${key}"]`);
const press = (part, key) => part.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const click = (part) => part.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const box = () => el.querySelector("input[type=text]");

beforeEach(() => {
  sessionStorage.clear();
  el = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  stop?.();
  delete document.body.dataset.tensorkitPresent;
  document.body.replaceChildren();
});

describe("a prediction in a picture", () => {
  it("writes the slot that is pressed, and commits it with how sure it is", () => {
    const model = show(board("slot", strip));
    click(one("s:2"));
    expect(box().value).toBe("2");
    expect(one("s:2").getAttribute("aria-selected")).toBe("true");
    click(one("unsure"));
    expect(model.sent).toEqual([{ do: "unsure", value: "2" }]);
  });

  it("chooses elements that are not whole, of either sign", () => {
    const halves = [-1.75, -0.75, 0.5].map((number, at) => tile("t", at, 30 * at, number)).join("");
    show(board("cells", `<g role="row">${halves}</g>`));
    click(one("t:2"));
    click(one("t:1"));
    expect(box().value).toBe("-0.75, 0.5");
    expect(one("t:1").getAttribute("aria-selected")).toBe("true");
    expect(one("t:0").getAttribute("aria-selected")).toBe("false");
    click(one("t:2"));
    expect(box().value).toBe("-0.75");
  });

  it("commits on Enter without saying how sure it is", () => {
    const model = show(board("slot", strip));
    box().value = "3";
    press(box(), "Enter");
    expect(model.sent).toEqual([{ do: "answer", value: "3" }]);
  });

  it("walks by arrows, Home and End, and chooses by Enter and Space", () => {
    show(board("cells", grid));
    one("t:0,0").focus();
    press(one("t:0,0"), "ArrowDown");
    expect(document.activeElement).toBe(one("t:1,0"));
    press(one("t:1,0"), "Enter");
    press(one("t:1,0"), "ArrowRight");
    press(one("t:1,1"), " ");
    press(one("t:1,1"), "ArrowUp");
    expect(document.activeElement).toBe(one("t:0,1"));
    press(one("t:0,1"), "End");
    press(one("t:1,1"), "ArrowRight");
    expect(document.activeElement).toBe(one("t:1,1"));
    press(one("t:1,1"), "Home");
    press(one("t:0,0"), "Enter");
    expect(box().value).toBe("0, 2, 3");
    press(one("t:0,0"), "Enter");
    expect(box().value).toBe("2, 3");
  });

  it("draws a step, and forgets it when another number is typed", () => {
    show(board("step", strip));
    click(one("s:3"));
    expect(box().value).toBe("");
    click(one("s:1"));
    expect(box().value).toBe("-2");
    expect(el.querySelectorAll(".tk-way").length).toBe(1);
    box().value = "5";
    box().dispatchEvent(new Event("input", { bubbles: true }));
    expect(el.querySelectorAll(".tk-way, [aria-selected=true]").length).toBe(0);
  });

  it("chooses nothing any more once it is revealed", () => {
    show(board("slot", strip, true));
    click(one("s:2"));
    expect(box().value).toBe("");
  });

  it("tells the document whenever a card is drawn", () => {
    let heard = 0;
    const count = () => { heard += 1; };
    document.addEventListener("tensorkit-card", count);
    const model = show(board("slot", strip));
    model.draw(board("slot", strip, true));
    document.removeEventListener("tensorkit-card", count);
    expect(heard).toBe(2);
  });
});

describe("a prediction in front of a room", () => {
  const counts = () => [...el.querySelectorAll("output")].map((one) => one.textContent);

  it("counts nothing where nobody presents", () => {
    const model = show(OPTIONS);
    expect(counts()).toEqual([]);
    press(el.querySelector(".tk-card"), "r");
    expect(model.sent).toEqual([]);
  });

  it("counts for each option, never below nothing, and keeps the counts when it is drawn again", () => {
    document.body.dataset.tensorkitPresent = "ready";
    const model = show(OPTIONS);
    const [less, more] = el.querySelectorAll(".tk-votes button");
    click(less);
    click(more);
    click(more);
    expect(counts()).toEqual(["2", "0"]);
    model.draw(OPTIONS);
    expect(counts()).toEqual(["2", "0"]);
    expect(model.sent).toEqual([]);
    expect(el.querySelector("input:checked")).toBe(null);
  });

  it("shows the answer on R, but not while somebody types", () => {
    document.body.dataset.tensorkitPresent = "ready";
    const model = show(board("slot", strip));
    press(box(), "r");
    expect(model.sent).toEqual([]);
    press(el.querySelector(".tk-card"), "R");
    expect(model.sent).toEqual([{ do: "skip", value: "" }]);
  });

  it("marks what the room says on Enter, and commits nobody", () => {
    document.body.dataset.tensorkitPresent = "ready";
    const model = show(board("slot", strip));
    for (const said of ["7", "7", " "]) {
      box().value = said;
      press(box(), "Enter");
    }
    expect(counts()).toEqual(["2"]);
    expect(model.sent).toEqual([]);
  });
});
