// @ts-check
/** A saved page of a board: every step waits in a template; hover, keyboard and steps without a kernel or a network. */

import { BoardScene } from "./board_scene.js";
import { make, whole } from "./dom.js";

const root = /** @type {HTMLElement} */ (document.querySelector(".tk-root"));
const picture = /** @type {HTMLElement} */ (root.querySelector(".tk-picture"));
const said = /** @type {HTMLElement} */ (root.querySelector(".tk-said"));
const line = /** @type {HTMLElement} */ (root.querySelector(".tk-line"));
const steps = /** @type {HTMLTemplateElement[]} */ ([...document.querySelectorAll("template[data-step]")]);
/** @type {BoardScene | null} */
let scene = null;
let at = 0;
root.classList.add("tk-board");

/** @param {number} step */
function show(step) {
  at = Math.max(0, Math.min(step, steps.length - 1));
  scene?.dispose();
  picture.replaceChildren(document.importNode(steps[at].content, true));
  const svg = /** @type {SVGSVGElement} */ (picture.querySelector("svg"));
  // What would ask a kernel is no button here.
  for (const tile of svg.querySelectorAll("[data-action]")) tile.removeAttribute("data-action");
  scene = new BoardScene(svg, {
    say: (words) => {
      said.textContent = words;
      root.dataset.focus = svg.querySelector(".tk-tile.tk-lit")?.getAttribute("data-key") ?? "";
    },
  });
  root.dataset.step = String(at);
  root.dataset.status = steps[at].dataset.status;
  said.textContent = steps[at].dataset.said ?? "";
  back.disabled = at === 0;
  next.disabled = at === steps.length - 1;
  scrub.value = String(at);
}

/** @param {string} role @param {string} label @param {number} by */
function button(role, label, by) {
  const made = make("button", { type: "button", "data-role": role }, label);
  made.addEventListener("click", () => show(at + by));
  return made;
}

const back = button("back", "Back", -1);
const next = button("step", "Step", 1);
const scrub = make("input", { type: "range", min: 0, max: steps.length - 1, "data-role": "scrub", "aria-label": "step" });
scrub.addEventListener("input", () => show(whole(scrub.value)));
if (steps.length > 1) line.append(back, next, scrub);
show(whole(root.dataset.first));
