// @ts-check
/** A saved page of a GraphView: every step of the rehearsal waits in a template; no kernel, no network. */

import { make, whole } from "./dom.js";
import { GraphScene } from "./graph_scene.js";
import { Layouts } from "./page_layouts.js";
import { speak } from "./live_region.js";

const root = /** @type {HTMLElement} */ (document.querySelector(".tk-root"));
const picture = /** @type {HTMLElement} */ (root.querySelector(".tk-picture"));
const said = /** @type {HTMLElement} */ (root.querySelector(".tk-said"));
const line = /** @type {HTMLElement} */ (root.querySelector(".tk-line"));
/** @type {GraphScene | null} */
let scene = null;
let at = 0;
const layouts = new Layouts(picture, () => show(at));
const last = layouts.steps.length - 1;
root.classList.add("tk-graph");

/** @param {number} step */
function show(step) {
  at = Math.max(0, Math.min(step, last));
  const template = layouts.steps[at];
  const held = document.activeElement instanceof SVGElement && picture.contains(document.activeElement) ? document.activeElement.dataset.vertex : undefined;
  const zoom = scene?.zoom ?? 0;
  scene?.dispose();
  picture.replaceChildren(document.importNode(template.content, true));
  const svg = /** @type {SVGSVGElement} */ (picture.querySelector("svg"));
  scene = new GraphScene(svg, picture, { onStep: go, onUnfold: () => say("A saved page has no kernel: unfold the run in the notebook and save again.") }, zoom);
  if (held !== undefined) scene.refocus(held);
  root.dataset.step = String(at);
  root.dataset.status = template.dataset.status;
  say(template.dataset.said ?? "");
  back.disabled = at === 0;
  next.disabled = at === last;
  scrub.value = String(at);
}

/** @param {string} words */
function say(words) {
  speak(said, picture, words);
}

/** @param {"step" | "back" | "run" | "reset"} how */
function go(how) {
  show({ step: at + 1, back: at - 1, run: last, reset: 0 }[how]);
}

/** @param {"step" | "back"} role @param {string} label */
function button(role, label) {
  const made = make("button", { type: "button", "data-role": role }, label);
  made.addEventListener("click", () => go(role));
  return made;
}

const back = button("back", "Back");
const next = button("step", "Step");
const scrub = make("input", { type: "range", min: 0, max: last, "data-role": "scrub", "aria-label": "step of the rehearsal" });
scrub.addEventListener("input", () => show(whole(scrub.value)));
line.append(back, next, scrub);
show(whole(root.dataset.first));
