// @ts-check
/** Things in a row that are dragged into another order, or moved with Alt and an arrow key. */

import { make, nearest, whole } from "./dom.js";

export class OrderControl {
  /** @param {string} label what is in order @param {(order: number[]) => void} put @param {(words: string) => void} say */
  constructor(label, put, say) {
    this.put = put;
    this.say = say;
    this.root = make("div", { class: "tk-chips", role: "group", "aria-label": label });
    this.count = 0;
    /** @type {{ from: number, chip: HTMLElement } | null} */
    this.held = null;
    this.root.addEventListener("pointerdown", (event) => this.pick(event));
    this.root.addEventListener("pointermove", (event) => this.move(event));
    this.root.addEventListener("pointerup", (event) => this.drop(event));
    this.root.addEventListener("pointercancel", () => this.release());
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {[string, string][]} options a number and the words of each */
  update(options) {
    this.count = options.length;
    const active = document.activeElement instanceof HTMLElement && this.root.contains(document.activeElement) ? document.activeElement.dataset.dim : undefined;
    this.root.replaceChildren(...options.map(([d, words]) => make("button", {
      type: "button", class: `tk-chip tk-d${whole(d) % 8}`, "data-role": "dim", "data-dim": d,
      "aria-label": `${words}. Drag it, or press Alt and an arrow key, to move it`, disabled: this.count < 2,
    }, make("span", { class: "tk-grip", "aria-hidden": "true" }, "⠿ "), words)));
    if (active !== undefined) this.chip(whole(active))?.focus();
  }

  /** @param {number} place */
  chip(place) {
    return /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-dim="${place}"]`));
  }

  /** @param {PointerEvent} event */
  pick(event) {
    const chip = /** @type {HTMLElement | null} */ (nearest(event, ".tk-chip"));
    if (!chip || event.button !== 0 || this.count < 2) return;
    this.held = { from: whole(chip.dataset.dim), chip };
    this.root.setPointerCapture(event.pointerId);
  }

  /** Before which chip the held one would be. @param {PointerEvent} event */
  place(event) {
    const boxes = [...this.root.children].map((chip) => chip.getBoundingClientRect());
    const column = boxes.length > 1 && boxes[0].left === boxes[1].left && boxes[0].top < boxes[1].top;
    return boxes.filter((box) => {
      if (column) return event.clientY > box.top + box.height / 2;
      return event.clientY > box.bottom || (event.clientY > box.top && event.clientX > box.left + box.width / 2);
    }).length;
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.held) return;
    this.held.chip.classList.add("tk-held");
    const place = this.place(event);
    [...this.root.children].forEach((chip, k) => {
      chip.classList.toggle("tk-before", k === place);
      chip.classList.toggle("tk-after", k === place - 1 && place === this.count);
    });
  }

  /** @param {PointerEvent} event */
  drop(event) {
    const { held } = this;
    if (!held) return;
    const place = this.place(event);
    this.release();
    this.reorder(held.from, place > held.from ? place - 1 : place);
  }

  release() {
    this.held = null;
    for (const chip of this.root.children) chip.classList.remove("tk-held", "tk-before", "tk-after");
  }

  /** @param {number} from @param {number} to */
  reorder(from, to) {
    const order = Array.from({ length: this.count }, (_, d) => d);
    order.splice(to, 0, ...order.splice(from, 1));
    if (from !== to) this.put(order);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const chip = /** @type {HTMLElement | null} */ (nearest(event, ".tk-chip"));
    if (!chip || !event.key.startsWith("Arrow")) return;
    const from = whole(chip.dataset.dim);
    const to = from + (event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1);
    if (to < 0 || to >= this.count) return;
    event.preventDefault();
    event.stopPropagation();
    this.chip(to)?.focus();
    if (event.altKey) {
      this.reorder(from, to);
      this.say(`dimension ${from} moved to place ${to}`);
    }
  }
}
