// @ts-check
/** The recorded steps of a picture: each waits in a template; hover, keyboard and steps without a kernel or a network. */

import { make, whole } from "./dom.js";
import { Layouts } from "./page_layouts.js";
import { speak } from "./live_region.js";
import { SCENES } from "./scenes.js";

/** What would ask a kernel is no button here: a card leads to its step, and a number says why it cannot be changed. @param {SVGSVGElement} svg */
function onlyToLookAt(svg) {
  for (const part of svg.querySelectorAll('[data-action="remove"], [data-action="next-step"]')) part.remove();
  for (const part of svg.querySelectorAll('[data-role="axis"], [data-action]:not([data-action="chain-step"], [data-action="edit"])')) {
    for (const name of ["data-action", "data-role", ...(part.classList.contains("tk-tile") ? [] : ["role", "tabindex", "aria-label"])]) part.removeAttribute(name);
  }
}

export class Recorded {
  /** @param {HTMLElement} root the element around the picture @param {HTMLTemplateElement[]} templates its steps, at each width */
  constructor(root, templates) {
    const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (root.querySelector(name));
    this.root = root;
    this.picture = part(".tk-picture");
    this.said = part(".tk-said");
    this.Scene = SCENES[root.dataset.scene ?? "board"];
    /** @type {import("./board.js").Scene | null} */
    this.scene = null;
    this.at = 0;
    this.layouts = new Layouts(templates, this.picture, () => this.show(this.at));
    this.last = this.layouts.steps.length - 1;
    this.back = this.button("back", "Back", -1);
    this.next = this.button("step", "Step", 1);
    this.scrub = make("input", { type: "range", min: 0, max: this.last, "data-role": "scrub", "aria-label": "step" });
    this.scrub.addEventListener("input", () => this.show(whole(this.scrub.value)));
    if (this.last > 0) part(".tk-line").append(this.back, this.next, this.scrub);
    this.show(whole(root.dataset.first));
  }

  /** @param {"step" | "back"} role @param {string} label @param {number} by */
  button(role, label, by) {
    const made = make("button", { type: "button", "data-role": role }, label);
    made.addEventListener("click", () => this.show(this.at + by));
    return made;
  }

  /** @param {string} words */
  say(words) {
    speak(this.said, this.picture, words);
  }

  /** @param {string} kind @param {string} key */
  asked(kind, key) {
    if (kind === "chain-step") this.show(whole(key), `[data-action="chain-step"][data-key="${key}"]`);
    else if (kind === "unfold") this.say("A saved page has no kernel: unfold the run in the notebook and save again.");
  }

  /** @param {number} step @param {string} [keyboard] what has the keyboard afterwards */
  show(step, keyboard) {
    const { root, picture, last } = this;
    const at = Math.max(0, Math.min(step, last));
    this.at = at;
    const template = this.layouts.steps[at];
    const active = document.activeElement;
    const held = active instanceof SVGElement && picture.contains(active) ? active.dataset.key ?? active.dataset.vertex : undefined;
    const zoom = this.scene?.zoom ?? 0;
    this.scene?.dispose();
    picture.replaceChildren(document.importNode(template.content, true));
    const svg = /** @type {SVGSVGElement} */ (picture.querySelector("svg"));
    onlyToLookAt(svg);
    const { width, ...facts } = template.dataset;
    Object.assign(root.dataset, facts, { element: "" });
    const scene = new this.Scene(svg, {
      frame: picture,
      onStep: (how) => this.show({ step: at + 1, back: at - 1, run: last, reset: 0 }[how]),
      onAct: (kind, key) => this.asked(kind, key),
      onEdit: () => this.say("A saved page holds no tensor: the numbers cannot be changed here."),
      mark: (data) => {
        Object.assign(root.dataset, data);
        this.say(data.element ?? "");
      },
      say: (words, key) => {
        this.say(words);
        root.dataset.focus = key ?? svg.querySelector(".tk-tile.tk-lit")?.getAttribute("data-key") ?? "";
      },
    }, zoom);
    this.scene = scene;
    if (keyboard) /** @type {SVGElement | null} */ (svg.querySelector(keyboard))?.focus();
    else scene.refocus(held);
    this.say(template.dataset.said || root.dataset.element || "");
    this.back.disabled = at === 0;
    this.next.disabled = at === last;
    this.scrub.value = String(at);
  }
}
