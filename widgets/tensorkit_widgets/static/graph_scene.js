// @ts-check
/**
 * The boxes of a graph under the learner's hands: arrow up and down go from box to box, Enter unfolds a folded run, a
 * click does both; plus, minus and 0 zoom. Left and right, Home and End belong to the rehearsal.
 *
 * @typedef {{ onUnfold?: (vertex: number) => void, onStep?: (how: "step" | "back" | "run" | "reset") => void,
 *             onLook?: (box: SVGElement) => void }} GraphOptions
 */

import { nearest, whole } from "./dom.js";

const BOX = '.tk-vertex[role="option"]';
const STEPS = /** @type {const} */ ({ ArrowRight: "step", ArrowLeft: "back", End: "run", Home: "reset" });

export class GraphScene {
  /**
   * @param {SVGSVGElement} svg
   * @param {HTMLElement} frame the element that scrolls
   * @param {GraphOptions} options
   * @param {number} zoom 0 fits the page
   */
  constructor(svg, frame, options, zoom = 0) {
    this.svg = svg;
    this.frame = frame;
    this.options = options;
    this.zoom = zoom;
    this.natural = Number(svg.getAttribute("width")) || 960;
    this.stop = new AbortController();
    const { signal } = this.stop;
    /** @type {SVGElement[]} */
    this.boxes = [...svg.querySelectorAll(BOX)].map((box) => /** @type {SVGElement} */ (box));
    this.boxes.sort((a, b) => place(a).y - place(b).y || place(a).x - place(b).x);
    svg.addEventListener("click", (event) => this.clicked(event), { signal });
    svg.addEventListener("keydown", (event) => this.pressed(event), { signal });
    svg.style.setProperty("--tk-natural", `${this.natural}px`);
    this.scale(zoom);
    this.show(svg.querySelector(".tk-running, .tk-refused"));
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const box = /** @type {SVGElement | null} */ (nearest(event, BOX));
    if (!box) return;
    this.rove(box);
    this.unfold(box);
  }

  /** @param {SVGElement} box */
  unfold(box) {
    if (box.dataset.fold) this.options.onUnfold?.(whole(box.dataset.vertex));
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
    const now = this.zoom || this.svg.getBoundingClientRect().width / this.natural || 1;
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
  }

  /** @param {SVGElement | undefined} box */
  rove(box) {
    if (!box) return;
    for (const other of this.boxes) other.setAttribute("tabindex", other === box ? "0" : "-1");
    box.focus({ preventScroll: true });
    this.show(box);
    this.options.onLook?.(box);
  }

  /** Bring a part into the frame, without moving the page. @param {Element | null} part */
  show(part) {
    if (!part) return;
    const [inner, outer] = [part.getBoundingClientRect(), this.frame.getBoundingClientRect()];
    if (inner.top < outer.top + 8) this.frame.scrollTop += inner.top - outer.top - 40;
    else if (inner.bottom > outer.bottom - 8) this.frame.scrollTop += inner.bottom - outer.bottom + 60;
    if (inner.left < outer.left) this.frame.scrollLeft += inner.left - outer.left - 30;
    else if (inner.right > outer.right) this.frame.scrollLeft += inner.right - outer.right + 30;
  }

  /** Give the keyboard back to a box after a repaint. @param {string | undefined} vertex */
  refocus(vertex) {
    const box = this.boxes.find((other) => other.dataset.vertex === vertex) ?? this.boxes.find((other) => other.tabIndex === 0);
    if (box) this.rove(box);
  }

  dispose() {
    this.stop.abort();
  }
}

/** @param {SVGElement} box */
function place(box) {
  const shape = box.querySelector("rect, path");
  const path = (shape?.getAttribute("d") ?? "").match(/M(\S+) (\S+?)h/);
  return { x: Number(shape?.getAttribute("x") ?? path?.[1] ?? 0), y: Number(shape?.getAttribute("y") ?? path?.[2] ?? 0) };
}
