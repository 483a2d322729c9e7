// @ts-check
/**
 * How the kernel behind a picture is, beside the picture: a spinner while an answer is awaited, words while the kernel is slow,
 * away or gone, and a button that brings a picture back whose kernel is gone. Its controls are switched off then: what they
 * would ask nobody answers.
 *
 * @typedef {"live" | "slow" | "away" | "gone"} How
 */

import { make } from "./dom.js";

const WORDS = {
  live: "",
  slow: "The kernel is busy: the change is on its way, and the picture follows when the running cell is done.",
  away: "Jupyter's server cannot be reached: the picture waits for it, and what you do here follows when it answers again.",
  gone: "The kernel of this picture is gone. The picture stays; run its cell again, after those before it, to make it live.",
};

/** On the stage, where the kernel can be started again: a key does it. */
const ON_STAGE = "The kernel of this picture is gone. Press K: the kernel starts again, and the picture comes back to this step.";

/** What needs no kernel: the stage's own buttons, the tabs, and how large the picture is. */
const LOCAL = '.tk-stage-bar *, .tk-present, [data-role="restart"], [role="tab"], [data-role^="zoom-"]';

/** Close what JupyterLab only says: dialogs with nothing to choose. */
export function dismiss() {
  for (const said of document.querySelectorAll(".jp-Dialog .jp-Dialog-footer")) {
    const buttons = said.querySelectorAll(".jp-Dialog-button");
    if (buttons.length === 1) /** @type {HTMLElement} */ (buttons[0]).click();
  }
}

/** In a talk, while a picture says that the server cannot be reached, JupyterLab need not say it at each attempt too. */
const silent = new MutationObserver(() => {
  if (document.querySelector('[data-tk-widget][data-kernel="away"]')) dismiss();
  else silent.disconnect();
});

export class KernelNotice {
  /** @param {HTMLElement} root @param {() => void} restart */
  constructor(root, restart) {
    this.root = root;
    this.spinner = make("span", { class: "tk-spinner", "data-role": "spinner", hidden: true, "aria-hidden": "true" });
    this.words = make("span");
    this.onStage = make("span", { class: "tk-on-stage" }, ON_STAGE);
    this.button = make("button", { type: "button", "data-role": "restart", title: "start the kernel again, run the cells before this one, and come back to this step" }, "Start again");
    this.button.addEventListener("click", restart);
    this.part = make("p", { class: "tk-gone", "data-role": "kernel", role: "status", hidden: true });
  }

  /** @param {boolean} waiting */
  wait(waiting) {
    this.spinner.hidden = !waiting;
    if (waiting) this.root.setAttribute("aria-busy", "true");
    else this.root.removeAttribute("aria-busy");
    this.root.dataset.waiting = String(waiting);
  }

  /** @param {How} how @param {boolean} restarts whether the kernel can be started again from here */
  show(how, restarts) {
    this.part.hidden = how === "live";
    this.words.textContent = WORDS[how];
    if (how === "away" && document.body.dataset.tensorkitPresent !== undefined) silent.observe(document.body, { childList: true });
    this.words.classList.toggle("tk-off-stage", restarts);
    this.part.replaceChildren(this.words, ...(restarts ? [this.onStage, this.button] : []));
    if (how !== "gone") return;
    this.wait(false);
    const held = document.activeElement;
    for (const part of this.root.querySelectorAll("button, input, select")) {
      if (!part.matches(LOCAL)) /** @type {HTMLButtonElement} */ (part).disabled = true;
    }
    // A control that is switched off loses the keyboard: it goes on to what can still be done.
    if (restarts && held instanceof HTMLElement && this.root.contains(held) && /** @type {HTMLButtonElement} */ (held).disabled) this.button.focus();
  }
}
