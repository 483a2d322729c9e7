// @ts-check
/**
 * The way from the offset to an element, as arcs over the strip. The same arithmetic as `drawing/strip.py` and
 * `render/address.py`; a test holds the two to the same text.
 *
 * @typedef {{ size: number[], stride: number[], offset: number, slots: number, item: number, focus: number[] | null,
 *             origin: number[], count: number[] }} Facts
 * @typedef {{ dim: number, start: number, stop: number, label: string }} Hop
 * @typedef {{ x: number, y: number }} Place the middle of a slot, and the top of its line
 * @typedef {{ x1: number, x2: number, y: number, part: "" | "out" | "in" }} Arc
 */

const SVG = "http://www.w3.org/2000/svg";
const ARC_ROOM = 58;
const EDGE = 14;
const MOST_HOPS = 4;
const DIMENSIONS = 8;

/**
 * @param {number[]} index
 * @param {number[]} stride
 * @param {number} offset
 * @returns {number}
 */
export function slotOf(index, stride, offset) {
  return index.reduce((sum, i, d) => sum + i * stride[d], offset);
}

/** @param {number} value @returns {string} */
export function coordinate(value) {
  return value.toFixed(2).replace(/\.?0+$/, "");
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 100) / 100;
}

/** @param {number} value */
function signed(value) {
  return value < 0 ? `−${-value}` : `+${value}`;
}

/**
 * @param {number[]} index
 * @param {number[]} stride
 * @param {number} offset
 * @param {number[]} order
 * @returns {Hop[]}
 */
export function hops(index, stride, offset, order) {
  /** @type {Hop[]} */
  const out = [];
  let at = offset;
  for (const dim of order) {
    const i = index[dim];
    const s = stride[dim];
    const jump = s < 0 ? `${i}·(−${-s})` : `${i}·${s}`;
    const parts = i <= MOST_HOPS ? Array.from({ length: i }, () => ({ count: 1, label: signed(s) })) : [{ count: i, label: jump }];
    for (const { count, label } of parts) {
      out.push({ dim, start: at, stop: at + count * s, label });
      at += count * s;
    }
  }
  return out;
}

/** @param {number} x1 @param {number} x2 @param {number} dim */
function lift(x1, x2, dim) {
  return rounded(Math.min(ARC_ROOM - 18, 16 + Math.abs(x2 - x1) * 0.2 + 6 * (dim % 3)));
}

/**
 * A hop from one line of the strip to another goes off the page at the side and comes back to it.
 * @param {Place} start
 * @param {Place} stop
 * @param {number} page its width
 * @returns {Arc[]}
 */
function arcsOf(start, stop, page) {
  if (start.y === stop.y) return [{ x1: start.x, x2: stop.x, y: start.y, part: "" }];
  const [off, on] = stop.y > start.y ? [page - EDGE, EDGE] : [EDGE, page - EDGE];
  return [{ x1: start.x, x2: off, y: start.y, part: "out" }, { x1: on, x2: stop.x, y: stop.y, part: "in" }];
}

/**
 * @param {Arc} arc
 * @param {number} height
 * @returns {string}
 */
export function arcPath({ x1, x2, y, part }, height) {
  const c = coordinate;
  if (part) {
    const [high, middle] = [c(y - height), c((x1 + x2) / 2)];
    if (part === "out") return `M${c(x1)} ${c(y - 2)}C${c(x1)} ${high} ${middle} ${high} ${c(x2)} ${high}`;
    return `M${c(x1)} ${high}C${middle} ${high} ${c(x2)} ${high} ${c(x2)} ${c(y - 11)}`;
  }
  if (x1 === x2) {
    return `M${c(x1 - 5)} ${c(y - 2)}C${c(x1 - 24)} ${c(y - 44)} ${c(x1 + 24)} ${c(y - 44)} ${c(x1 + 5)} ${c(y - 12)}`;
  }
  const top = c(y - height * 1.33);
  return `M${c(x1)} ${c(y - 2)}C${c(x1)} ${top} ${c(x2)} ${top} ${c(x2)} ${c(y - 11)}`;
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {string} [text]
 */
function mark(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/**
 * The marks of the way to `index`: paths, heads, then labels.
 * @param {number[]} index
 * @param {Facts} facts
 * @param {(slot: number) => Place} where
 * @param {number} page its width, where the strip has several lines
 * @returns {Element[]}
 */
export function arcsTo(index, facts, where, page) {
  const order = index.map((_, d) => d);
  const moving = index.filter((i, d) => i && facts.stride[d]).length;
  /** @type {{ steps: Hop[], strong: boolean }[]} */
  const ways = [{ steps: hops(index, facts.stride, facts.offset, order), strong: true }];
  if (moving > 1) ways.unshift({ steps: hops(index, facts.stride, facts.offset, [...order].reverse()), strong: false });
  /** @type {Element[]} */
  const marks = [];
  /** @type {Element[]} */
  const labels = [];
  for (const { steps, strong } of ways) {
    for (const { dim, start, stop, label } of steps) {
      const [from, to] = [where(start), where(stop)];
      if (from.x === to.x && from.y === to.y && start !== stop) continue;
      for (const arc of arcsOf(from, to, page)) {
        const { x1, x2, y, part } = arc;
        const height = lift(x1, x2, dim);
        const kind = `tk-d${dim % DIMENSIONS}${strong ? " tk-strong" : ""}`;
        marks.push(mark("path", { class: `tk-arc ${kind}`, d: arcPath(arc, height) }));
        if (part === "out") continue;
        const x = x1 === x2 ? x2 + 5 : x2;
        marks.push(mark("path", { class: `tk-arc-head ${kind}`, d: `M${coordinate(x - 6)} ${coordinate(y - 13)}h12l-6 11z` }));
        if (!strong) continue;
        const labelY = x1 === x2 ? y - 40 : y - height - 5;
        const place = { class: `tk-mono tk-arc-label tk-d${dim % DIMENSIONS}`, x: coordinate((x1 + x2) / 2), y: coordinate(labelY) };
        labels.push(mark("text", place, label));
      }
    }
  }
  return [...marks, ...labels];
}
