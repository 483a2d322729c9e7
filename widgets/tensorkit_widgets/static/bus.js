// @ts-check
/**
 * What the pointer is on, told to every picture on the page. The browser keeps one instance of this module for all
 * widgets that import it, so pictures of one storage light up together without asking Python.
 *
 * `slot` is the one that it is on; a picture that points at a whole tensor gives its layout as `tensor` instead. Neither
 * says that the pointer has left.
 *
 * @typedef {{ storage: number, slot: number | null, tensor?: import("./reach.js").Layout | null, from: object }} Pointed
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
