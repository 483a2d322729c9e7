// @ts-check
/**
 * Which bytes of a storage tensors read, and whether two of them read one in common: exact for any strides and any two
 * dtypes, without a list of the bytes, so that a tensor of any size answers at once.
 *
 * `offset` and `stride` count elements, and an element has `item` bytes.
 *
 * @typedef {{ offset: number, size: number[], stride: number[], item: number }} Layout
 */

import { numbers, whole } from "./dom.js";

/** One slot, as a layout. @param {number} slot @param {number} item its bytes @returns {Layout} */
export function slotLayout(slot, item) {
  return { offset: slot, size: [], stride: [], item };
}

/** The slot that a tile shows: its `data-slot`, `data-item`. @param {DOMStringMap} data @returns {Layout | null} */
export function slotOfTile({ slot, item }) {
  return slot && item ? slotLayout(whole(slot), whole(item)) : null;
}

/** What a part of a picture stands for: its `data-offset`, `data-size`, `data-stride`, `data-item`. @param {DOMStringMap} data @returns {Layout} */
export function layoutOf({ offset, size, stride, item }) {
  return { offset: whole(offset), size: numbers(size), stride: numbers(stride), item: whole(item) };
}

/** Whether two tensors on one storage have a byte in common. @param {Layout} a @param {Layout} b */
export function meet(a, b) {
  if (a.size.includes(0) || b.size.includes(0)) return false;
  const unit = divisor(a.item, b.item);
  /** @type {Map<number, number>} how many steps there are of each length */
  const steps = new Map();
  const [from, to] = [inUnits(a, unit), inUnits(b, unit)];
  let target = to.offset - from.offset;
  // offset_a + Σ i·s = offset_b + Σ j·t, with every step turned to run upwards.
  for (const { size, stride, sign } of [{ ...from, sign: 1 }, { ...to, sign: -1 }]) {
    size.forEach((n, d) => {
      const step = sign * stride[d];
      if (step < 0) target -= (n - 1) * step;
      if (step !== 0 && n > 1) steps.set(Math.abs(step), (steps.get(Math.abs(step)) ?? 0) + n - 1);
    });
  }
  return sums([...steps].sort(([s], [t]) => t - s), target);
}

/** A layout that counts in units of so many bytes: what an element is made of is one more dimension. @param {Layout} layout @param {number} unit */
function inUnits({ offset, size, stride, item }, unit) {
  const many = item / unit;
  return { offset: offset * many, size: [...size, many], stride: [...stride.map((step) => step * many), 1] };
}

/**
 * Whether whole numbers 0 ≤ kᵢ ≤ countᵢ make Σ kᵢ·stepᵢ = target. The term that leaves the fewest k to try comes first.
 * @param {[number, number][]} terms pairs (step, count): the steps are positive, longest first
 * @param {number} target
 * @returns {boolean}
 */
function sums(terms, target) {
  const all = reach(terms);
  if (hopeless(terms, target, all)) return false;
  if (!terms.length) return true;
  let [chosen, low, high] = [0, 0, Infinity];
  terms.forEach(([step, count], at) => {
    const least = Math.max(0, Math.ceil((target - (all - step * count)) / step));
    const most = Math.min(count, Math.floor(target / step));
    if (most - least < high - low) [chosen, low, high] = [at, least, most];
  });
  const rest = terms.filter((_, at) => at !== chosen);
  for (let k = high; k >= low; k--) if (sums(rest, target - k * terms[chosen][0])) return true;
  return false;
}

/**
 * Whether the sum is out of the question however the terms are cut in two: the long steps make multiples of their common
 * divisor, and the short ones have to make up what is missing. So rows that only ever pass between the rows of another
 * tensor are not tried one by one.
 * @param {[number, number][]} terms @param {number} target @param {number} short what the terms reach
 */
function hopeless(terms, target, short) {
  let [common, long] = [0, 0];
  for (let cut = 0; ; cut++) {
    const most = Math.min(long, target);
    if (most < 0 || (common ? most - (most % common) : 0) + short < target) return true;
    if (cut === terms.length) return false;
    const [step, count] = terms[cut];
    common = divisor(common, step);
    long += step * count;
    short -= step * count;
  }
}

/** The largest sum that there is. @param {[number, number][]} terms */
function reach(terms) {
  return terms.reduce((sum, [step, count]) => sum + step * count, 0);
}

/** @param {number} a @param {number} b @returns {number} */
function divisor(a, b) {
  return b ? divisor(b, a % b) : a;
}
