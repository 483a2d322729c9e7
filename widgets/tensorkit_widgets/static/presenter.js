// @ts-check
/**
 * The stage: one picture fills the window, for a room full of people. P opens it from anywhere in a picture, Escape leaves.
 *
 * Keys on the stage: right and left step on and back (N and B go to the next and the last scene), Home and End, + and − and 0
 * for the size (100 to 300 %), M marks a moment, R returns to it after a "what if?", L changes between light and dark.
 * Size and theme are kept for the next picture. When the kernel is gone, K starts it again and comes back (kernel_restart.js).
 *
 * Whoever listens on the document is told by the event "tensorkit-stage" what is on the stage, as if from the cell that shows
 * the picture: JupyterLab's extension of `tensorkit present` passes it on to the speaker's notes.
 *
 * @typedef {{ steps: boolean, scenes: string[], notes?: string[], scene: number, marked: boolean }} Script
 */

import { make } from "./dom.js";
import { canRevive, forget, revive } from "./kernel_restart.js";

const SIZES = [100, 125, 150, 175, 200, 250, 300];

/** What all pictures of the page share. */
const shared = { size: 150, dark: /** @type {boolean | null} */ (null) };

export class Presenter {
  /**
   * @param {HTMLElement} root the picture with its controls
   * @param {(message: import("./message_queue.js").Message) => void} post
   * @param {() => void} [sized] called when the size of what is on the stage has changed
   */
  constructor(root, post, sized = () => {}) {
    this.root = root;
    this.post = post;
    this.sized = sized;
    /** @type {Script} */
    this.script = { steps: false, scenes: [], scene: -1, marked: false };
    this.open = false;
    /** Called when no new picture came. */
    this.freed = () => {};
    /** The old picture stays on the stage until the new one is there. */
    this.held = false;
    this.button = make("button", { type: "button", class: "tk-present", "data-role": "present", "aria-pressed": "false", title: "fill the window, for a room (P)" }, "Present");
    this.button.addEventListener("click", () => this.toggle());
    this.bar = make("div", { class: "tk-stage-bar", role: "group", "aria-label": "presenter", hidden: true });
    this.place = document.createComment("the picture is on the stage");
    this.dialog = make("dialog", { class: "tk-stage", "aria-label": "stage" });
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.leave();
    });
    const button = (/** @type {string} */ role, /** @type {string} */ label, /** @type {string} */ title, /** @type {() => void} */ act) => {
      const made = make("button", { type: "button", "data-role": role, title }, label);
      made.addEventListener("click", act);
      return made;
    };
    this.before = button("scene-back", "‹ Scene", "the scene before (B)", () => this.scene(-1));
    this.after = button("scene-next", "Scene ›", "the next scene (N)", () => this.scene(1));
    this.list = make("select", { "data-role": "scene", "aria-label": "scene" });
    this.list.addEventListener("change", () => this.post({ kind: "scene", value: Number(this.list.value) }));
    this.mark = button("mark", "Mark", "remember this moment, then try something (M)", () => this.post({ kind: "mark" }));
    this.back = button("return", "Return", "back to the marked moment (R)", () => this.post({ kind: "return" }));
    this.again = button("revive", "Start again", "start the kernel again, and come back to this step (K)", () => void revive(this));
    this.again.classList.add("tk-again");
    this.size = make("output", { class: "tk-count", "data-role": "stage-size" });
    this.bar.append(
      this.again, this.before, this.list, this.after, this.mark, this.back,
      button("smaller", "−", "smaller (−)", () => this.scale(-1)), this.size, button("larger", "+", "larger (+)", () => this.scale(1)),
      button("theme", "Light / dark", "change the theme (L)", () => this.theme()), button("leave", "Leave", "back to the notebook (Escape)", () => this.leave()),
    );
    root.addEventListener("keydown", (event) => this.pressed(event));
    // A button that is switched off loses the keyboard to the page: on the stage its keys work all the same.
    this.outside = (/** @type {KeyboardEvent} */ event) => {
      if (!(event.target instanceof Node && root.contains(event.target))) this.pressed(event);
    };
  }

  /** What Python says of scenes and marks. @param {Script | undefined} script */
  update(script) {
    if (!script) return;
    this.script = script;
    const { scenes, scene, marked } = script;
    for (const part of [this.before, this.after, this.list]) part.toggleAttribute("hidden", scenes.length === 0);
    const none = scene < 0 ? [make("option", { value: -1, selected: true }, "scenes")] : [];
    this.list.replaceChildren(...none, ...scenes.map((name, k) => make("option", { value: k, selected: k === scene }, `${k + 1}. ${name}`)));
    this.before.disabled = scene <= 0;
    this.after.disabled = scene >= scenes.length - 1;
    this.back.toggleAttribute("hidden", !marked);
    this.root.dataset.scene = scenes[scene] ?? "";
    this.root.dataset.marked = String(marked);
    if (this.open) this.tell();
  }

  /** The event "tensorkit-stage": its detail is null when the stage is left. */
  tell() {
    const { scenes, notes, scene } = this.script;
    const { step, steps } = this.root.dataset;
    const detail = this.open ? { scenes, notes: notes ?? [], scene, step: step ?? "", steps: steps ?? "" } : null;
    const from = this.open ? this.place.parentElement : this.root;
    from?.dispatchEvent(new CustomEvent("tensorkit-stage", { bubbles: true, composed: true, detail }));
  }

  toggle() {
    if (this.open) this.leave();
    else this.enter();
  }

  enter() {
    if (this.open) return;
    this.open = true;
    this.root.before(this.place);
    this.dialog.replaceChildren(this.root);
    document.body.append(this.dialog);
    if (this.dialog.showModal) this.dialog.showModal();
    else this.dialog.setAttribute("open", "");
    document.addEventListener("keydown", this.outside);
    // A picture that the kernel's death had left on the stage makes room.
    for (const old of document.querySelectorAll("dialog.tk-stage[data-held]")) old.remove();
    this.show();
    this.tell();
    // Marked on entering, so that whatever is tried on the stage can be taken back.
    if (!this.script.marked) this.post({ kind: "mark" });
    /** @type {HTMLElement} */ (this.root.querySelector("button:not(:disabled):not([hidden])"))?.focus();
  }

  /** Keep what is shown while the kernel starts again. */
  hold() {
    this.held = true;
    this.dialog.dataset.held = "true";
    this.root.dataset.kernel = "starting";
    const said = this.root.querySelector('[data-role="kernel"]');
    if (said) said.textContent = "The kernel starts again, and the lesson runs up to this picture.";
    this.show();
  }

  /** Nothing has taken this picture's place: give the notebook back. */
  release() {
    this.held = false;
    if (this.dialog.isConnected) this.leave();
    this.freed();
  }

  leave() {
    if (!this.open) return;
    this.open = false;
    if (this.held) forget();
    this.held = false;
    document.removeEventListener("keydown", this.outside);
    this.dialog.close?.();
    this.place.replaceWith(this.root);
    this.dialog.remove();
    this.show();
    this.tell();
    this.button.focus();
  }

  /** How many times larger than in the notebook. */
  get zoom() {
    return this.open ? shared.size / 100 : 1;
  }

  show() {
    this.root.classList.toggle("tk-presenting", this.open);
    this.root.style.setProperty("--tk-stage", String(this.zoom));
    this.root.toggleAttribute("data-tk-dark", this.open && shared.dark === true);
    this.root.toggleAttribute("data-tk-light", this.open && shared.dark === false);
    this.dialog.classList.toggle("tk-stage-dark", shared.dark === true);
    this.dialog.classList.toggle("tk-stage-light", shared.dark === false);
    this.bar.hidden = !this.open;
    this.offer();
    this.button.setAttribute("aria-pressed", String(this.open));
    this.root.dataset.stage = this.open ? String(shared.size) : "";
    this.size.textContent = `${shared.size} %`;
    this.sized();
  }

  /** Whether a kernel can be, and need be, started again. */
  offer() {
    this.again.hidden = this.root.dataset.kernel !== "gone" || !canRevive();
  }

  /** @param {number} by */
  scale(by) {
    const at = SIZES.indexOf(shared.size);
    shared.size = by === 0 ? 100 : SIZES[Math.max(0, Math.min(SIZES.length - 1, at + by))];
    this.show();
  }

  theme() {
    const host = document.body.dataset.jpThemeLight === "false" || (document.body.dataset.jpThemeLight === undefined && (globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false));
    shared.dark = shared.dark === null ? !host : !shared.dark;
    this.show();
  }

  /** @param {number} by */
  scene(by) {
    const { scenes, scene } = this.script;
    const to = Math.max(0, Math.min(scenes.length - 1, scene + by));
    if (scenes.length) this.post({ kind: "scene", value: to });
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const { target } = event;
    const writing = target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "range");
    if (writing) return;
    if (event.key === "p" || event.key === "P") this.toggle();
    else if (!this.open || !this.onStage(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {KeyboardEvent} event */
  onStage(event) {
    const slider = event.target instanceof HTMLInputElement;
    const inside = event.target instanceof SVGElement;
    /** @type {Record<string, () => void>} */
    const keys = {
      n: () => this.scene(1), b: () => this.scene(-1), m: () => this.post({ kind: "mark" }), r: () => this.post({ kind: "return" }), l: () => this.theme(),
      k: () => {
        if (!this.again.hidden) void revive(this);
      },
      "+": () => this.scale(1), "=": () => this.scale(1), "-": () => this.scale(-1), 0: () => this.scale(0),
    };
    if (this.script.steps && !slider && !inside) {
      Object.assign(keys, {
        arrowright: () => this.post({ kind: "step" }), arrowleft: () => this.post({ kind: "back" }), pagedown: () => this.post({ kind: "step" }),
        pageup: () => this.post({ kind: "back" }), end: () => this.post({ kind: "run" }), home: () => this.post({ kind: "goto", value: 0, number: 0 }),
      });
    }
    const act = keys[event.key.toLowerCase()];
    act?.();
    return act !== undefined;
  }

  dispose() {
    document.removeEventListener("keydown", this.outside);
    if (this.held) return;
    if (this.open) {
      this.dialog.close?.();
      this.dialog.remove();
    }
  }
}
