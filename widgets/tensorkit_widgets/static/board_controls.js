// @ts-check
/**
 * Controls that Python describes (see `Control` in `widget/board.py`). They are kept from frame to frame, so the keyboard
 * stays where it is; what is being typed or dragged is not overwritten.
 *
 * A control carries data-role, and where it has them data-dim, data-name and data-code.
 *
 * @typedef {{ role: string, kind: string, label: string, value: any, options: [string, string][], low: number, high: number,
 *             title: string, enabled: boolean, group: string, wide: boolean, panel: string, dim: number | null, name: string,
 *             live: boolean, wrong: boolean, placeholder: string }} Control
 * @typedef {{ shape: string, part: HTMLElement, input: HTMLElement, order?: OrderControl }} Made
 */

import { make, whole } from "./dom.js";
import { OrderControl } from "./order_control.js";

let count = 0;

export class BoardControls {
  /**
   * @param {(message: import("./message_queue.js").Message) => void} post
   * @param {(words: string) => void} [say]
   * @param {string} [where] the class of what they are in
   */
  constructor(post, say = () => {}, where = "tk-board-controls") {
    this.post = post;
    this.say = say;
    this.root = make("div", { class: where });
    /** What is on the page, to see whether it has to be put together again. */
    this.drawn = "";
    /** @type {Map<string, Made>} */
    this.made = new Map();
  }

  /** @param {Control[]} controls */
  update(controls) {
    const groups = [...new Set(controls.map((control) => control.group))];
    const lines = groups.map((group) => controls.filter((control) => control.group === group));
    const drawn = JSON.stringify(controls.map((control) => [nameOf(control), control.group, shapeOf(control)]));
    if (drawn !== this.drawn) {
      const active = document.activeElement;
      const held = active instanceof HTMLElement && this.root.contains(active) ? { ...active.dataset } : undefined;
      this.root.replaceChildren(...lines.map((line) => {
        const dim = line.find((control) => control.dim !== null)?.dim ?? null;
        return make("div", { class: `tk-line${tone(dim)}` }, ...line.map((control) => this.part(control)));
      }));
      if (held?.role) this.same(held)?.focus();
    }
    this.drawn = drawn;
    for (const control of controls) this.set(control);
  }

  /** The control that carries the same marks. @param {DOMStringMap} marks */
  same({ role, dim, name }) {
    const parts = /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll("[data-role]")]);
    return parts.find(({ dataset }) => dataset.role === role && dataset.dim === dim && dataset.name === name);
  }

  /** @param {Control} control */
  part(control) {
    const known = this.made.get(nameOf(control));
    const shape = shapeOf(control);
    if (known?.shape === shape) return known.part;
    const made = { shape, ...this.make(control) };
    this.made.set(nameOf(control), made);
    return made.part;
  }

  /** What the learner did. @param {Control} control @param {object} more */
  send({ role, dim, name }, more = {}) {
    this.post({ kind: role, ...(dim === null ? {} : { dim }), ...(name ? { name } : {}), ...more });
  }

  /** @param {Control} control @returns {{ part: HTMLElement, input: HTMLElement, order?: OrderControl }} */
  make(control) {
    const { role, kind, label, title, value, dim } = control;
    const marks = { "data-role": role, "data-dim": dim, "data-name": control.name || null, title: title || null };
    if (kind === "words") {
      const input = make("span", { class: dim === null ? "tk-lead" : "tk-dim" }, label);
      return { part: input, input };
    }
    if (kind === "output") {
      const input = make("code", { class: "tk-preview", ...marks });
      return { part: input, input };
    }
    if (kind === "order") {
      const order = new OrderControl(label, (places) => this.send(control, { value: places }), this.say);
      return { part: order.root, input: order.root, order };
    }
    if (["button", "toggle", "copy", "code"].includes(kind)) {
      const input = make("button", { type: "button", ...marks, class: kind === "code" ? "tk-code-button" : null, "data-code": kind === "code" ? value : null }, label);
      input.addEventListener("click", () => this.pressed(control, input));
      return { part: input, input };
    }
    count += 1;
    const id = `tk-board-${count}`;
    const input = kind === "choice" ? this.choice(control, id, marks) : this.field(control, id, marks);
    const part = make("span", { class: `tk-field${control.wide ? " tk-wide" : ""}${kind === "range" ? " tk-slider" : ""}` }, make("label", { for: id }, label), input);
    if (kind === "range") part.append(make("output", { for: id, class: "tk-preview" }));
    return { part, input };
  }

  /** @param {Control} control @param {HTMLButtonElement} input */
  pressed(control, input) {
    if (control.kind === "copy") this.copy(input.value);
    else if (control.kind === "toggle") this.send(control, { value: input.getAttribute("aria-pressed") !== "true" });
    else this.send(control, control.kind === "code" ? { value: control.value } : {});
  }

  /** @param {string} code */
  async copy(code) {
    try {
      await navigator.clipboard.writeText(code);
      this.say(`copied: ${code}`);
    } catch {
      // A page without leave to the clipboard: say the code, so that it can be selected.
      this.say(`select and copy: ${code}`);
    }
    const root = /** @type {HTMLElement} */ (this.root.closest("[data-tk-widget]") ?? this.root);
    this.root.dataset.copied = root.dataset.copied = code;
  }

  /** @param {Control} control @param {string} id @param {Record<string, any>} marks */
  choice(control, id, marks) {
    const input = make("select", { id, ...marks }, ...control.options.map(([value, label]) => make("option", { value }, label)));
    input.addEventListener("change", () => this.send(control, { value: input.value }));
    return input;
  }

  /** @param {Control} control @param {string} id @param {Record<string, any>} marks */
  field(control, id, marks) {
    const { kind, live } = control;
    const input = make("input", {
      id, type: kind, ...marks, spellcheck: "false", autocomplete: "off", autocapitalize: "off", maxlength: kind === "text" ? 1000 : null,
      step: kind === "text" ? null : 1, placeholder: control.placeholder || null, "aria-label": control.dim === null ? null : marks.title,
    });
    const send = () => this.send(control, { value: kind === "text" ? input.value : whole(input.value), sliding: kind === "range" || live });
    if (kind === "text") {
      /** @type {string | null} what Enter has sent: leaving the box does not send it again */
      let sent = null;
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        sent = input.value;
        send();
      });
      input.addEventListener("input", () => { sent = null; });
      input.addEventListener("change", () => {
        if (input.value !== sent) send();
        sent = input.value;
      });
    } else {
      input.addEventListener(kind === "range" || live ? "input" : "change", () => {
        if (input.value !== "") send();
        const shown = kind === "range" ? input.parentElement?.querySelector("output") : null;
        if (shown) shown.textContent = input.value;
      });
    }
    return input;
  }

  /** @param {Control} control */
  set(control) {
    const { kind, value, enabled, label, low, high, options, wrong } = control;
    const made = this.made.get(nameOf(control));
    if (!made || kind === "words" || kind === "code") return;
    if (made.order) return made.order.update(options);
    const input = /** @type {HTMLInputElement} */ (made.input);
    if (kind === "output") {
      input.textContent = String(value ?? "");
      return;
    }
    input.disabled = !enabled;
    if (kind === "button" || kind === "copy" || kind === "toggle") {
      input.textContent = label;
      if (kind === "toggle") input.setAttribute("aria-pressed", String(value === true));
      else if (kind === "copy") input.value = String(value ?? "");
      return;
    }
    const busy = document.activeElement === input && (kind === "text" || (kind === "number" && input.value === "") || (kind === "range" && input.matches(":active")));
    if (busy) return;
    if (kind !== "text" && high > low) [input.min, input.max] = [String(low), String(high)];
    if (kind === "text") input.setAttribute("aria-invalid", String(wrong));
    if (input.value !== String(value ?? "")) input.value = String(value ?? "");
    const shown = made.part.querySelector("output");
    if (shown) shown.textContent = String(value ?? "");
  }
}

/** What tells a control from the others. @param {Control} control */
function nameOf({ role, dim, name, kind, value }) {
  return JSON.stringify([role, dim, name, kind === "code" ? value : ""]);
}

/** What a control is made of: when this changes it is made again. @param {Control} control */
function shapeOf({ kind, label, options, wide }) {
  return JSON.stringify([kind, ["button", "toggle", "copy"].includes(kind) ? "" : label, kind === "order" ? [] : options, wide]);
}

/** The class of a dimension's colour. @param {number | null} dim */
function tone(dim) {
  return dim === null ? "" : ` tk-d${dim % 8}`;
}
