// @ts-check
/** A code cell of an exported lesson: its code to change and run, and what it gave, recorded or live. */

import { make } from "./dom.js";
import { CodeField } from "./lesson_code.js";
import { lineOf, Outputs } from "./lesson_outputs.js";
import { touched } from "./lesson_touch.js";

/** The error of a page's Python that names what it lacks, in a sentence for the learner. */
const LACKS = "NeedsJupyter";

/**
 * @typedef {{ run(cell: LessonCell): void, steps(still: HTMLElement): void, play(cell: LessonCell, which: number, touch: import("./lesson_touch.js").Touch): void,
 *             changed(cell: LessonCell): void, mount(model: string, el: HTMLElement): () => void }} Acts
 */

export class LessonCell {
  /** @param {HTMLElement} root @param {Acts} acts */
  constructor(root, acts) {
    this.root = root;
    this.acts = acts;
    this.name = root.dataset.cell ?? "";
    this.number = Number(root.dataset.number);
    /** Whether it is meant to fail. */
    this.fails = "fails" in root.dataset;
    /** The scenes of its picture, as JSON. */
    this.scenes = root.dataset.scenes ?? "[]";
    const shown = root.querySelector(".lesson-outputs") ?? root.appendChild(make("div", { class: "lesson-outputs" }));
    this.outputs = new Outputs(/** @type {HTMLElement} */ (shown), (model, el) => acts.mount(model, el));
    const code = /** @type {HTMLElement} */ (root.querySelector(".lesson-code"));
    this.code = new CodeField(code, `Code of cell ${this.number}`, { changed: () => this.changed(), run: () => acts.run(this) });
    const run = make("button", { type: "button", class: "lesson-run", "aria-label": `Run cell ${this.number}`, title: "Shift+Enter" }, "▷ Run");
    run.addEventListener("click", () => acts.run(this));
    this.undo = make("button", { type: "button", hidden: true }, "As it was");
    this.undo.addEventListener("click", () => {
      this.code.source = this.code.recorded;
      this.changed();
      this.code.field.focus();
    });
    code.after(make("div", { class: "lesson-tools" }, run, this.undo));
    /** @type {import("./lesson_outputs.js").Output[]} what it gave while it was run to get on, to be shown when it is done */
    this.given = [];
    this.asked = false;
    this.invite();
  }

  get edited() {
    return this.code.source !== this.code.recorded;
  }

  changed() {
    this.undo.hidden = !this.edited;
    this.acts.changed(this);
  }

  /** Each recorded picture or card says how it is played, and is played when it is touched. */
  invite() {
    const stills = /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll(".lesson-html")].filter((part) => part.querySelector(":scope > .tk-still")));
    for (const [which, still] of stills.entries()) {
      const card = still.querySelector(":scope > div.tk-still");
      const recorded = "recorded" in still.dataset;
      const words = recorded ? "▷ Look closer" : card ? "▷ Answer it here" : "▷ Play with the picture";
      const start = make("button", { type: "button", class: "lesson-start" }, words);
      start.addEventListener("click", () => (recorded ? this.acts.steps(still) : this.acts.play(this, which, { keyboard: true })));
      still.addEventListener("click", (event) => {
        if (event.target === start) return;
        if (recorded) this.acts.steps(still);
        else this.acts.play(this, which, touched(/** @type {MouseEvent} */ (event)));
      });
      still.append(start);
      still.classList.add("lesson-touch");
    }
  }

  /** @param {boolean} asked whether it is run because the learner ran this very cell */
  begin(asked) {
    this.asked = asked;
    this.given = [];
    this.root.classList.add("lesson-busy");
    if (asked) this.outputs.clear();
  }

  /** @param {import("./lesson_outputs.js").Output} output */
  hear(output) {
    if (this.asked) this.outputs.add(output);
    this.given.push(output);
  }

  /** @param {"ran" | "failed" | "stopped"} how */
  finish(how) {
    this.root.classList.remove("lesson-busy");
    const error = this.given.find((output) => output.output_type === "error");
    if (how === "stopped") {
      const words = this.edited ? "Stopped. Change the cell, and run it again." : "Stopped. What is here was recorded; run the cell again when you like.";
      if (!this.edited) this.outputs.restore([note(words)]);
      else this.outputs.part.append(note(words));
    } else if (how === "failed" && !this.fails && !this.edited) {
      this.outputs.restore([note(`${reason(error)} What is shown here was recorded.`)]);
    } else if (!this.asked) {
      this.outputs.clear();
      for (const output of this.given) this.outputs.add(output);
    }
  }

  /** What Python drew is gone with it. */
  lose() {
    if (this.outputs.live.length) this.outputs.restore();
  }
}

/** Why a cell that was not changed cannot run here. @param {import("./lesson_outputs.js").Output | undefined} error */
function reason(error) {
  if (error?.ename === LACKS) return error.evalue ?? "";
  return `This cell does not run in a browser${error ? ` (${lineOf(error)})` : ""}.`;
}

/** @param {string} words */
const note = (words) => make("p", { class: "lesson-note", role: "status" }, words);
