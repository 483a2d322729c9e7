// @ts-check
/**
 * The tiles of a board under the learner's hands. Hover or arrow keys light a tile with its kin (the tiles that belong to
 * it) and every tile that shows a byte of the same slot; Enter, space or a click asks for the tile's action. Python is never asked for a hover.
 *
 * Other parts of a picture can be pressed too (cards, gaps): they have data-action and data-key as tiles have. Arrows of
 * dimensions with data-role="axis" are dragged onto one another.
 *
 * @typedef {{
 *   onAct?: (action: string, key: string, text?: string) => void,
 *   onEdit?: (tile: SVGGElement, typed?: string) => void,
 *   mark?: (data: Record<string, string>) => void,
 *   onPoint?: (spot: import("./hover_bus.js").Spot | null) => void,
 *   onStep?: (how: "step" | "back" | "run" | "reset") => void,
 *   onZoom?: (zoom: number) => void,
 *   say?: (words: string, key?: string) => void,
 *   frame?: HTMLElement,
 * }} Options a scene of any board takes these; ``frame`` is the element that scrolls
 */

import { nearest, numbers, whole } from "./dom.js";
import { meet, slotOfTile } from "./byte_overlap.js";
import { axes } from "./drag_axes.js";
import { pin, reveal } from "./in_sight.js";

const TILE = ".tk-tile";
const BUTTON = "[data-action]:not(.tk-tile)";

/**
 * A drag over tiles. Python paints in the midst of it, so it belongs to the place of the picture and not to one picture.
 * @type {{ host: Element | null, action: string, key: string, tile: SVGGElement, moved: boolean } | null}
 */
let sweep = null;
/** The click that ends a drag is no press. */
let swallow = false;

export class BoardScene {
  /** @param {SVGSVGElement} svg @param {Options} options */
  constructor(svg, options) {
    this.svg = svg;
    this.options = options;
    /** @type {Map<string, SVGGElement>} */
    this.tiles = new Map();
    for (const tile of /** @type {NodeListOf<SVGGElement>} */ (svg.querySelectorAll(TILE))) this.tiles.set(tile.dataset.key ?? "", tile);
    /** @type {Map<Element, Element[][]>} */
    this.tables = new Map();
    for (const table of svg.querySelectorAll('.tk-table[role="grid"]')) {
      this.tables.set(table, [...table.querySelectorAll('[role="row"]')].map((row) => [...row.querySelectorAll(TILE)]));
    }
    /** @type {Element[]} */
    this.wires = [...svg.querySelectorAll(".tk-link[data-ends]")];
    /** @type {{ row: number, column: number, rows: number, columns: number } | null} the pixel that is framed, in a tile of pixels */
    this.pixel = null;
    /** What Python drew as lit comes back when the pointer leaves. */
    this.drawnLit = new Set([...this.tiles.values()].filter((tile) => tile.classList.contains("tk-lit")));
    /** Whether tiles are chosen here: then those that Python drew as lit stay lit, wherever the pointer is. */
    this.choosing = [...this.tiles.values()].some(chooses);
    /** @type {SVGRectElement[]} the frames that Python drew around them */
    this.drawnHalos = [...svg.querySelectorAll(".tk-halo")].map((halo) => /** @type {SVGRectElement} */ (halo));
    /** The frame of the tile under the pointer, above everything else. */
    this.halo = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    this.halo.setAttribute("class", "tk-halo");
    svg.append(this.halo);
    this.frame(null);
    this.stop = new AbortController();
    const { signal } = this.stop;
    this.resized();
    options.frame?.addEventListener("scroll", () => this.resized(), { signal, passive: true });
    svg.addEventListener("pointerover", (event) => this.over(event), { signal });
    svg.addEventListener("pointermove", (event) => this.overPixel(event), { signal });
    svg.addEventListener("pointerleave", () => this.rest(), { signal });
    svg.addEventListener("pointerdown", (event) => this.down(event), { signal });
    svg.addEventListener("focusin", (event) => this.focused(event), { signal });
    svg.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node && svg.contains(event.relatedTarget))) this.rest();
    }, { signal });
    svg.addEventListener("click", (event) => this.clicked(event), { signal });
    svg.addEventListener("dblclick", (event) => this.edit(this.at(event)), { signal });
    svg.addEventListener("keydown", (event) => this.pressed(event), { signal });
    axes(svg, { onSwap: (a, b) => options.onAct?.("swap", `${a},${b}`), say: options.say }, signal);
    document.addEventListener("pointerup", () => this.up(), { signal });
    document.addEventListener("pointercancel", () => this.up(), { signal });
  }

  /** @param {Event} event */
  at(event) {
    return /** @type {SVGGElement | null} */ (nearest(event, TILE));
  }

  // ---- light

  /** @param {PointerEvent} event */
  over(event) {
    const tile = this.at(event);
    if (!tile) return;
    this.show(tile);
    this.sweepOver(tile, event);
  }

  /** The frame is around the very pixel under the pointer, and its place is said. @param {PointerEvent} event */
  overPixel(event) {
    const tile = this.at(event);
    const pixel = tile && pixelAt(tile, event);
    if (tile && pixel) this.framePixel(tile, pixel);
  }

  /** @param {SVGGElement} tile @param {{ row: number, column: number, rows: number, columns: number }} pixel */
  framePixel(tile, pixel) {
    this.pixel = pixel;
    const box = /** @type {SVGRectElement} */ (tile.querySelector("rect"));
    const [x, y, width, height] = ["x", "y", "width", "height"].map((side) => Number(box.getAttribute(side)));
    const [wide, high] = [width / pixel.columns, height / pixel.rows];
    // Around it, not over it: a pixel may be smaller than the frame is thick.
    const place = { x: x + pixel.column * wide - 3, y: y + pixel.row * high - 3, width: wide + 6, height: high + 6 };
    for (const [side, value] of Object.entries(place)) this.halo.setAttribute(side, String(value));
    this.options.say?.(`row ${pixel.row}, column ${pixel.column}`);
  }

  /** Bits are dragged over: each tile that the pointer enters with the button down is pressed once. @param {SVGGElement} tile @param {PointerEvent} event */
  sweepOver(tile, event) {
    const { action, key } = tile.dataset;
    if (!sweep || sweep.host !== this.svg.parentElement || event.buttons !== 1 || action !== sweep.action || key === sweep.key) return;
    if (!sweep.moved) this.act(sweep.tile);
    sweep = { ...sweep, key: key ?? "", moved: true };
    this.act(tile);
  }

  /** @param {PointerEvent} event */
  down(event) {
    const tile = this.at(event);
    const { action, key } = tile?.dataset ?? {};
    sweep = null;
    if (!tile || !action || action === "edit" || event.button !== 0) return;
    sweep = { host: this.svg.parentElement, action, key: key ?? "", tile, moved: false };
    // A finger keeps what it touched first, unless it is told to let go.
    if (event.target instanceof Element && event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
  }

  up() {
    if (sweep?.moved) {
      swallow = true;
      setTimeout(() => {
        swallow = false;
      });
    }
    sweep = null;
  }

  /** @param {Event} event */
  focused(event) {
    const tile = this.at(event);
    if (tile) this.show(tile);
  }

  /** Light a tile and what belongs to it. @param {SVGGElement} tile */
  show(tile) {
    this.light(tile);
    this.options.say?.(tile.getAttribute("aria-label") ?? tile.dataset.said ?? "", tile.dataset.key);
    this.options.onPoint?.(tile.dataset.storage ? { storage: whole(tile.dataset.storage), slot: slotOfTile(tile.dataset) } : null);
  }

  /** Put the frame around a tile, or away: then those that Python drew are back. @param {SVGGElement | null} tile */
  frame(tile) {
    this.surround(this.halo, tile);
    for (const drawn of this.drawnHalos) drawn.toggleAttribute("hidden", tile !== null && !this.choosing);
  }

  /** Put a frame around a tile, or away; it goes with the storage where that stays in sight. @param {SVGRectElement} halo @param {SVGGElement | null | undefined} tile */
  surround(halo, tile) {
    const box = tile?.querySelector("rect");
    for (const side of ["x", "y", "width", "height"]) halo.setAttribute(side, box?.getAttribute(side) ?? "0");
    const pinned = this.svg.querySelector(".tk-pinned");
    if (tile && pinned?.contains(tile)) pinned.append(halo);
    else this.svg.insertBefore(halo, pinned);
  }

  /** @param {SVGGElement} tile */
  light(tile) {
    this.frame(tile);
    const key = tile.dataset.key ?? "";
    const kin = new Set((tile.dataset.kin ?? "").split(" "));
    const { storage } = tile.dataset;
    const slot = slotOfTile(tile.dataset);
    for (const [name, other] of this.tiles) {
      const same = slot !== null && reads(other, whole(storage), slot);
      const asked = kin.has(name) || (other.dataset.kin ?? "").split(" ").includes(key);
      // What lies under a clear tile stays in sight; where pressing chooses, the chosen ones stay lit.
      const under = other === tile && !chooses(tile) && !tile.dataset.grid;
      other.classList.toggle("tk-lit", under || (this.choosing && this.drawnLit.has(other)));
      other.classList.toggle("tk-kin", other !== tile && (same || asked));
    }
    for (const wire of this.wires) wire.classList.toggle("tk-lit", (/** @type {SVGElement} */ (wire).dataset.ends ?? "").split(" ").includes(key));
  }

  rest() {
    this.frame(null);
    for (const tile of this.tiles.values()) {
      tile.classList.toggle("tk-lit", this.drawnLit.has(tile));
      tile.classList.remove("tk-kin");
    }
    for (const wire of this.wires) wire.classList.remove("tk-lit");
    this.options.onPoint?.(null);
  }

  /**
   * Another picture points at a slot of this storage, or at all that a tensor reads.
   * @param {import("./hover_bus.js").Spot} spot
   */
  point({ storage, slot, tensor }) {
    const pointed = slot ?? tensor ?? null;
    for (const tile of this.tiles.values()) tile.classList.toggle("tk-kin", pointed !== null && reads(tile, storage, pointed));
  }

  // ---- doing

  /** @param {MouseEvent} event */
  clicked(event) {
    const tile = this.at(event);
    const button = /** @type {SVGGElement | null} */ (nearest(event, BUTTON));
    if (button) this.act(button);
    if (!tile) return;
    if (tile.hasAttribute("tabindex")) this.rove(tile);
    const pixel = pixelAt(tile, event);
    if (pixel && !swallow) this.actPixel(tile, pixel);
    else if (!swallow) this.act(tile);
  }

  /** @param {SVGGElement} tile @param {{ row: number, column: number }} pixel */
  actPixel(tile, pixel) {
    this.options.onAct?.(tile.dataset.action ?? "", `${tile.dataset.key}:${pixel.row},${pixel.column}`);
  }

  /** @param {SVGGElement} part */
  act(part) {
    const { action, key } = part.dataset;
    if (action && action !== "edit") this.options.onAct?.(action, key ?? "");
  }

  /** @param {SVGGElement | null} tile @param {string} [typed] the first character, when typing began on the tile itself */
  edit(tile, typed) {
    if (tile?.dataset.action === "edit") this.options.onEdit?.(tile, typed);
  }

  /** A card or a gap is pressed, or a card of the chain taken away. @param {KeyboardEvent} event @param {SVGGElement} button */
  pressedButton(event, button) {
    const removes = ["Delete", "Backspace"].includes(event.key) && button.dataset.action === "chain-step" && whole(button.dataset.key) > 0;
    if (removes) this.options.onAct?.("remove", button.dataset.key ?? "");
    else if (event.key === "Enter" || event.key === " ") this.act(button);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const tile = this.at(event);
    const button = /** @type {SVGGElement | null} */ (nearest(event, BUTTON));
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (button) this.pressedButton(event, button);
    if (!tile) return;
    const edits = tile.dataset.action === "edit";
    if (edits && (event.key === "F2" || /^[-+.\d]$/.test(event.key))) this.edit(tile, event.key === "F2" ? undefined : event.key);
    else if (event.key === "Enter" || event.key === " ") {
      if (edits) this.edit(tile);
      else if (tile.dataset.grid) this.actPixel(tile, this.pixel ?? pixelOf(tile));
      else this.act(tile);
    } else if (!this.move(tile, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Arrow keys go from tile to tile of one table; Page Up and Down to the next table. @param {SVGGElement} tile @param {string} key */
  move(tile, key) {
    const table = tile.closest(".tk-table");
    const rows = table && this.tables.get(table);
    if (!rows) return false;
    const step = tile.dataset.grid && /** @type {Record<string, [number, number]>} */ ({ ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] })[key];
    if (step) {
      const at = this.pixel ?? pixelOf(tile);
      this.framePixel(tile, { ...at, row: clamped(at.row + step[0], at.rows), column: clamped(at.column + step[1], at.columns) });
      return true;
    }
    if (key === "PageDown" || key === "PageUp") {
      const all = [...this.tables.keys()];
      const next = this.tables.get(all[all.indexOf(table) + (key === "PageDown" ? 1 : -1)]);
      if (next?.[0]?.[0]) this.rove(/** @type {SVGGElement} */ (next[0][0]));
      return true;
    }
    const y = rows.findIndex((row) => row.includes(tile));
    const x = rows[y].indexOf(tile);
    /** @type {Record<string, [number, number]>} */
    const moves = { ArrowRight: [y, x + 1], ArrowLeft: [y, x - 1], ArrowDown: [y + 1, x], ArrowUp: [y - 1, x], Home: [y, 0], End: [y, rows[y].length - 1] };
    const to = moves[key];
    if (!to) return false;
    const row = rows[Math.max(0, Math.min(to[0], rows.length - 1))];
    this.rove(/** @type {SVGGElement} */ (row[Math.max(0, Math.min(to[1], row.length - 1))]));
    return true;
  }

  /** One stop of the Tab key for a whole table. @param {SVGGElement} tile */
  rove(tile) {
    for (const other of tile.closest(".tk-table")?.querySelectorAll('[tabindex="0"]') ?? []) other.setAttribute("tabindex", "-1");
    tile.setAttribute("tabindex", "0");
    tile.focus({ preventScroll: true });
    reveal(tile, this.options.frame);
  }

  /** Give the keyboard back to a tile after a repaint. @param {string | undefined} key */
  refocus(key) {
    const tile = key === undefined ? undefined : this.tiles.get(key);
    if (tile?.hasAttribute("tabindex")) this.rove(tile);
  }

  /** The frame has another size, or was scrolled. */
  resized() {
    pin(this.svg, this.options.frame);
  }

  dispose() {
    this.stop.abort();
  }
}

/** Whether pressing a tile chooses it: the pointer alone does not light it. @param {SVGGElement} tile */
function chooses({ dataset }) {
  return dataset.action === "pick";
}

/**
 * The pixel of a tile with a grid that is under the pointer; null for any other tile.
 * @param {SVGGElement} tile @param {MouseEvent} event
 */
function pixelAt(tile, event) {
  const box = /** @type {SVGRectElement | null} */ (tile.dataset.grid ? tile.querySelector("rect") : null);
  const screen = box?.getScreenCTM(); // its own place, whatever frame is drawn around it
  if (!box || !screen) return null;
  const [left, top, width, height] = ["x", "y", "width", "height"].map((side) => Number(box.getAttribute(side)));
  const [rows, columns] = numbers(tile.dataset.grid);
  const [x, y] = [(event.clientX - screen.e) / screen.a, (event.clientY - screen.f) / screen.d];
  return { row: clamped(((y - top) / height) * rows, rows), column: clamped(((x - left) / width) * columns, columns), rows, columns };
}

/** The pixel of a tile with a grid that Python says is looked at. @param {SVGGElement} tile */
function pixelOf(tile) {
  const [rows, columns, row, column] = numbers(tile.dataset.grid);
  return { row, column, rows, columns };
}

/** A whole number of at least 0 and below a count. @param {number} place @param {number} count */
function clamped(place, count) {
  return Math.max(0, Math.min(count - 1, Math.floor(place)));
}

/** Whether a tile shows a byte of what is pointed at. @param {SVGGElement} tile @param {number} storage @param {import("./byte_overlap.js").Layout} pointed */
function reads({ dataset }, storage, pointed) {
  const slot = slotOfTile(dataset);
  return slot !== null && whole(dataset.storage) === storage && meet(slot, pointed);
}
