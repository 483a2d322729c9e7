// @ts-check
/**
 * Behaviour for one drawn scene: linked hover and keyboard between the grid, the strip, the formula and the arcs.
 *
 * The SVG comes from Python and stays as it is; this module moves classes, fills in the formula and draws the road of
 * the element under the pointer, from the integers in `data-facts`. It never asks Python for a hover.
 *
 * @typedef {import("./stride_arcs.js").Facts} Facts
 * @typedef {{
 *   onFocus?: (focus: { index: number[] | null, slot: number, said: string }) => void,
 *   onLook?: (target: { focus?: number[], slot?: number }) => void,
 *   onEdit?: (cell: SVGGElement, index: number[], typed?: string) => void,
 *   onStep?: (step: number) => void,
 *   onRemove?: (step: number) => void,
 *   onNext?: () => void,
 *   onPoint?: (slot: import("./byte_overlap.js").Layout | null) => void,
 *   onSwap?: (a: number, b: number) => void,
 *   say?: (words: string) => void,
 * }} Options
 */

import { nearest, numbers, whole } from "./dom.js";
import { axes } from "./stride_drag_axes.js";
import { meet, slotLayout } from "./byte_overlap.js";
import { roadTo, slotOf } from "./stride_arcs.js";

/** Where the pointer last moved. A repaint under a resting pointer is no pointing: the keyboard keeps its element. */
const pointer = { x: NaN, y: NaN };

/** @param {Event} event @returns {boolean} */
function rested(event) {
  if (!(event instanceof PointerEvent)) return false;
  const same = event.clientX === pointer.x && event.clientY === pointer.y;
  pointer.x = event.clientX;
  pointer.y = event.clientY;
  return same;
}

/**
 * Put the frame of the lit cell around a cell, or away.
 * @param {Element | null} halo
 * @param {SVGGElement | undefined} cell
 */
function frame(halo, cell) {
  const box = cell?.querySelector("rect");
  for (const side of ["x", "y", "width", "height"]) halo?.setAttribute(side, box?.getAttribute(side) ?? "0");
}

export class LiveScene {
  /**
   * @param {SVGSVGElement} svg
   * @param {Options} options
   */
  constructor(svg, options) {
    this.svg = svg;
    this.options = options;
    /** @type {Facts} */
    this.facts = JSON.parse(svg.dataset.facts ?? "{}");
    /** @type {Map<string, SVGGElement>} */
    this.cells = new Map();
    /** @type {Map<number, SVGGElement>} */
    this.slots = new Map();
    for (const cell of this.all(".tk-cell")) this.cells.set(cell.dataset.index ?? "", cell);
    for (const slot of this.all(".tk-slot")) this.slots.set(whole(slot.dataset.slot), slot);
    /** The runs of slots that the strip leaves out, with the words under each. */
    this.gaps = this.all(".tk-gap-group").map((group) => {
      const lines = [...group.querySelectorAll(".tk-gap-count")];
      const [from, to] = [whole(group.dataset.from), whole(group.dataset.to)];
      return { group, from, to, lines, words: lines.map((line) => line.textContent ?? "") };
    });
    this.arcs = svg.querySelector(".tk-arcs");
    this.drawnArcs = this.arcs ? [...this.arcs.childNodes] : [];
    /** @type {number[] | null} the element that stays lit when the pointer leaves */
    this.resting = this.facts.focus;
    this.stop = new AbortController();
    this.wire();
    axes(svg, options, this.stop.signal);
    if (this.slots.size) this.rove(this.all(".tk-slot"), this.lit(".tk-slot") ?? this.all(".tk-slot")[0]);
  }

  /** @param {string} selector @returns {SVGGElement[]} */
  all(selector) {
    return /** @type {SVGGElement[]} */ ([...this.svg.querySelectorAll(selector)]);
  }

  /** @param {string} selector */
  lit(selector) {
    return this.all(selector).find((part) => part.classList.contains("tk-lit"));
  }

  wire() {
    const how = { signal: this.stop.signal };
    this.svg.addEventListener("pointerover", (event) => this.over(event), how);
    this.svg.addEventListener("pointermove", (event) => void rested(event), how);
    this.svg.addEventListener("pointerleave", () => this.rest(), how);
    this.svg.addEventListener("click", (event) => this.click(event), how);
    this.svg.addEventListener("dblclick", (event) => this.edit(nearest(event, ".tk-cell")), how);
    this.svg.addEventListener("keydown", (event) => this.key(event), how);
    this.svg.addEventListener("focusin", (event) => this.over(event, true), how);
  }

  dispose() {
    this.stop.abort();
  }

  // ---- lighting

  /** @param {Event} event @param {boolean} [stay] */
  over(event, stay = false) {
    if (rested(event)) return;
    const cell = /** @type {SVGGElement | null} */ (nearest(event, ".tk-cell"));
    const slot = /** @type {SVGGElement | null} */ (nearest(event, ".tk-slot"));
    if (cell) this.showElement(numbers(cell.dataset.index), stay);
    else if (slot) this.showSlot(whole(slot.dataset.slot), stay);
    else return;
    const pointed = cell ?? slot;
    this.options.onPoint?.(this.layout(whole(pointed?.dataset.slot)));
  }

  rest() {
    this.options.onPoint?.(null);
    if (this.resting) this.showElement(this.resting, true);
  }

  /**
   * Light one element: its cell, its slot, the cells that share the slot, the formula and the road.
   * @param {number[]} index
   * @param {boolean} [stay] whether it is still lit when the pointer leaves
   */
  showElement(index, stay = false) {
    const slot = slotOf(index, this.facts.stride, this.facts.offset);
    const key = index.join(",");
    this.light(slot, key);
    this.fill(index, slot, this.cells.get(key) ?? this.slots.get(slot));
    this.road(index);
    if (stay) {
      this.resting = index;
      const [cell, drawn] = [this.cells.get(key), this.slots.get(slot)];
      if (cell) this.rove(this.all(".tk-cell"), cell);
      if (drawn) this.rove(this.all(".tk-slot"), drawn);
    }
    this.options.onFocus?.({ index, slot, said: this.sentence(index, slot) });
  }

  /**
   * Light a slot and every element that reads it.
   * @param {number} slot
   * @param {boolean} [stay]
   */
  showSlot(slot, stay = false) {
    const reader = [...this.cells.values()].find((cell) => whole(cell.dataset.slot) === slot);
    const drawn = this.slots.get(slot);
    if (stay && drawn) this.rove(this.all(".tk-slot"), drawn);
    if (reader) {
      this.showElement(numbers(reader.dataset.index));
      return;
    }
    this.light(slot, null);
    this.options.onFocus?.({ index: null, slot, said: drawn?.getAttribute("aria-label") ?? this.hidden(slot) });
  }

  /** The gap of the strip in which a slot lies. @param {number} slot */
  gapOf(slot) {
    return this.gaps.find(({ from, to }) => slot >= from && slot < to);
  }

  /** Where a slot is that is not drawn. @param {number} slot */
  hidden(slot) {
    const gap = this.gapOf(slot);
    const where = gap ? `: it is one of slots ${gap.from} to ${gap.to - 1}, which the strip leaves out` : "";
    return `slot ${slot} is not drawn here${where}`;
  }

  /**
   * Light a slot because another picture of the same storage points at it or at a part of it; if it is not drawn, the gap
   * that it lies in. If that is a larger slot, or all that a tensor reads, whatever lies in it is lit. Neither goes back to rest.
   * @param {import("./byte_overlap.js").Layout | null} slot
   * @param {import("./byte_overlap.js").Layout | null} [tensor]
   */
  point(slot, tensor) {
    const own = slot && this.around(slot);
    if (own !== null) {
      this.showSlot(own);
      return;
    }
    if (this.resting) this.showElement(this.resting);
    else this.light(NaN, null);
    const pointed = slot ?? tensor;
    if (!pointed) return;
    for (const [at, part] of [...this.byslot(), ...this.slots]) part.classList.toggle("tk-kin", meet(this.layout(at), pointed));
    for (const { group, from, to } of this.gaps) {
      group.classList.toggle("tk-kin", meet({ offset: from, size: [to - from], stride: [1], item: this.facts.item }, pointed));
    }
  }

  /** A slot of this tensor's dtype. @param {number} slot */
  layout(slot) {
    return slotLayout(slot, this.facts.item);
  }

  /** The slot that another picture's slot is, or lies in; null if that reaches over several. @param {import("./byte_overlap.js").Layout} slot */
  around({ offset, item }) {
    const [first, last] = [offset * item, (offset + 1) * item - 1].map((byte) => Math.floor(byte / this.facts.item));
    return first === last ? first : null;
  }

  /** @param {number} slot @param {string | null} key */
  light(slot, key) {
    for (const [name, cell] of this.cells) {
      const same = whole(cell.dataset.slot) === slot;
      cell.classList.toggle("tk-lit", name === key);
      cell.classList.toggle("tk-kin", same && name !== key);
      cell.setAttribute("aria-selected", String(name === key));
    }
    for (const [number, drawn] of this.slots) {
      drawn.classList.toggle("tk-lit", number === slot);
      drawn.classList.remove("tk-kin");
      drawn.setAttribute("aria-selected", String(number === slot));
    }
    for (const { group, lines, words } of this.gaps) {
      const here = group === this.gapOf(slot)?.group;
      group.classList.toggle("tk-lit", here);
      group.classList.remove("tk-kin");
      lines.forEach((line, k) => { line.textContent = here ? ["slot", String(slot)][k] : words[k]; });
    }
    frame(this.svg.querySelector(".tk-grid > .tk-halo"), key === null ? undefined : this.cells.get(key));
    frame(this.svg.querySelector(".tk-strip > .tk-halo"), this.slots.get(slot));
    const index = key === null ? null : numbers(key);
    for (const header of this.all(".tk-header")) {
      const on = index !== null && index[whole(header.dataset.dim)] === whole(header.dataset.position);
      header.classList.toggle("tk-on", on);
    }
  }

  /**
   * @param {number[]} index
   * @param {number} slot
   * @param {SVGGElement | undefined} drawn where the number can be read
   */
  fill(index, slot, drawn) {
    index.forEach((i, d) => {
      const s = this.facts.stride[d];
      this.write(`index-${d}`, String(i));
      this.write(`term-${d}`, s < 0 ? `${i}·(${s})` : `${i}·${s}`);
    });
    this.write("slot", String(slot));
    this.write("value", shown(drawn));
  }

  /** @param {string} part @param {string} words */
  write(part, words) {
    const span = this.svg.querySelector(`[data-part="${part}"]`);
    if (span && span.textContent !== words) span.textContent = words;
  }

  /** @param {number[]} index */
  road(index) {
    if (!this.arcs) return;
    if (this.facts.focus && index.join() === this.facts.focus.join()) {
      this.arcs.replaceChildren(...this.drawnArcs);
      return;
    }
    const page = Number(/** @type {SVGElement} */ (this.arcs).dataset.page);
    this.arcs.replaceChildren(...roadTo(index, this.facts, (slot) => this.where(slot), page));
  }

  /** @returns {[number, SVGGElement][]} the cells of the grid by their slot */
  byslot() {
    return [...this.cells.values()].map((cell) => [whole(cell.dataset.slot), cell]);
  }

  /** The place of a slot, or of the gap that hides it. @param {number} slot @returns {import("./stride_arcs.js").Place} */
  where(slot) {
    const drawn = this.slots.get(slot);
    if (drawn) return { x: Number(drawn.dataset.cx), y: Number(drawn.querySelector("rect")?.getAttribute("y")) };
    const gap = this.gapOf(slot)?.group.dataset;
    return gap ? { x: Number(gap.cx), y: Number(gap.top) } : { x: 28, y: Number(/** @type {SVGElement} */ (this.arcs).dataset.y) };
  }

  /** @param {number[]} index @param {number} slot */
  sentence(index, slot) {
    const { stride, offset } = this.facts;
    const terms = index.map((i, d) => ` + ${i}·${stride[d] < 0 ? `(${stride[d]})` : stride[d]}`).join("");
    const value = shown(this.cells.get(index.join(",")) ?? this.slots.get(slot));
    const sum = terms ? `storage[${offset}${terms}] = ` : "";
    return `element [${index.join(", ")}] lives at ${sum}storage[${slot}] = ${value}`;
  }

  // ---- doing

  /** @param {MouseEvent} event */
  click(event) {
    const { options } = this;
    const data = (/** @type {string} */ role) =>
      /** @type {SVGGElement | null} */ (nearest(event, `[data-role="${role}"]`))?.dataset;
    const remove = data("remove");
    const step = data("step");
    const gap = data("gap");
    if (remove) options.onRemove?.(whole(remove.step));
    else if (step) options.onStep?.(whole(step.step));
    else if (data("next-step")) options.onNext?.();
    else if (gap) options.onLook?.({ slot: Math.floor((whole(gap.from) + whole(gap.to)) / 2) });
    const cell = /** @type {SVGGElement | null} */ (nearest(event, ".tk-cell, .tk-slot"));
    cell?.focus({ preventScroll: true });
  }

  /** @param {Element | null} cell @param {string} [typed] the first character, when typing began on the cell itself */
  edit(cell, typed) {
    const part = /** @type {SVGGElement | null} */ (cell);
    if (part?.classList.contains("tk-cell")) this.options.onEdit?.(part, numbers(part.dataset.index), typed);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const cell = /** @type {SVGGElement | null} */ (nearest(event, ".tk-cell"));
    const slot = /** @type {SVGGElement | null} */ (nearest(event, ".tk-slot"));
    let used = false;
    if (cell) used = this.keyInGrid(event, cell);
    else if (slot) used = this.keyInStrip(event, slot);
    else if (event.key === "Enter" || event.key === " ") used = this.press(event);
    else if (event.key === "Delete" || event.key === "Backspace") {
      const step = /** @type {SVGGElement | null} */ (nearest(event, '[data-role="step"]'));
      used = step !== null && whole(step.dataset.step) > 0;
      if (used) this.options.onRemove?.(whole(step?.dataset.step));
    }
    if (used) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const button = nearest(event, '[data-role="step"], [data-role="remove"], [data-role="gap"], [data-role="next-step"]');
    if (!button) return false;
    button.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    return true;
  }

  /** @param {KeyboardEvent} event @param {SVGGElement} cell */
  keyInGrid(event, cell) {
    const index = numbers(cell.dataset.index);
    const { size } = this.facts;
    const n = size.length;
    if (event.key === "Enter" || event.key === "F2") {
      this.edit(cell);
      return true;
    }
    if (/^[-+.\d]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      this.edit(cell, event.key);
      return true;
    }
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowRight: [n - 1, 1], ArrowLeft: [n - 1, -1], ArrowDown: [n - 2, 1], ArrowUp: [n - 2, -1],
      PageDown: [n - 3, 1], PageUp: [n - 3, -1], Home: [n - 1, -Infinity], End: [n - 1, Infinity],
    };
    const move = moves[event.key];
    if (!move) return false;
    const [dim, by] = move;
    if (dim < 0) return event.key.startsWith("Arrow");
    index[dim] = Math.max(0, Math.min(size[dim] - 1, index[dim] + by));
    this.goTo(index);
    return true;
  }

  /** @param {number[]} index */
  goTo(index) {
    const cell = this.cells.get(index.join(","));
    if (cell) cell.focus();
    else this.options.onLook?.({ focus: index });
  }

  /** @param {KeyboardEvent} event @param {SVGGElement} slot */
  keyInStrip(event, slot) {
    const number = whole(slot.dataset.slot);
    if (event.key === "Enter") {
      const reader = [...this.cells.values()].find((cell) => whole(cell.dataset.slot) === number);
      reader?.focus();
      return reader !== undefined;
    }
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined) return false;
    const to = Math.max(0, Math.min(this.facts.slots - 1, number + by));
    const drawn = this.slots.get(to);
    if (drawn) drawn.focus();
    else this.options.onLook?.({ slot: to });
    return true;
  }

  /** One stop of the Tab key for a whole group. @param {SVGGElement[]} group @param {SVGGElement} stop */
  rove(group, stop) {
    for (const part of group) part.setAttribute("tabindex", part === stop ? "0" : "-1");
  }
}

/** What an element's line says of its number: of a view that turns numbers, first what is stored. @param {SVGElement | undefined} drawn */
function shown(drawn) {
  const { full = "…", stored } = drawn?.dataset ?? {};
  return stored === undefined ? full : `${stored}, shown as ${full}`;
}
