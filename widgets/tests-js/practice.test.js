import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import practice from "../tensorkit_widgets/static/practice.js";

const QUESTION =
  '<div class="tk-card" role="group"><fieldset><label><input type="radio" name="choice" value="A" data-key="option-0">a</label>' +
  '<label><input type="radio" name="choice" value="B" data-key="option-1">b</label></fieldset>' +
  '<button data-do="answer" data-key="answer">go</button><button data-do="skip" data-key="skip"><b>skip</b></button></div>';
const BOX =
  '<div class="tk-card" role="group"><input type="text" data-key="entry"><button data-do="check" data-key="check">Check</button>' +
  '<button data-do="hint" data-key="hint">Hint</button></div>';

const QUIZ =
  '<div class="tk-card" role="group"><div data-part="1"><fieldset>' +
  ["A", "B", "C"].map((c, i) => `<input type="checkbox" name="choice-1" value="${c}" data-key="option-1-${i}">`).join("") +
  '</fieldset><button data-do="answer-1" data-key="answer-1">Check</button></div><div data-part="2">' +
  '<input type="text" data-key="entry-2"><button data-do="answer-2" data-key="answer-2">Check</button></div>' +
  '<div data-part="3"><input type="radio" name="choice-3" value="A" data-key="option-3-0">' +
  '<input type="radio" name="choice-3" value="B" data-key="option-3-1"></div></div>';

/** A model as anywidget gives it, with what it was sent. */
function fake(html) {
  const state = { html, announced: "" };
  const acts = new Map();
  return {
    sent: [],
    acts,
    get: (name) => state[name],
    on: (event, act) => acts.set(event, act),
    off: (event) => acts.delete(event),
    send(content) { this.sent.push(content); },
    set(name, value) {
      state[name] = value;
      acts.get(`change:${name}`)?.();
    },
  };
}

/** @type {HTMLElement} */
let el;
/** @type {(() => void) | undefined} */
let stop;
const show = (html) => {
  const model = fake(html);
  stop = practice.render({ model, el });
  return model;
};

beforeEach(() => {
  el = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  stop?.();
  document.body.replaceChildren();
});

describe("the practice card", () => {
  it("shows what Python drew and sends the chosen option", () => {
    const model = show(QUESTION);
    el.querySelectorAll("input")[1].click();
    el.querySelector("[data-do=answer]").click();
    expect(model.sent).toEqual([{ do: "answer", value: "B" }]);
  });

  it("takes a click on a part of a button for the button", () => {
    const model = show(QUESTION);
    el.querySelector("b").click();
    expect(model.sent).toEqual([{ do: "skip", value: "" }]);
  });

  it("gives each view its own group of radio buttons", () => {
    show(QUESTION);
    const first = el.querySelector("input").name;
    const other = document.body.appendChild(document.createElement("div"));
    practice.render({ model: fake(QUESTION), el: other })();
    expect(other.querySelector("input").name).not.toBe(first);
  });

  it("does the first button's work on Enter, and keeps keys from the notebook", () => {
    const model = show(BOX);
    const heard = vi.fn();
    document.body.addEventListener("keydown", heard);
    const box = el.querySelector("input");
    box.value = "(1, 4)";
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
    expect(heard).not.toHaveBeenCalled();
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "s", ctrlKey: true, bubbles: true }));
    expect(heard).toHaveBeenCalledOnce();
    expect(model.sent).toEqual([{ do: "check", value: "(1, 4)" }]);
  });

  it("keeps what was typed and chosen, and the focus, over a new drawing", () => {
    const model = show(BOX);
    el.querySelector("input").value = "7";
    el.querySelector("[data-do=hint]").focus();
    model.set("html", BOX.replace("Hint", "Hint 2"));
    expect(el.querySelector("input").value).toBe("7");
    expect(document.activeElement.textContent).toBe("Hint 2");
    model.set("html", QUESTION);
    expect(document.activeElement.className).toBe("tk-card");
  });

  it("does not take the focus that it never had", () => {
    const model = show(BOX);
    model.set("html", QUESTION);
    expect(document.activeElement).toBe(document.body);
  });

  it("says the news in a live region, as text", () => {
    const model = show(BOX);
    model.set("announced", "<b>Right.</b>");
    const region = el.querySelector("[role=status]");
    expect(region.getAttribute("aria-live")).toBe("polite");
    expect(region.textContent).toBe("<b>Right.</b>");
    expect(region.children.length).toBe(0);
  });

  it("says so when the kernel does not answer, and takes it back when it does", () => {
    vi.useFakeTimers();
    const model = show(BOX);
    el.querySelector("[data-do=check]").click();
    vi.advanceTimersByTime(3999);
    expect(el.querySelector(".tk-silence")).toBeNull();
    vi.advanceTimersByTime(1);
    expect(el.querySelector(".tk-silence").textContent).toContain("run this cell again");
    expect(el.querySelector("[role=status]").textContent).toContain("No answer");
    model.set("heard", 1);
    expect(el.querySelector(".tk-silence")).toBeNull();
    el.querySelector("[data-do=check]").click();
    model.set("heard", 2);
    vi.advanceTimersByTime(10_000);
    expect(el.querySelector(".tk-silence")).toBeNull();
    vi.useRealTimers();
  });

  it("says so at once when the connection is gone", () => {
    const model = show(BOX);
    model.send = () => { throw new Error("Cannot send"); };
    el.querySelector("[data-do=check]").click();
    expect(el.querySelector(".tk-silence").textContent).toContain("restarted");
  });

  it("sends the answer of a button's own question, in a quiz", () => {
    const model = show(QUIZ);
    el.querySelectorAll("[data-part='1'] input")[0].click();
    el.querySelectorAll("[data-part='1'] input")[2].click();
    el.querySelector("[data-part='2'] input").value = "(1, 5)";
    el.querySelector("[data-do=answer-1]").click();
    el.querySelector("[data-do=answer-2]").click();
    expect(model.sent).toEqual([{ do: "answer-1", value: "A C" }, { do: "answer-2", value: "(1, 5)" }]);
  });

  it("does the work of its own question on Enter, in a quiz", () => {
    const model = show(QUIZ);
    const box = el.querySelector("[data-part='2'] input");
    box.value = "7";
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    expect(model.sent).toEqual([{ do: "answer-2", value: "7" }]);
  });

  it("keeps the other questions as they are over a new drawing, in a quiz", () => {
    const model = show(QUIZ);
    const choices = () => [...el.querySelectorAll("[data-part='1'] input")];
    choices()[1].click();
    el.querySelector("[data-part='2'] input").value = "half an ans";
    el.querySelectorAll("[data-part='3'] input")[1].click();
    el.querySelector("[data-do=answer-1]").focus();
    model.set("html", QUIZ.replace("Check", "Check again"));
    expect(choices().map((one) => one.checked)).toEqual([false, true, false]);
    expect(el.querySelector("[data-part='2'] input").value).toBe("half an ans");
    expect(el.querySelectorAll("[data-part='3'] input")[1].checked).toBe(true);
    expect(document.activeElement.textContent).toBe("Check again");
    model.set("html", QUIZ.replace("data-do", "hidden data-was"));
    expect(new Set([...el.querySelectorAll("[type=radio]")].map((one) => one.name)).size).toBe(1);
  });

  it("goes to the question when its button is gone, in a quiz", () => {
    const model = show(QUIZ);
    el.querySelector("[data-do=answer-2]").focus();
    model.set("html", QUIZ.replace('<button data-do="answer-2" data-key="answer-2">Check</button>', ""));
    expect(document.activeElement.dataset.part).toBe("2");
  });

  it("lets go of the model when it is taken down", () => {
    const model = show(BOX);
    stop();
    stop = undefined;
    expect(model.acts.size).toBe(0);
  });
});
