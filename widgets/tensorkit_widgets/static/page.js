// @ts-check
/** A saved page: every step waits in a template; hover, keyboard and steps without a kernel or a network. */

import { make, whole } from "./dom.js";
import { Layouts } from "./page_layouts.js";
import { speak } from "./live_region.js";
import { SCENES } from "./scenes.js";

const root = /** @type {HTMLElement} */ (document.querySelector(".tk-root"));
const picture = /** @type {HTMLElement} */ (root.querySelector(".tk-picture"));
const said = /** @type {HTMLElement} */ (root.querySelector(".tk-said"));
const line = /** @type {HTMLElement} */ (root.querySelector(".tk-line"));
const Scene = SCENES[root.dataset.scene ?? "board"];
/** @type {import("./board.js").Scene | null} */
let scene = null;
let at = 0;
const layouts = new Layouts(picture, () => show(at));
const last = layouts.steps.length - 1;

/** What would ask a kernel is no button here: a card leads to its step, and a number says why it cannot be changed. @param {SVGSVGElement} svg */
function onlyToLookAt(svg) {
  for (const part of svg.querySelectorAll('[data-action="remove"], [data-action="next-step"]')) part.remove();
  for (const part of svg.querySelectorAll('[data-role="axis"], [data-action]:not([data-action="chain-step"], [data-action="edit"])')) {
    for (const name of ["data-action", "data-role", ...(part.classList.contains("tk-tile") ? [] : ["role", "tabindex", "aria-label"])]) part.removeAttribute(name);
  }
}

/** @param {string} kind @param {string} key */
function asked(kind, key) {
  if (kind === "chain-step") show(whole(key), `[data-action="chain-step"][data-key="${key}"]`);
  else if (kind === "unfold") speak(said, picture, "A saved page has no kernel: unfold the run in the notebook and save again.");
}

/** @param {number} step @param {string} [keyboard] what has the keyboard afterwards */
function show(step, keyboard) {
  at = Math.max(0, Math.min(step, last));
  const template = layouts.steps[at];
  const active = document.activeElement;
  const held = active instanceof SVGElement && picture.contains(active) ? active.dataset.key ?? active.dataset.vertex : undefined;
  const zoom = scene?.zoom ?? 0;
  scene?.dispose();
  picture.replaceChildren(document.importNode(template.content, true));
  const svg = /** @type {SVGSVGElement} */ (picture.querySelector("svg"));
  onlyToLookAt(svg);
  const { width, ...facts } = template.dataset;
  Object.assign(root.dataset, facts, { element: "" });
  scene = new Scene(svg, {
    frame: picture,
    onStep: (how) => show({ step: at + 1, back: at - 1, run: last, reset: 0 }[how]),
    onAct: asked,
    onEdit: () => speak(said, picture, "A saved page holds no tensor: the numbers cannot be changed here."),
    mark: (data) => {
      Object.assign(root.dataset, data);
      speak(said, picture, data.element ?? "");
    },
    say: (words, key) => {
      speak(said, picture, words);
      root.dataset.focus = key ?? svg.querySelector(".tk-tile.tk-lit")?.getAttribute("data-key") ?? "";
    },
  }, zoom);
  if (keyboard) /** @type {SVGElement | null} */ (svg.querySelector(keyboard))?.focus();
  else scene.refocus(held);
  speak(said, picture, template.dataset.said || root.dataset.element || "");
  back.disabled = at === 0;
  next.disabled = at === last;
  scrub.value = String(at);
}

/** @param {"step" | "back"} role @param {string} label @param {number} by */
function button(role, label, by) {
  const made = make("button", { type: "button", "data-role": role }, label);
  made.addEventListener("click", () => show(at + by));
  return made;
}

const back = button("back", "Back", -1);
const next = button("step", "Step", 1);
const scrub = make("input", { type: "range", min: 0, max: last, "data-role": "scrub", "aria-label": "step" });
scrub.addEventListener("input", () => show(whole(scrub.value)));
if (last > 0) line.append(back, next, scrub);
show(whole(root.dataset.first));
