// @ts-check
/**
 * A saved page: the steps' pictures with hover and keyboard, no kernel and no network. Every step's SVG waits in a
 * template; the cards lead from one to the other.
 */

import { make } from "./dom.js";
import { Layouts } from "./page_layouts.js";
import { LiveScene } from "./stride_scene.js";

const root = /** @type {HTMLElement} */ (document.querySelector(".tk-root"));
const picture = /** @type {HTMLElement} */ (root.querySelector(".tk-picture"));
const said = /** @type {HTMLElement} */ (root.querySelector(".tk-said"));
/** @type {LiveScene | null} */
let scene = null;
let at = 0;
const layouts = new Layouts(picture, () => show(at));

/** What would ask a kernel is no button here. @param {SVGSVGElement} svg */
function onlyToLookAt(svg) {
  for (const part of svg.querySelectorAll('[data-role="remove"]')) part.remove();
  for (const part of svg.querySelectorAll('[data-role="axis"], [data-role="gap"]')) {
    for (const name of ["data-role", "role", "tabindex", "aria-label"]) part.removeAttribute(name);
  }
}

/** @param {number} step @param {boolean} [keep] whether the keyboard follows to the step's card */
function show(step, keep = false) {
  const template = layouts.steps[step];
  if (!template) return;
  at = step;
  scene?.dispose();
  picture.replaceChildren(document.importNode(template.content, true));
  const svg = /** @type {SVGSVGElement} */ (picture.querySelector("svg"));
  onlyToLookAt(svg);
  root.dataset.step = String(step);
  root.dataset.size = template.dataset.size;
  root.dataset.stride = template.dataset.stride;
  scene = new LiveScene(svg, {
    onStep: (next) => show(next, true),
    onFocus: ({ index, slot, said: words }) => {
      root.dataset.focus = index ? index.join(",") : "";
      root.dataset.focusSlot = String(slot);
      said.textContent = words;
    },
    onEdit: () => {
      said.textContent = "A saved page holds no tensor: the numbers cannot be changed here.";
    },
  });
  if (scene.resting) scene.showElement(scene.resting);
  if (keep) /** @type {SVGElement | null} */ (svg.querySelector(`[data-role="step"][data-step="${step}"]`))?.focus();
  for (const [k, button] of [...buttons.children].entries()) button.setAttribute("aria-pressed", String(k === step));
}

const buttons = /** @type {HTMLElement} */ (root.querySelector(".tk-line"));
layouts.steps.forEach((template, k) => {
  const button = make("button", { type: "button", class: "tk-code-button", "data-role": "page-step" }, template.dataset.code ?? "");
  button.addEventListener("click", () => show(k));
  buttons.append(button);
});
show(layouts.steps.length - 1);
