// @ts-check
/**
 * The boxes of a graph under the learner's hands: arrow up and down go from box to box, Enter unfolds a folded run, a
 * click does both; plus, minus and 0 zoom. Left and right, Home and End belong to the rehearsal.
 *
 * A box, a line or a jar that stands for a tensor (.tk-held) lights with all that read a byte of it, and so do the single
 * numbers (.tk-item); the keyboard lights the tensor of its box.
 *
 * @typedef {import("./hover_bus.js").Spot} Spot
 * @typedef {{ part: SVGElement, storage: number, layout: import("./byte_overlap.js").Layout, items: SVGTSpanElement[] }} Held
 * Other parts of the picture: .tk-vertex[data-vertex][data-kind = op | leaf | constant | reference][data-name][data-state =
 *   waiting | running | ran | refused], operations with [data-kept = "name:kept|freed|modified …"], folded runs with
 *   [data-fold = members], leaves with [data-grad][data-filled = no | rehearsed | yes]; .tk-edge[data-from][data-to]
 *   [data-inputs][data-gradient = the gradient on it][data-flow = "" | flows | flowed].
 */

import { magnified, nearest, whole } from "./dom.js";
import { reveal } from "./in_sight.js";
import { layoutOf, meet, slotLayout } from "./byte_overlap.js";

const BOX = '.tk-vertex[role="option"]';
const HELD = ".tk-held";
const STEPS = /** @type {const} */ ({ ArrowRight: "step", ArrowLeft: "back", End: "run", Home: "reset" });

export class GraphScene {
  /**
   * @param {SVGSVGElement} svg
   * @param {import("./board_scene.js").Options} options
   * @param {number} zoom 0 fits the page
   */
  constructor(svg, options, zoom = 0) {
    this.svg = svg;
    this.options = options;
    this.zoom = zoom;
    this.natural = Number(svg.getAttribute("width")) || 960;
    this.stop = new AbortController();
    const { signal } = this.stop;
    /** @type {SVGElement[]} */
    this.boxes = [...svg.querySelectorAll(BOX)].map((box) => /** @type {SVGElement} */ (box));
    this.boxes.sort((a, b) => place(a).y - place(b).y || place(a).x - place(b).x);
    /** @type {Held[]} */
    this.held = [...svg.querySelectorAll(HELD)].map((part) => held(/** @type {SVGElement} */ (part)));
    /** @type {SVGRectElement[]} the grounds under the numbers that are lit */
    this.grounds = [];
    svg.addEventListener("pointerover", (event) => this.over(event), { signal });
    svg.addEventListener("pointerleave", () => this.rest(), { signal });
    svg.addEventListener("focusin", (event) => this.focused(event), { signal });
    svg.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node && svg.contains(event.relatedTarget))) this.rest();
    }, { signal });
    svg.addEventListener("click", (event) => this.clicked(event), { signal });
    svg.addEventListener("keydown", (event) => this.pressed(event), { signal });
    svg.style.setProperty("--tk-natural", `${this.natural}px`);
    this.scale(zoom);
    this.resized();
  }

  /** Larger or smaller, what runs stays in sight. */
  resized() {
    reveal(this.svg.querySelector(".tk-running, .tk-refused"), this.options.frame);
  }

  // ---- light

  /** Another picture points at a slot, or at all that a tensor reads. @param {Spot} spot */
  point(spot) {
    this.light(spot);
  }


  /** @param {PointerEvent} event */
  over(event) {
    const item = /** @type {SVGTSpanElement | null} */ (nearest(event, ".tk-item"));
    const part = /** @type {SVGElement | null} */ (nearest(event, HELD));
    if (part) this.lit(part, item);
    else this.rest();
  }

  /** The keyboard is on a box: its tensor lights, of an operation the result. @param {FocusEvent} event */
  focused(event) {
    const box = nearest(event, BOX);
    const result = [...(box?.querySelectorAll(HELD) ?? [])].find((line) => line.querySelector(".tk-line-number"));
    const part = box?.matches(HELD) ? box : result;
    if (part) this.lit(/** @type {SVGElement} */ (part), null);
    else this.rest();
  }

  /** Light a tensor, or one number of it. @param {SVGElement} part @param {SVGTSpanElement | null} item */
  lit(part, item) {
    const storage = whole(part.dataset.storage);
    const layout = layoutOf(part.dataset);
    const [slot, tensor] = item ? [numberOf(item, layout), null] : [null, layout];
    this.light({ storage, slot, tensor }, part, item);
    this.options.onPoint?.({ storage, slot, tensor });
  }

  rest() {
    this.light({ storage: 0, slot: null });
    this.options.onPoint?.(null);
  }

  /**
   * Light every part that reads a byte which is pointed at, and its numbers; what is pointed at itself more strongly.
   * @param {Spot} spot @param {SVGElement} [own] @param {SVGTSpanElement | null} [number]
   */
  light({ storage, slot, tensor }, own, number) {
    const pointed = slot ?? tensor;
    for (const ground of this.grounds) ground.remove();
    this.grounds = [];
    for (const one of this.held) {
      const here = Boolean(pointed && one.storage === storage && meet(one.layout, pointed));
      one.part.classList.toggle("tk-lit", one.part === own);
      one.part.classList.toggle("tk-kin", here && one.part !== own);
      for (const item of one.items) {
        const on = Boolean(here && pointed && meet(numberOf(item, one.layout), pointed));
        item.classList.toggle("tk-lit", item === number);
        item.classList.toggle("tk-kin", on && item !== number);
        if (on) this.ground(item);
      }
    }
  }

  /** A coloured ground under a number. @param {SVGTSpanElement} item */
  ground(item) {
    const words = item.parentElement;
    const count = item.textContent?.length ?? 0;
    if (!words || !item.getExtentOfChar || !count) return;
    const [first, last] = [item.getExtentOfChar(0), item.getExtentOfChar(count - 1)];
    const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const box = { x: first.x - 1, y: first.y - 0.5, width: last.x + last.width - first.x + 2, height: first.height + 1, rx: 3 };
    for (const [name, value] of Object.entries(box)) ground.setAttribute(name, String(value));
    ground.setAttribute("class", `tk-item-ground${item.classList.contains("tk-lit") ? " tk-lit" : ""}`);
    words.before(ground);
    this.grounds.push(ground);
  }

  // ---- doing

  /** @param {MouseEvent} event */
  clicked(event) {
    const box = /** @type {SVGElement | null} */ (nearest(event, BOX));
    if (!box) return;
    this.rove(box);
    this.unfold(box);
  }

  /** @param {SVGElement} box */
  unfold(box) {
    if (box.dataset.fold) this.options.onAct?.("unfold", box.dataset.vertex ?? "");
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const box = /** @type {SVGElement | null} */ (nearest(event, BOX));
    if (!box || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.boxes.indexOf(box);
    const { key } = event;
    if (key in STEPS) this.options.onStep?.(STEPS[/** @type {keyof typeof STEPS} */ (key)]);
    else if (key === "ArrowDown") this.rove(this.boxes[Math.min(at + 1, this.boxes.length - 1)]);
    else if (key === "ArrowUp") this.rove(this.boxes[Math.max(at - 1, 0)]);
    else if (key === "Enter" || key === " ") this.unfold(box);
    else if (!this.zoomBy(key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Zoom by a key or a button: "+", "-" or "0". @param {string} key */
  zoomBy(key) {
    const now = this.zoom || this.svg.getBoundingClientRect().width / this.natural / magnified(this.options.frame) || 1;
    const next = { "+": now * 1.25, "=": now * 1.25, "-": now / 1.25, 0: 0 }[key];
    if (next === undefined) return false;
    this.scale(next && Math.min(4, Math.max(0.1, next)));
    return true;
  }

  /** @param {number} zoom */
  scale(zoom) {
    this.zoom = zoom;
    this.svg.classList.toggle("tk-zoomed", zoom > 0);
    this.svg.style.width = zoom ? `${Math.round(this.natural * zoom)}px` : "";
    this.options.onZoom?.(zoom);
  }

  /** @param {SVGElement | undefined} box */
  rove(box) {
    if (!box) return;
    for (const other of this.boxes) other.setAttribute("tabindex", other === box ? "0" : "-1");
    box.focus({ preventScroll: true });
    reveal(box, this.options.frame);
    this.options.say?.(box.getAttribute("aria-label") ?? "");
  }

  /** Give the keyboard back to a box after a repaint. @param {string | undefined} vertex */
  refocus(vertex) {
    if (vertex === undefined) return;
    const box = this.boxes.find((other) => other.dataset.vertex === vertex) ?? this.boxes.find((other) => other.tabIndex === 0);
    if (box) this.rove(box);
  }

  dispose() {
    this.stop.abort();
  }
}

/** @param {SVGElement} part @returns {Held} */
function held(part) {
  const items = [...part.querySelectorAll(".tk-item")].filter((item) => item.closest(HELD) === part);
  return { part, storage: whole(part.dataset.storage), layout: layoutOf(part.dataset), items: /** @type {SVGTSpanElement[]} */ (items) };
}

/** The slot of a number that stands for an element of a tensor. @param {SVGTSpanElement} number @param {import("./byte_overlap.js").Layout} tensor */
function numberOf(number, tensor) {
  return slotLayout(whole(number.dataset.slot), tensor.item);
}

/** @param {SVGElement} box */
function place(box) {
  const shape = box.querySelector("rect, path");
  const path = (shape?.getAttribute("d") ?? "").match(/M(\S+) (\S+?)h/);
  return { x: Number(shape?.getAttribute("x") ?? path?.[1] ?? 0), y: Number(shape?.getAttribute("y") ?? path?.[2] ?? 0) };
}
