// @ts-check
/**
 * GraphView in the browser: shows the SVG that Python drew and sends back what the learner does.
 *
 * For tests, the root carries the state of the picture that is on the page, as attributes:
 *   data-tk-widget="graph-view"
 *   data-revision     counts the frames that Python sent
 *   data-title        the names of the tensors;  data-library: tensorkit | torch
 *   data-operations   how many were recorded;  data-folded: how many runs are folded;  data-unfolded: how many are not
 *   data-step, data-steps   of the rehearsal; steps is empty before the first
 *   data-status       ready | rehearsing | done | refused | walked | freed | empty | undrawn
 *   data-kernel       live | slow (an answer is late) | gone
 *   data-zoom         "fit", or the scale "1.25"
 *   data-latency      milliseconds from the last message to the repainted picture
 * Parts of the picture: .tk-vertex[data-vertex][data-kind = op | leaf | constant | reference][data-name][data-state =
 *   waiting | running | ran | refused], operations with [data-kept = "name:kept|freed|modified …"], folded runs with
 *   [data-fold = members], leaves with [data-grad][data-filled = no | rehearsed | yes]; .tk-edge[data-from][data-to]
 *   [data-inputs][data-gradient = the gradient on it][data-flow = "" | flows | flowed]. What stands for a tensor is a
 *   .tk-held[data-storage][data-item][data-offset][data-size][data-stride] with .tk-item[data-slot]: .tk-lit under the pointer, .tk-kin
 *   when it reads a slot that is pointed at.
 * Controls: data-role = back, step, run, reset, scrub, fold, zoom-in, zoom-out, zoom-fit, backward (the real one), said (the
 *   live region), twin, picture, refusal, kernel.
 *
 * @typedef {{ title: string, library: string, operations: number, status: string, step: number, steps: number | null,
 *             folded: number, unfolded: number, said: string, complaint: string, warnings: string[], width: number,
 *             empty: boolean }} Facts
 */

import { listen, tell } from "./hover_bus.js";
import { make, whole } from "./dom.js";
import { GraphScene } from "./graph_scene.js";
import { PictureView } from "./view.js";

class View extends PictureView {
  /** @param {import("./view.js").Model} model @param {HTMLElement} el */
  constructor(model, el) {
    super(model, el, { widget: "graph-view", label: "GraphView", classes: "tk-graph", fits: true });
    /** @type {GraphScene | null} */
    this.scene = null;
    this.back = this.button("back", "Back", "one step back (left arrow)");
    this.next = this.button("step", "Step", "one node of the rehearsal (right arrow)");
    this.run = this.button("run", "Run", "to the end of the rehearsal (End)");
    this.reset = this.button("reset", "Reset", "to the beginning (Home)");
    this.fold = this.button("fold", "Fold runs", "fold the long runs again");
    this.real = this.button("backward", "Run backward()", "the real backward pass: fills .grad, frees what was saved");
    this.real.classList.add("tk-real");
    this.scrub = make("input", { type: "range", min: 0, "data-role": "scrub", "aria-label": "step of the rehearsal" });
    this.scrub.addEventListener("input", () => this.post({ kind: "goto", number: whole(this.scrub.value) }));
    this.count = make("span", { class: "tk-count" });
    /** @type {number | null} the storage that the pointer is on */
    this.pointing = null;
    this.unlisten = listen((pointed) => {
      if (pointed.from !== this) this.scene?.light(pointed);
    });
    this.open([this.bar()]);
  }

  bar() {
    const zoom = (/** @type {string} */ role, /** @type {string} */ label, /** @type {string} */ key, /** @type {string} */ words) => {
      const made = make("button", { type: "button", "data-role": role, "aria-label": words, title: `${words} (${key})` }, label);
      made.addEventListener("click", () => this.zoom(key));
      return made;
    };
    return make(
      "div", { class: "tk-bar", role: "group", "aria-label": "rehearsal of the backward pass" },
      this.back, this.next, this.run, this.reset, this.scrub, this.count, this.fold,
      zoom("zoom-out", "−", "-", "smaller"), zoom("zoom-fit", "Fit", "0", "fit the page"), zoom("zoom-in", "+", "+", "larger"), this.real, this.stage.button,
    );
  }

  /** @param {string} role @param {string} label @param {string} title */
  button(role, label, title) {
    const made = make("button", { type: "button", "data-role": role, title }, label);
    made.addEventListener("click", () => this.post({ kind: role }));
    return made;
  }

  /** @param {string} key */
  zoom(key) {
    this.scene?.zoomBy(key);
    this.zoomed();
  }

  /** Larger or smaller, what runs stays in sight. */
  resized() {
    super.resized();
    this.scene?.show(this.picture.querySelector(".tk-running, .tk-refused"));
  }

  zoomed() {
    this.root.dataset.zoom = this.scene?.zoom ? this.scene.zoom.toFixed(2) : "fit";
  }

  // ---- from Python

  /** @param {SVGSVGElement | null} svg @param {() => void} [place] */
  drawScene(svg, place) {
    const active = document.activeElement;
    const held = active instanceof SVGElement && this.picture.contains(active) ? active.dataset.vertex : undefined;
    const zoom = this.scene?.zoom ?? 0;
    this.scene?.dispose();
    this.scene = null;
    if (!svg) return;
    place?.();
    this.scene = new GraphScene(svg, this.picture, {
      onStep: (kind) => this.post({ kind }),
      onUnfold: (number) => this.post({ kind: "unfold", number }),
      onLook: (box) => this.say(box.getAttribute("aria-label") ?? ""),
      onPoint: (spot) => {
        if (spot || this.pointing !== null) tell({ ...(spot ?? { storage: this.pointing ?? 0, slot: null }), from: this });
        this.pointing = spot?.storage ?? null;
      },
    }, zoom);
    if (held !== undefined) this.scene.refocus(held);
    svg.addEventListener("keyup", () => this.zoomed());
    this.zoomed();
  }

  /** @param {Facts} facts @param {import("./view.js").Frame} frame */
  controls(facts, frame) {
    const { step, steps } = facts;
    this.back.disabled = step === 0;
    this.next.disabled = this.run.disabled = steps !== null && step >= steps;
    this.reset.disabled = step === 0 && facts.unfolded === 0;
    this.scrub.hidden = steps === null;
    this.scrub.max = String(steps ?? 0);
    this.scrub.value = String(step);
    this.count.hidden = steps === null;
    this.count.textContent = steps === null ? "" : `${step} of ${steps}`;
    this.fold.hidden = facts.unfolded === 0;
    this.complain(facts.complaint);
    // What the alert above already says is not said twice.
    this.say(facts.complaint ? "" : facts.said);
    Object.assign(this.root.dataset, {
      title: facts.title, library: facts.library, operations: String(facts.operations), folded: String(facts.folded),
      unfolded: String(facts.unfolded), step: String(facts.step), steps: facts.steps === null ? "" : String(facts.steps),
      status: frame.reason ? "undrawn" : facts.status,
    });
  }

  dispose() {
    super.dispose();
    this.unlisten();
    this.scene?.dispose();
  }
}

/** @param {{ model: import("./view.js").Model, el: HTMLElement }} context */
function render({ model, el }) {
  const view = new View(model, el);
  return () => view.dispose();
}

export default { render };
