// @ts-check
/**
 * Which slots of a storage tensors read, and whether two of them read one in common: exact for any strides, without a
 * list of the slots, so that a tensor of any size answers at once.
 *
 * @typedef {{ offset: number, size: number[], stride: number[] }} Layout
 */

import { numbers, whole } from "./dom.js";

/** One slot, as a layout. @param {number} slot @returns {Layout} */
export function slotLayout(slot) {
  return { offset: slot, size: [], stride: [] };
}

/** What a part of a picture stands for: its `data-offset`, `data-size`, `data-stride`. @param {DOMStringMap} data @returns {Layout} */
export function layoutOf({ offset, size, stride }) {
  return { offset: whole(offset), size: numbers(size), stride: numbers(stride) };
}

/** Whether two tensors on one storage have a slot in common. @param {Layout} a @param {Layout} b */
export function meet(a, b) {
  if (a.size.includes(0) || b.size.includes(0)) return false;
  /** @type {Map<number, number>} how many steps there are of each length */
  const steps = new Map();
  let target = b.offset - a.offset;
  // offset_a + Σ i·s = offset_b + Σ j·t, with every step turned to run upwards.
  for (const { size, stride, sign } of [{ ...a, sign: 1 }, { ...b, sign: -1 }]) {
    size.forEach((n, d) => {
      const step = sign * stride[d];
      if (step < 0) target -= (n - 1) * step;
      if (step !== 0) steps.set(Math.abs(step), (steps.get(Math.abs(step)) ?? 0) + n - 1);
    });
  }
  return sums([...steps].sort(([s], [t]) => t - s), target);
}

/**
 * Whether whole numbers 0 ≤ kᵢ ≤ countᵢ make Σ kᵢ·stepᵢ = target; the steps are positive, longest first.
 * @param {[number, number][]} terms pairs (step, count)
 * @param {number} target
 * @returns {boolean}
 */
function sums(terms, target) {
  if (!terms.length) return target === 0;
  const reach = terms.reduce((sum, [step, count]) => sum + step * count, 0);
  if (target < 0 || target > reach || target % terms.map(([step]) => step).reduce(divisor) !== 0) return false;
  const [[step, count], ...rest] = terms;
  const low = Math.max(0, Math.ceil((target - (reach - step * count)) / step));
  for (let k = Math.min(count, Math.floor(target / step)); k >= low; k--) if (sums(rest, target - k * step)) return true;
  return false;
}

/** @param {number} a @param {number} b @returns {number} */
function divisor(a, b) {
  return b ? divisor(b, a % b) : a;
}
