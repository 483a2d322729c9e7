// @ts-check
/**
 * What the pointer is on, told to every picture on the page. The browser keeps one instance of this module for all
 * widgets that import it, so pictures of one storage light up together without asking Python.
 *
 * `slot` is the one that it is on, as a layout: pictures of one storage need not agree on how many bytes a slot has. A
 * picture that points at a whole tensor gives its layout as `tensor` instead. Neither says that the pointer has left.
 *
 * @typedef {import("./byte_overlap.js").Layout} Layout
 * @typedef {{ storage: number, slot: Layout | null, tensor?: Layout | null }} Spot
 * @typedef {Spot & { from: object }} Pointed
 */

/** @type {Set<(pointed: Pointed) => void>} */
const listeners = new Set();

/**
 * @param {(pointed: Pointed) => void} listener
 * @returns {() => void} stops listening
 */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param {Pointed} pointed */
export function tell(pointed) {
  for (const listener of listeners) listener(pointed);
}
