// @ts-check
/**
 * Controls that Python describes: button, toggle, choice, range, number, text, copy. They are kept from frame to frame, so the
 * keyboard stays where it is; what is being typed is not overwritten.
 *
 * @typedef {{ role: string, kind: string, label: string, value: any, options: [string, string][], low: number, high: number,
 *             title: string, enabled: boolean, group: string, wide: boolean }} Control
 */

import { make, whole } from "./dom.js";

let count = 0;

export class BoardControls {
  /**
   * @param {(message: import("./message_queue.js").Message) => void} post
   * @param {(words: string) => void} [say]
   * @param {string} [where] the class of what they stand in
   */
  constructor(post, say, where = "tk-board-controls") {
    this.post = post;
    this.say = say;
    this.root = make("div", { class: where });
    /** What stands on the page, to see whether it has to be put together again. */
    this.drawn = "";
    /** @type {Map<string, { shape: string, part: HTMLElement, input: HTMLElement }>} */
    this.made = new Map();
  }

  /** @param {Control[]} controls */
  update(controls) {
    const groups = [...new Set(controls.map((control) => control.group))];
    const lines = groups.map((group) => controls.filter((control) => control.group === group).map((control) => this.part(control)));
    const drawn = JSON.stringify(controls.map((control) => [control.role, control.group, shapeOf(control)]));
    if (drawn !== this.drawn) {
      const held = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.role : undefined;
      this.root.replaceChildren(...lines.map((parts) => make("div", { class: "tk-line" }, ...parts)));
      if (held) /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-role="${CSS.escape(held)}"]`))?.focus();
    }
    this.drawn = drawn;
    for (const control of controls) this.set(control);
  }

  /** @param {Control} control */
  part(control) {
    const known = this.made.get(control.role);
    const shape = shapeOf(control);
    if (known?.shape === shape) return known.part;
    const made = this.make(control);
    this.made.set(control.role, { shape, ...made });
    return made.part;
  }

  /** @param {Control} control */
  make(control) {
    const { role, kind, label, title } = control;
    if (kind === "copy") {
      const input = make("button", { type: "button", "data-role": role, title: title || null }, label);
      input.addEventListener("click", () => this.copy(input.value));
      return { part: input, input };
    }
    if (kind === "button" || kind === "toggle") {
      const input = make("button", { type: "button", "data-role": role, title: title || null }, label);
      input.addEventListener("click", () => this.post(kind === "toggle" ? { kind: role, value: input.getAttribute("aria-pressed") !== "true" } : { kind: role }));
      return { part: input, input };
    }
    count += 1;
    const id = `tk-board-${count}`;
    const input = kind === "choice" ? this.choice(control, id) : this.field(control, id);
    const part = make("span", { class: `tk-field${control.wide ? " tk-wide" : ""}` }, make("label", { for: id }, label), input);
    if (kind === "range") part.append(make("output", { for: id, class: "tk-preview" }));
    return { part, input };
  }

  /** @param {string} code */
  async copy(code) {
    try {
      await navigator.clipboard.writeText(code);
      this.say?.(`copied: ${code}`);
    } catch {
      // A page without leave to the clipboard: say the code, so that it can be selected.
      this.say?.(`select and copy: ${code}`);
    }
    this.root.dataset.copied = code;
  }

  /** @param {Control} control @param {string} id */
  choice({ role, options, title }, id) {
    const input = make("select", { id, "data-role": role, title: title || null }, ...options.map(([value, label]) => make("option", { value }, label)));
    input.addEventListener("change", () => this.post({ kind: role, value: input.value }));
    return input;
  }

  /** @param {Control} control @param {string} id */
  field({ role, kind, low, high, title }, id) {
    const bounded = kind !== "text" && high > low;
    const input = make("input", {
      id, type: kind, "data-role": role, title: title || null, min: bounded ? low : null, max: bounded ? high : null,
      spellcheck: "false", autocomplete: "off", autocapitalize: "off", maxlength: kind === "text" ? 1000 : null,
    });
    const send = () => this.post({ kind: role, value: kind === "text" ? input.value : whole(input.value), sliding: kind === "range" });
    if (kind === "text") {
      input.addEventListener("keydown", (event) => {
        if (event.key === "Enter") send();
      });
      input.addEventListener("change", send);
    } else {
      input.addEventListener(kind === "range" ? "input" : "change", () => {
        if (input.value !== "") send();
      });
    }
    return input;
  }

  /** @param {Control} control */
  set({ role, kind, value, enabled, label }) {
    const made = this.made.get(role);
    if (!made) return;
    const input = /** @type {HTMLInputElement} */ (made.input);
    input.disabled = !enabled;
    if (kind === "button") input.textContent = label;
    else if (kind === "copy") {
      input.textContent = label;
      input.value = String(value ?? "");
    } else if (kind === "toggle") {
      input.textContent = label;
      input.setAttribute("aria-pressed", String(value === true));
    } else if (input !== document.activeElement || kind !== "text") {
      if (input.value !== String(value ?? "")) input.value = String(value ?? "");
    }
    const shown = made.part.querySelector("output");
    if (shown) shown.textContent = String(value ?? "");
  }
}

/** What a control is made of: when this changes it is made again. @param {Control} control */
function shapeOf({ kind, label, options, low, high, wide }) {
  return JSON.stringify([kind, kind === "button" || kind === "toggle" || kind === "copy" ? "" : label, options, low, high, wide]);
}
