// @ts-check
/** Small helpers to build and read the page. Text is always set as text, never as HTML. */

/**
 * Make an element: `make("button", { "data-role": "undo", type: "button" }, "Undo")`.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...(Node | string)} inside
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...inside);
  return element;
}

/**
 * The nearest ancestor (or itself) of an event's target that matches.
 * @param {Event} event
 * @param {string} selector
 * @returns {Element | null}
 */
export function nearest(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/** How many times larger a part is drawn than it was laid out: twice where a talk magnifies the page. @param {HTMLElement | null | undefined} part */
export function magnified(part) {
  return part?.offsetWidth ? Math.round((part.getBoundingClientRect().width / part.offsetWidth) * 100) / 100 : 1;
}

/**
 * `"1,0,2"` → `[1, 0, 2]`; an empty text is the index of a 0-d tensor.
 * @param {string | null | undefined} text
 * @returns {number[]}
 */
export function numbers(text) {
  return text ? text.split(",").map(Number) : [];
}

/**
 * @param {string | null | undefined} text
 * @returns {number}
 */
export function whole(text) {
  return Number.parseInt(text ?? "", 10);
}
