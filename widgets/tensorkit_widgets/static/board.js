// @ts-check
/**
 * A board in the browser: shows the SVG that Python drew, steps through it, and sends back what the learner does.
 *
 * For tests, the root carries beside the attributes of view.js:
 *   data-tk-widget    the widget: "broadcast-explorer", "bit-view", …
 *   data-title, data-step, data-steps, data-status ("undrawn" without a picture), and what the widget adds of its own
 *   data-focus        the key of the tile that is lit
 * Parts of the picture: .tk-tile[data-key][data-storage][data-item][data-slot][data-action][data-full], .tk-lit,
 *   .tk-kin, .tk-table[data-table], .tk-link[data-ends].
 * Controls: data-role = back, step, run, reset, undo, scrub, checkpoint, and those of the widget.
 *
 * @typedef {{ kind: string, name: string, title: string, step: number, steps: number, moments: string, status: string, said: string,
 *             complaint: string, checkpoints: string[], controls: import("./board_controls.js").Control[], changed: boolean,
 *             undo: boolean, data: Record<string, string> }} Facts
 */

import { BoardControls } from "./board_controls.js";
import { BoardScene } from "./board_scene.js";
import { listen, tell } from "./hover_bus.js";
import { make, whole } from "./dom.js";
import { editCell } from "./cell_editor.js";
import { PictureView } from "./view.js";

class BoardView extends PictureView {
  /** @param {import("./view.js").Model} model @param {HTMLElement} el */
  constructor(model, el) {
    /** @type {Facts | undefined} */
    const facts = model.get("frame")?.facts;
    super(model, el, { widget: facts?.kind ?? "board", label: facts?.name ?? "a picture", classes: `tk-board tk-${facts?.kind ?? "board"}`, fits: true });
    /** @type {BoardScene | null} */
    this.scene = null;
    /** @type {number | null} the storage that the pointer is on */
    this.pointing = null;
    this.own = new BoardControls((message) => this.post(message), (words) => this.say(words));
    this.back = this.button("back", "Back", "one step back (left arrow)");
    this.next = this.button("step", "Step", "one step on (right arrow)");
    this.run = this.button("run", "To the end", "to the last step (End)");
    this.undo = this.button("undo", "Undo", "take the last change back");
    this.reset = this.button("reset", "Reset", "as it was at first");
    this.scrub = make("input", { type: "range", min: 0, "data-role": "scrub" });
    this.scrub.addEventListener("input", () => this.post({ kind: "goto", value: whole(this.scrub.value), sliding: true }));
    this.count = make("span", { class: "tk-count" });
    this.kept = make("select", { "data-role": "checkpoint", "aria-label": "back to a checkpoint" });
    this.kept.addEventListener("change", () => this.post({ kind: "reset", value: this.kept.value }));
    this.bar = make("div", { class: "tk-bar", role: "group", "aria-label": "steps" }, this.back, this.next, this.run, this.scrub, this.count, this.undo, this.reset, this.kept, this.stage.button);
    this.bar.addEventListener("keydown", (event) => this.pressed(event));
    this.unlisten = listen((pointed) => {
      if (pointed.from !== this) this.scene?.point(pointed);
    });
    this.open([this.own.root, this.bar]);
  }

  /** @param {"back" | "step" | "run" | "undo" | "reset"} role @param {string} label @param {string} title */
  button(role, label, title) {
    const made = make("button", { type: "button", "data-role": role, title }, label);
    made.addEventListener("click", () => this.post({ kind: role }));
    return made;
  }

  /** The steps' keys work anywhere in their bar. @param {KeyboardEvent} event */
  pressed(event) {
    const kind = { ArrowRight: "step", ArrowLeft: "back", End: "run", Home: "goto" }[event.key];
    if (!kind || !(event.target instanceof HTMLButtonElement)) return;
    this.post(kind === "goto" ? { kind, value: 0 } : { kind });
    event.preventDefault();
  }

  /** @param {SVGSVGElement | null} svg @param {() => void} [place] */
  drawScene(svg, place) {
    const active = document.activeElement;
    const held = active instanceof SVGElement && this.picture.contains(active) ? active.dataset.key : undefined;
    this.scene?.dispose();
    this.scene = null;
    if (!svg) return;
    place?.();
    this.scene = new BoardScene(svg, {
      onAct: (kind, key) => this.post({ kind, key }),
      onEdit: (tile) => editCell(this.picture, tile, (text) => this.post({ kind: "edit", key: tile.dataset.key, value: text })),
      onPoint: (storage, slot) => {
        if (storage !== null || this.pointing) tell({ storage: storage ?? this.pointing ?? 0, slot, from: this });
        this.pointing = storage;
      },
      say: (words) => {
        this.say(words);
        this.root.dataset.focus = svg.querySelector(".tk-tile.tk-lit")?.getAttribute("data-key") ?? "";
      },
    });
    this.scene.refocus(held);
  }

  /** @param {Facts} facts @param {import("./view.js").Frame} frame */
  controls(facts, frame) {
    const { step, steps, moments } = facts;
    const held = document.activeElement;
    this.own.update(facts.controls);
    for (const part of [this.back, this.next, this.run, this.scrub, this.count]) part.hidden = steps === 0;
    this.back.disabled = step === 0;
    this.next.disabled = this.run.disabled = step >= steps;
    this.scrub.max = String(steps);
    this.scrub.value = String(step);
    this.scrub.setAttribute("aria-label", moments);
    this.scrub.setAttribute("aria-valuetext", `${moments} ${step} of ${steps}`);
    this.count.textContent = `${step} of ${steps}`;
    this.undo.hidden = !facts.undo;
    this.reset.disabled = !facts.changed;
    this.reset.hidden = steps === 0 && !facts.changed;
    this.kept.hidden = facts.checkpoints.length === 0;
    this.kept.replaceChildren(make("option", { value: "" }, "go back to…"), ...facts.checkpoints.map((name) => make("option", { value: name }, name)));
    // A button that is switched off would lose the keyboard: it goes on to its neighbour.
    if (held instanceof HTMLButtonElement && held.disabled && this.bar.contains(held)) [this.next, this.back, this.scrub].find((part) => !part.disabled && !part.hidden)?.focus();
    this.complain(facts.complaint);
    // What the alert above already says is not said twice.
    this.say(facts.complaint ? "" : facts.said);
    Object.assign(this.root.dataset, { title: facts.title, step: String(step), steps: String(steps), status: frame.reason ? "undrawn" : facts.status, ...facts.data });
  }

  dispose() {
    super.dispose();
    this.unlisten();
    this.scene?.dispose();
  }
}

/** @param {{ model: import("./view.js").Model, el: HTMLElement }} context */
function render({ model, el }) {
  const view = new BoardView(model, el);
  return () => view.dispose();
}

export default { render };
