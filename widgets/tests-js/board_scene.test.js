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

describe("a picture of pixels", () => {
  let acts, said, scene, tile;

  beforeEach(() => {
    const picture = document.createElement("div");
    document.body.replaceChildren(picture);
    picture.innerHTML = `<svg xmlns="${NS}"><g class="tk-table" role="grid"><g role="row"><g class="tk-tile" role="gridcell" tabindex="0" data-key="px" data-action="look" data-grid="75,64,3,5"><rect x="28" y="62" width="245.76" height="288"/></g></g></g></svg>`;
    acts = [];
    said = [];
    scene = new BoardScene(picture.querySelector("svg"), { onAct: (action, key) => acts.push(`${action} ${key}`), say: (words) => said.push(words) });
    tile = picture.querySelector(".tk-tile");
    const scale = 750 / 288; // the photograph is 640 by 750 pixels of the screen, from (100, 200) on
    tile.querySelector("rect").getScreenCTM = () => ({ a: scale, d: scale, e: 100 - 28 * scale, f: 200 - 62 * scale });
  });
  afterEach(() => scene.dispose());

  const fire = (type, x, y) => tile.dispatchEvent(new (type === "click" ? MouseEvent : PointerEvent)(type, { bubbles: true, clientX: x, clientY: y }));

  it("looks at the very pixel that is pressed", () => {
    for (const [x, y] of [[485, 305], [100, 200], [739.9, 949.9], [740, 950]]) fire("click", x, y);
    expect(acts).toEqual(["look px:10,38", "look px:0,0", "look px:74,63", "look px:74,63"]);
  });

  it("goes from pixel to pixel by the arrow keys, and stops at the edge", () => {
    const press = (key) => tile.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    press("Enter");
    for (const key of ["ArrowRight", "ArrowDown", "Enter"]) press(key);
    expect(said.at(-1)).toBe("row 4, column 6");
    for (let k = 0; k < 9; k += 1) press("ArrowUp");
    press("Enter");
    expect(acts).toEqual(["look px:3,5", "look px:4,6", "look px:0,6"]);
  });

  it("frames the pixel under the pointer and covers nothing", () => {
    fire("pointerover", 485, 305);
    fire("pointermove", 485, 305);
    expect(tile.classList.contains("tk-lit")).toBe(false);
    expect(Number(scene.halo.getAttribute("x"))).toBeCloseTo(28 + 38 * 3.84 - 3);
    expect(Number(scene.halo.getAttribute("width"))).toBeCloseTo(3.84 + 6);
    expect(said.at(-1)).toBe("row 10, column 38");
  });
});
