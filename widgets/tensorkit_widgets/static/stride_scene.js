// @ts-check
/**
 * The scene of a StrideExplorer: an element, its slot, the formula and the arcs to it light up together.
 *
 * The SVG comes from Python and stays as it is; this module moves classes, fills in the formula and draws the arcs to the
 * element under the pointer, from the integers in `data-layout`. It never asks Python for a hover. Elements are the tiles
 * `t:1,0`, slots the tiles `s:4`; [data-part="slot" | "value" | "index-0" | "term-0"] are the parts of the formula.
 *
 * @typedef {import("./stride_arcs.js").Facts & { page: number | null, top: number }} Layout
 * @typedef {{ storage: string | undefined, full: Map<number, string | undefined> }} Numbers what is on a page, by slot
 */

import { BoardScene } from "./board_scene.js";
import { numbers, whole } from "./dom.js";
import { meet, slotLayout } from "./byte_overlap.js";
import { arcsTo, slotOf } from "./stride_arcs.js";

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

export class StrideScene extends BoardScene {
  /** @param {SVGSVGElement} svg @param {import("./board_scene.js").Options} options */
  constructor(svg, options) {
    super(svg, options);
    /** @type {Layout} */
    this.layout = JSON.parse(svg.dataset.layout ?? "{}");
    const tiles = [...this.tiles];
    /** @type {Map<string, SVGGElement>} the elements by their index */
    this.cells = new Map(tiles.filter(([key]) => key.startsWith("t:")).map(([key, tile]) => [key.slice(2), tile]));
    /** @type {Map<number, SVGGElement>} */
    this.slots = new Map(tiles.filter(([key]) => key.startsWith("s:")).map(([key, tile]) => [whole(key.slice(2)), tile]));
    this.storage = tiles[0]?.[1].dataset.storage;
    /** The runs of slots that the strip leaves out, with the words under each. */
    this.gaps = [...svg.querySelectorAll(".tk-gap-group")].map((part) => {
      const group = /** @type {SVGGElement} */ (part);
      const lines = [...group.querySelectorAll(".tk-gap-count")];
      return { group, from: whole(group.dataset.from), to: whole(group.dataset.to), lines, words: lines.map((line) => line.textContent ?? "") };
    });
    this.arcs = svg.querySelector(".tk-arcs");
    this.drawnArcs = this.arcs ? [...this.arcs.childNodes] : [];
    /** The frame of the lit slot, beside that of the lit element. */
    this.slotHalo = /** @type {SVGRectElement} */ (this.halo.cloneNode());
    svg.append(this.slotHalo);
    /** @type {number[] | null} the element that stays lit when the pointer leaves */
    this.resting = this.layout.focus;
    svg.addEventListener("pointermove", (event) => void rested(event), { signal: this.stop.signal });
    const slot = this.resting && slotOf(this.resting, this.layout.stride, this.layout.offset);
    this.mark(this.resting, slot ?? "", this.resting && slot !== null ? this.sentence(this.resting, slot) : "");
  }

  // ---- light

  /** @param {PointerEvent} event */
  over(event) {
    if (!rested(event)) super.over(event);
  }

  /** @param {Event} event */
  focused(event) {
    const tile = this.at(event);
    if (tile) this.show(tile, true);
  }

  /** @param {SVGGElement} tile @param {boolean} [stay] whether it is still lit when the pointer leaves */
  show(tile, stay = false) {
    const key = tile.dataset.key ?? "";
    if (key.startsWith("t:")) this.showElement(numbers(key.slice(2)), stay);
    else this.showSlot(whole(tile.dataset.slot), stay);
    this.options.onPoint?.({ storage: whole(this.storage), slot: this.slotAt(whole(tile.dataset.slot)) });
  }

  rest() {
    this.options.onPoint?.(null);
    if (this.resting) this.showElement(this.resting, true);
  }

  /** Light one element: its tile, its slot, the elements that share the slot, the formula and the arcs. @param {number[]} index @param {boolean} [stay] */
  showElement(index, stay = false) {
    const { stride, offset } = this.layout;
    const slot = slotOf(index, stride, offset);
    const key = index.join(",");
    this.lightSlot(slot, key);
    this.fill(index, slot, this.cells.get(key) ?? this.slots.get(slot));
    this.drawArcs(index);
    if (stay) {
      this.resting = index;
      for (const tile of [this.cells.get(key), this.slots.get(slot)]) if (tile) this.stopAt(tile);
    }
    this.mark(index, slot, this.sentence(index, slot));
  }

  /** Light a slot and every element that reads it. @param {number} slot @param {boolean} [stay] */
  showSlot(slot, stay = false) {
    const reader = [...this.cells].find(([, cell]) => whole(cell.dataset.slot) === slot);
    const drawn = this.slots.get(slot);
    if (stay && drawn) this.stopAt(drawn);
    if (reader) this.showElement(numbers(reader[0]));
    else {
      this.lightSlot(slot, null);
      this.mark(null, slot, drawn?.getAttribute("aria-label") ?? this.hidden(slot));
    }
  }

  /** @param {number[] | null} index @param {number | ""} slot @param {string} element */
  mark(index, slot, element) {
    this.options.mark?.({ focus: index ? index.join(",") : "", focusSlot: String(slot), element });
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
   * @param {import("./hover_bus.js").Spot} spot
   */
  point({ storage, slot, tensor }) {
    if (storage !== whole(this.storage)) return;
    const own = slot && this.around(slot);
    if (own !== null) {
      this.showSlot(own);
      return;
    }
    if (this.resting) this.showElement(this.resting);
    else this.lightSlot(NaN, null);
    const pointed = slot ?? tensor;
    if (!pointed) return;
    for (const tile of this.tiles.values()) tile.classList.toggle("tk-kin", meet(this.slotAt(whole(tile.dataset.slot)), pointed));
    for (const { group, from, to } of this.gaps) {
      group.classList.toggle("tk-kin", meet({ offset: from, size: [to - from], stride: [1], item: this.layout.item }, pointed));
    }
  }

  /** A slot of this tensor's dtype. @param {number} slot */
  slotAt(slot) {
    return slotLayout(slot, this.layout.item);
  }

  /** The slot that another picture's slot is, or lies in; null if that reaches over several. @param {import("./byte_overlap.js").Layout} slot */
  around({ offset, item }) {
    const [first, last] = [offset * item, (offset + 1) * item - 1].map((byte) => Math.floor(byte / this.layout.item));
    return first === last ? first : null;
  }

  /** @param {number} slot @param {string | null} key the index of the element */
  lightSlot(slot, key) {
    for (const [name, cell] of this.cells) {
      cell.classList.toggle("tk-lit", name === key);
      cell.classList.toggle("tk-kin", whole(cell.dataset.slot) === slot && name !== key);
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
    for (const drawn of this.drawnHalos) drawn.toggleAttribute("hidden", true);
    this.surround(this.halo, key === null ? undefined : this.cells.get(key));
    this.surround(this.slotHalo, this.slots.get(slot));
    const index = key === null ? null : numbers(key);
    for (const header of /** @type {NodeListOf<SVGTextElement>} */ (this.svg.querySelectorAll(".tk-header"))) {
      const [dim, position] = (header.dataset.at ?? "").split(":").map(whole);
      header.classList.toggle("tk-on", index !== null && index[dim] === position);
    }
  }

  // ---- the formula and the arcs

  /** @param {number[]} index @param {number} slot @param {SVGGElement | undefined} drawn where the number can be read */
  fill(index, slot, drawn) {
    index.forEach((i, d) => {
      const s = this.layout.stride[d];
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
  drawArcs(index) {
    if (!this.arcs) return;
    const { focus, page } = this.layout;
    const drawn = focus && index.join() === focus.join() ? this.drawnArcs : arcsTo(index, this.layout, (slot) => this.where(slot), page ?? NaN);
    this.arcs.replaceChildren(...drawn);
  }

  /** The place of a slot, or of the gap that hides it. @param {number} slot @returns {import("./stride_arcs.js").Place} */
  where(slot) {
    const box = this.slots.get(slot)?.querySelector("rect");
    const [x, y, width] = ["x", "y", "width"].map((side) => Number(box?.getAttribute(side)));
    if (box) return { x: Number((x + width / 2).toFixed(2)), y };
    const gap = this.gapOf(slot)?.group.dataset;
    return gap ? { x: Number(gap.cx), y: Number(gap.top) } : { x: 28, y: this.layout.top };
  }

  /** @param {number[]} index @param {number} slot */
  sentence(index, slot) {
    const { stride, offset } = this.layout;
    const terms = index.map((i, d) => ` + ${i}·${stride[d] < 0 ? `(${stride[d]})` : stride[d]}`).join("");
    const value = shown(this.cells.get(index.join(",")) ?? this.slots.get(slot));
    const sum = terms ? `storage[${offset}${terms}] = ` : "";
    return `element [${index.join(", ")}] lives at ${sum}storage[${slot}] = ${value}`;
  }

  /** The numbers that are on the page. @returns {Numbers} */
  numbers() {
    return { storage: this.storage, full: new Map([...this.tiles.values()].map(({ dataset }) => [whole(dataset.slot), dataset.full])) };
  }

  /** What has another number than in the picture before flashes, as long as the storage is the same. @param {Numbers | undefined} before */
  flash(before) {
    if (!before || before.storage !== this.storage) return;
    for (const tile of this.tiles.values()) {
      const slot = whole(tile.dataset.slot);
      tile.classList.toggle("tk-changed", before.full.has(slot) && before.full.get(slot) !== tile.dataset.full);
    }
  }

  // ---- doing

  /** The keyboard goes on beyond the window: then Python is asked for the rest. @param {SVGGElement} tile @param {string} key */
  move(tile, key) {
    const index = numbers((tile.dataset.key ?? "").slice(2));
    const last = tile.dataset.key?.startsWith("s:") ? [this.layout.slots - 1] : this.layout.size.map((n) => n - 1);
    const table = tile.dataset.key?.slice(0, 2);
    const n = last.length;
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowRight: [n - 1, 1], ArrowLeft: [n - 1, -1], ArrowDown: [n - 2, 1], ArrowUp: [n - 2, -1],
      PageDown: [n - 3, 1], PageUp: [n - 3, -1], Home: [n - 1, -Infinity], End: [n - 1, Infinity],
    };
    const move = moves[key];
    if (!move) return false;
    const [dim, by] = move;
    if (dim < 0) return key.startsWith("Arrow");
    index[dim] = Math.max(0, Math.min(last[dim], index[dim] + by));
    const to = this.tiles.get(`${table}${index.join(",")}`);
    if (to) this.rove(to);
    else this.options.onAct?.("look", `${table}${index.join(",")}`);
    return true;
  }

  /** Enter on a slot goes to the element that reads it. @param {KeyboardEvent} event */
  pressed(event) {
    const slot = this.at(event)?.dataset;
    const reader = event.key === "Enter" && slot?.key?.startsWith("s:") && [...this.cells.values()].find((cell) => cell.dataset.slot === slot.slot);
    if (!reader) return super.pressed(event);
    this.rove(reader);
    event.preventDefault();
    event.stopPropagation();
  }

  /** The tile that the Tab key stops at in its table. @param {SVGGElement} tile */
  stopAt(tile) {
    for (const other of tile.closest(".tk-table")?.querySelectorAll('[tabindex="0"]') ?? []) other.setAttribute("tabindex", "-1");
    tile.setAttribute("tabindex", "0");
  }

  /** @param {string | undefined} key */
  refocus(key) {
    if (key === undefined) return;
    const table = this.svg.querySelector(`[data-table="${key.slice(0, 1)}"] [tabindex="0"]`);
    const tile = this.tiles.get(key) ?? /** @type {SVGGElement | null} */ (table);
    if (tile) this.rove(tile);
  }
}

/** What an element's line says of its number: of a view that turns numbers, first what is stored. @param {SVGElement | undefined} drawn */
function shown(drawn) {
  const { full = "…", stored } = drawn?.dataset ?? {};
  return stored === undefined ? full : `${stored}, shown as ${full}`;
}
