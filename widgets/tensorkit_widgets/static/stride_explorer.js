// @ts-check
/**
 * StrideExplorer in the browser: shows the SVG that Python drew and sends back what the learner does.
 *
 * For tests, the root carries the state of the picture that is on the page, as attributes:
 *   data-tk-widget="stride-explorer"
 *   data-revision     counts the frames that Python sent
 *   data-expression   the steps, e.g. "[1:, ::2].t()";  data-code: the whole Python
 *   data-size, data-stride   "2,2";  data-offset "4";  data-slots "12";  data-dtype "float32"; data-library
 *   data-steps        the number of steps after the tensor itself
 *   data-kind         of the last step: tensor | view | copy
 *   data-status       ok | refused (the engine said no) | not-allowed (the grammar said no) | fault (freed, resized) | undrawn
 *   data-conflicts    "0-1 1-2": dimensions that cannot merge, when refused
 *   data-kernel       live | slow (an answer is late) | gone
 *   data-focus        index of the lit element "1,1";  data-focus-slot "10"
 *   data-element      the filled-in formula of that element, as a sentence
 *   data-latency      milliseconds from the last message to the repainted picture
 *   data-painting     milliseconds of them that the browser spent on the picture and the controls
 *   data-copied       the code that the Copy button put on the clipboard
 * Parts of the picture: .tk-cell[data-index][data-slot][data-full], .tk-slot[data-slot][data-readers][data-full], .tk-lit,
 *   .tk-kin (reads the lit slot too), .tk-hatched, .tk-changed (another number than in the frame before), .tk-arc,
 *   [data-part="slot"|"value"|"index-0"|"term-0"], [data-role="axis"][data-dim], [data-role="step"][data-step],
 *   [data-role="remove"][data-step], [data-role="gap"], [data-role="next-step"], [data-role="code"].
 * Controls: data-role = expression, apply, undo, reset, copy, tab (data-tab = slice | shape | raw | text), dim (chips to
 *   drag), slice-start | slice-stop | slice-step (with data-dim), quick, view, reshape (with data-code), method, argument
 *   (data-name), add-step, dial-offset | dial-size | dial-stride, dial-more, dial-less, hold, pan, strip-window, offer (in
 *   the refusal), editor (the input over a cell), said (the live region), twin, picture, refusal, kernel.
 *
 * @typedef {import("./stride_controls.js").State} State
 * @typedef {import("./view.js").Frame} Frame
 */

import { listen, tell } from "./hover_bus.js";
import { DialControls, OrderControls, ShapeControls, SightControls, SliceControls } from "./stride_controls.js";
import { make, whole } from "./dom.js";
import { editCell } from "./cell_editor.js";
import { LiveScene } from "./stride_scene.js";
import { tabs } from "./tabs.js";
import { PictureView } from "./view.js";

class View extends PictureView {
  /** @param {import("./view.js").Model} model @param {HTMLElement} el */
  constructor(model, el) {
    super(model, el, { widget: "stride-explorer", label: "StrideExplorer", classes: "tk-explorer", fits: true });
    const post = (/** @type {import("./message_queue.js").Message} */ message) => this.post(message);
    const say = (/** @type {string} */ words) => this.say(words);
    /** @type {LiveScene | null} */
    this.scene = null;
    /** @type {State | null} */
    this.state = null;
    /** @type {string | null} the part of the picture that gets the keyboard after the next repaint */
    this.looking = null;
    /** @type {string | null} the part that had the keyboard before the repaint */
    this.back = null;
    /** @type {number | null} the storage whose numbers are on the page */
    this.drawn = null;
    this.slices = new SliceControls(post);
    this.order = new OrderControls(post, say);
    this.shapes = new ShapeControls(post);
    this.dials = new DialControls(post);
    this.sight = new SightControls(post);
    this.name = make("span", { class: "tk-name" });
    this.input = make("input", {
      type: "text", "data-role": "expression", "aria-label": "expression: steps after the tensor's name", spellcheck: "false",
      autocomplete: "off", autocapitalize: "off", class: "tk-expression", maxlength: 1000, placeholder: "[1:, ::2].t()",
    });
    this.undo = button("undo", "Undo", () => this.post({ kind: "undo" }));
    this.unlisten = listen((pointed) => this.pointed(pointed));
    this.open([this.bar()], [this.sight.root, this.panels()]);
  }

  /** The line of code at the top. */
  bar() {
    const apply = make("button", { type: "submit", "data-role": "apply" }, "Apply");
    const reset = button("reset", "Reset", () => this.post({ kind: "reset" }));
    const copy = button("copy", "Copy code", () => this.copyCode());
    const form = make("form", { class: "tk-bar" }, this.name, this.input, apply, this.undo, reset, copy, this.stage.button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.post({ kind: "expression", text: this.input.value });
    });
    return form;
  }

  /** The controls under the picture. */
  panels() {
    return tabs([
      ["slice", "Slice and order", make("div", { class: "tk-rows" }, this.order.root, this.slices.root)],
      ["shape", "Shape", this.shapes.root],
      ["raw", "Raw numbers", this.dials.root],
      ["text", "As text", this.twin],
    ]);
  }

  // ---- from Python

  /** @param {Frame} frame */
  paint(frame) {
    this.state = frame?.facts ?? this.state;
    super.paint(frame);
  }

  /** @param {SVGSVGElement | null} svg @param {() => void} [place] */
  drawScene(svg, place) {
    const before = this.numbers(this.state?.storage ?? 0);
    const back = this.focusedPart();
    this.scene?.dispose();
    this.scene = null;
    if (!svg) return;
    place?.();
    this.scene = new LiveScene(svg, this.options());
    for (const part of this.changed(before)) part.classList.add("tk-changed");
    if (back) this.back = back;
  }

  /** The numbers that are on the page, by slot, as long as the storage is the same. @param {number} storage */
  numbers(storage) {
    const same = this.drawn === storage;
    this.drawn = storage;
    const slots = this.scene && same ? [...this.scene.slots, ...this.scene.byslot()] : [];
    return new Map(slots.map(([slot, part]) => [slot, part.dataset.full]));
  }

  /** The parts whose number is another one now: they flash. @param {Map<number, string | undefined>} before */
  changed(before) {
    if (!this.scene || !before.size) return [];
    const parts = [...this.scene.slots.values(), ...this.scene.cells.values()];
    return parts.filter(({ dataset }) => before.has(whole(dataset.slot)) && before.get(whole(dataset.slot)) !== dataset.full);
  }

  /** A selector for the part of the picture that has the keyboard, to give it back after a repaint. */
  focusedPart() {
    const active = document.activeElement;
    if (!(active instanceof SVGElement) || !this.picture.contains(active)) return null;
    if (active.classList.contains("tk-cell")) return this.looking ?? `.tk-cell[data-index="${active.dataset.index}"], .tk-cell[tabindex="0"]`;
    if (active.classList.contains("tk-slot")) return this.looking ?? `.tk-slot[data-slot="${active.dataset.slot}"], .tk-slot[tabindex="0"]`;
    const { role, dim, step } = active.dataset;
    if (role === "axis") return `[data-role="axis"][data-dim="${dim}"]`;
    return role ? `[data-role="${role}"]${step ? `[data-step="${step}"]` : ""}, .tk-current` : null;
  }

  /** @returns {import("./stride_scene.js").Options} */
  options() {
    return {
      onFocus: ({ index, slot, said }) => {
        this.root.dataset.focus = index ? index.join(",") : "";
        this.root.dataset.focusSlot = String(slot);
        this.root.dataset.element = said;
      },
      onPoint: (slot) => tell({ storage: this.state?.storage ?? 0, slot, from: this }),
      onLook: (target) => {
        this.looking = target.focus ? `.tk-cell[data-index="${target.focus.join(",")}"]` : `.tk-slot[data-slot="${target.slot}"]`;
        this.post({ kind: "look", ...target });
      },
      onEdit: (cell, index, typed) => editCell(this.picture, cell, (text) => this.post({ kind: "edit", index, text }), typed),
      onStep: (step) => this.post({ kind: "goto", step }),
      onRemove: (step) => this.post({ kind: "remove", step }),
      onNext: () => {
        this.input.focus();
        this.input.setSelectionRange(this.input.value.length, this.input.value.length);
      },
      onSwap: (a, b) => this.post({ kind: "swap", dims: [a, b] }),
      say: (words) => this.say(words),
    };
  }

  /** @param {State} facts @param {Frame} frame */
  controls(facts, frame) {
    this.looking = null;
    this.name.textContent = facts.name;
    const wrong = facts.typed !== "";
    if (wrong) {
      if (document.activeElement !== this.input) this.input.value = bare(facts.typed, facts.name);
    } else this.input.value = facts.expression;
    this.input.setAttribute("aria-invalid", String(wrong));
    this.undo.disabled = !facts.canUndo && !facts.refusal;
    this.slices.update(facts);
    this.order.update(facts);
    this.shapes.update(facts);
    this.dials.update(facts);
    if (this.scene) {
      const { origin, count, focus } = this.scene.facts;
      this.sight.update(facts, { origin, count, focus, shown: this.scene.slots.size });
    }
    this.refuse(facts);
    // What the alert above already says is not said twice.
    this.say(this.refusal.hidden ? facts.said : "");
    this.mark(frame);
    if (this.back) /** @type {SVGElement | null} */ (this.picture.querySelector(this.back))?.focus({ preventScroll: true });
    this.back = null;
  }

  /** @param {State} facts */
  refuse(facts) {
    const { refusal, complaint, fault } = facts;
    const words = complaint || (refusal ? `${refusal.code} was refused: ${refusal.message}` : fault);
    this.complain(words);
    if (words && refusal?.offers.length) {
      const line = make("p", { class: "tk-line" }, make("span", { class: "tk-lead" }, "what works instead, with a copy:"));
      for (const offer of refusal.offers) {
        const take = make("button", { type: "button", class: "tk-code-button", "data-role": "offer" }, `${facts.name}${offer}`);
        take.addEventListener("click", () => this.post({ kind: "expression", text: offer }));
        line.append(take);
      }
      this.refusal.append(line);
    }
  }

  /** @param {Frame} frame */
  mark(frame) {
    /** @type {State} */
    const facts = frame.facts;
    const { dataset } = this.root;
    const last = facts.steps[facts.steps.length - 1];
    Object.assign(dataset, {
      expression: facts.expression, code: facts.code, size: facts.size.join(","), stride: facts.stride.join(","),
      offset: String(facts.offset), slots: String(facts.slots), dtype: facts.dtype, library: facts.library,
      steps: String(facts.steps.length - 1), kind: last.kind,
      conflicts: (facts.refusal?.pairs ?? []).map((pair) => pair.join("-")).join(" "),
      status: frame.reason ? "undrawn" : facts.fault ? "fault" : facts.refusal ? "refused" : facts.complaint ? "not-allowed" : "ok",
    });
    const focus = this.scene?.facts.focus;
    dataset.focus = focus ? focus.join(",") : "";
    dataset.focusSlot = this.scene?.svg.querySelector('[data-part="slot"]')?.textContent ?? "";
    dataset.element = facts.element ?? "";
  }

  // ---- around it

  async copyCode() {
    const code = this.state?.code ?? "";
    try {
      await navigator.clipboard.writeText(code);
      this.say(`copied: ${code}`);
    } catch {
      // A page without leave to the clipboard: select the code, so that the learner's own copy key works.
      this.input.focus();
      this.input.select();
      this.say(`select and copy: ${code}`);
    }
    this.root.dataset.copied = code;
  }

  /** @param {import("./hover_bus.js").Pointed} pointed */
  pointed({ storage, slot, tensor, from }) {
    if (from !== this && storage === this.state?.storage) this.scene?.point(slot, tensor);
  }

  dispose() {
    super.dispose();
    this.unlisten();
    this.scene?.dispose();
  }
}

/** @param {string} typed @param {string} name */
function bare(typed, name) {
  return typed.startsWith(name) ? typed.slice(name.length) : typed;
}

/** @param {string} role @param {string} label @param {() => void} act */
function button(role, label, act) {
  const element = make("button", { type: "button", "data-role": role }, label);
  element.addEventListener("click", act);
  return element;
}

/** @param {{ model: import("./view.js").Model, el: HTMLElement }} context */
function render({ model, el }) {
  const view = new View(model, el);
  return () => view.dispose();
}

export default { render };
