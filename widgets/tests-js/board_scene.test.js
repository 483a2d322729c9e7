import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BoardScene } from "../tensorkit_widgets/static/board_scene.js";

const NS = "http://www.w3.org/2000/svg";
const tile = (key, action) =>
  `<g class="tk-tile" role="gridcell" tabindex="-1" data-key="${key}"${action ? ` data-action="${action}"` : ""}><rect/><text>0</text></g>`;

describe("a drag over bits", () => {
  let picture, acts, scene;

  /** A fresh picture in the old place, as after every answer of Python. */
  const paint = () => {
    scene?.dispose();
    picture.innerHTML = `<svg xmlns="${NS}"><g class="tk-table" role="grid"><g role="row">${tile("a:2", "flip")}${tile("a:1", "flip")}${tile("a:0", "flip")}${tile("go", "go")}${tile("still")}</g></g></svg>`;
    scene = new BoardScene(picture.querySelector("svg"), {
      onAct: (action, key) => {
        acts.push(`${action} ${key}`);
        paint();
      },
    });
  };
  const fire = (type, key, buttons = 1) => {
    const Event = type === "click" ? MouseEvent : PointerEvent;
    picture.querySelector(`[data-key="${key}"]`).dispatchEvent(new Event(type, { bubbles: true, button: 0, buttons }));
  };

  beforeEach(() => {
    vi.useFakeTimers();
    picture = document.createElement("div");
    document.body.replaceChildren(picture);
    acts = [];
    paint();
  });
  afterEach(() => {
    document.dispatchEvent(new PointerEvent("pointerup"));
    vi.runAllTimers();
    vi.useRealTimers();
    scene.dispose();
  });

  it("presses each bit once, also the first, though the picture is drawn anew in between", () => {
    fire("pointerdown", "a:2");
    expect(acts).toEqual([]);
    for (const key of ["a:2", "a:1", "a:1", "a:0"]) fire("pointerover", key);
    expect(acts).toEqual(["flip a:2", "flip a:1", "flip a:0"]);
  });

  it("leaves alone what does something else, or nothing", () => {
    fire("pointerdown", "a:0");
    fire("pointerover", "go");
    fire("pointerover", "still");
    fire("pointerdown", "still");
    fire("pointerover", "a:1");
    expect(acts).toEqual([]);
  });

  it("ends with the button, and its last click is no press", () => {
    fire("pointerdown", "a:2");
    fire("pointerover", "a:1");
    document.dispatchEvent(new PointerEvent("pointerup"));
    fire("click", "a:1");
    fire("pointerover", "a:0");
    expect(acts).toEqual(["flip a:2", "flip a:1"]);
    vi.runAllTimers();
    fire("click", "a:0");
    expect(acts).toEqual(["flip a:2", "flip a:1", "flip a:0"]);
  });

  it("needs the button held: a pointer that comes back without it flips nothing", () => {
    fire("pointerdown", "a:2");
    fire("pointerover", "a:1", 0);
    expect(acts).toEqual([]);
  });
});
