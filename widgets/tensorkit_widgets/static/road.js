// @ts-check
/**
 * The road from the offset to an element, as arcs over the strip. The same arithmetic as `scene/strip.py` and
 * `render/svg.py`; a test holds the two to the same text.
 *
 * @typedef {{ size: number[], stride: number[], offset: number, slots: number, item: number, focus: number[] | null,
 *             origin: number[], count: number[] }} Facts
 * @typedef {{ dim: number, start: number, stop: number, label: string }} Hop
 */

const SVG = "http://www.w3.org/2000/svg";
const ARC_ROOM = 84;
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
 * @param {number} x1
 * @param {number} x2
 * @param {number} y
 * @param {number} height
 * @returns {string}
 */
export function arcPath(x1, x2, y, height) {
  const c = coordinate;
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
 * The marks of the road to `index`: paths, heads, then labels.
 * @param {number[]} index
 * @param {Facts} facts
 * @param {(slot: number) => number} where slot → x
 * @param {number} y the top of the strip
 * @returns {Element[]}
 */
export function roadTo(index, facts, where, y) {
  const order = index.map((_, d) => d);
  const moving = index.filter((i, d) => i && facts.stride[d]).length;
  /** @type {{ road: Hop[], strong: boolean }[]} */
  const roads = [{ road: hops(index, facts.stride, facts.offset, order), strong: true }];
  if (moving > 1) roads.unshift({ road: hops(index, facts.stride, facts.offset, [...order].reverse()), strong: false });
  /** @type {Element[]} */
  const marks = [];
  /** @type {Element[]} */
  const labels = [];
  for (const { road, strong } of roads) {
    for (const { dim, start, stop, label } of road) {
      const [x1, x2] = [where(start), where(stop)];
      if (x1 === x2 && start !== stop) continue;
      const height = lift(x1, x2, dim);
      const kind = `tk-d${dim % DIMENSIONS}${strong ? " tk-strong" : ""}`;
      marks.push(mark("path", { class: `tk-arc ${kind}`, d: arcPath(x1, x2, y, height) }));
      const x = x1 === x2 ? x2 + 5 : x2;
      marks.push(mark("path", { class: `tk-arc-head ${kind}`, d: `M${coordinate(x - 6)} ${coordinate(y - 13)}h12l-6 11z` }));
      if (!strong) continue;
      const labelY = x1 === x2 ? y - 40 : y - height - 5;
      labels.push(
        mark(
          "text",
          { class: `tk-mono tk-arc-label tk-d${dim % DIMENSIONS}`, x: coordinate((x1 + x2) / 2), y: coordinate(labelY) },
          label,
        ),
      );
    }
  }
  return [...marks, ...labels];
}
