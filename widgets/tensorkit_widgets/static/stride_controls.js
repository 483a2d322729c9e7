// @ts-check
/**
 * The controls under the picture: sliders, dimensions to drag, shapes, raw dials. They are built once for a number of
 * dimensions and then only updated, so that a slider is not lost under the learner's hand.
 *
 * @typedef {{
 *   name: string, expression: string, code: string, library: string, size: number[], stride: number[], offset: number,
 *   slots: number, nbytes: number, dtype: string, device: string, sliceSize: number[], slices: number[][],
 *   views: number[][], copies: number[][], complaint: string, typed: string, fault: string, said: string,
 *   canUndo: boolean, storage: number, element: string,
 *   steps: { code: string, size: number[], stride: number[], offset: number, kind: string, why: string }[],
 *   refusal: null | { code: string, message: string, pairs: number[][], offers: string[] },
 * }} State
 * @typedef {{ origin: number[], count: number[], focus: number[] | null, shown: number }} Sight
 * @typedef {(message: { kind: string, [key: string]: unknown }) => void} Post
 */

import { make, nearest, whole } from "./dom.js";

/** @param {number[]} size */
export function tuple(size) {
  return `(${size.join(", ")}${size.length === 1 ? "," : ""})`;
}

/** @param {number} d */
function tone(d) {
  return `tk-d${d % 8}`;
}

/**
 * A range input with its label and its value.
 * @param {string} role
 * @param {number} dim
 * @param {string} label
 */
function slider(role, dim, label) {
  const input = make("input", { type: "range", "data-role": role, "data-dim": dim, "aria-label": `dimension ${dim}: ${label}`, step: 1 });
  const output = make("output", { "aria-hidden": "true" });
  return { box: make("label", { class: "tk-slider" }, make("span", {}, label), input, output), input, output };
}

/**
 * @param {HTMLInputElement} input
 * @param {{ min: number, max: number, value: number }} to
 */
function set(input, { min, max, value }) {
  input.min = String(min);
  input.max = String(max);
  input.value = String(value);
  input.disabled = min >= max;
}

/** Sliders for start, stop and step of every dimension, and chips to drag dimensions into another order. */
export class SliceControls {
  /** @param {Post} post */
  constructor(post) {
    this.post = post;
    this.root = make("div", { class: "tk-rows" });
    /** @type {{ start: HTMLInputElement, stop: HTMLInputElement, step: HTMLInputElement, outputs: HTMLOutputElement[] }[]} */
    this.rows = [];
    this.root.addEventListener("input", () => this.send());
  }

  send() {
    const slices = this.rows.map(({ start, stop, step }) => [Number(start.value), Number(stop.value), Number(step.value)]);
    this.rows.forEach((row) => this.show(row));
    this.post({ kind: "slice", slices });
  }

  /** @param {State} state */
  update(state) {
    if (this.rows.length !== state.sliceSize.length) this.build(state.sliceSize.length);
    const busy = this.root.contains(document.activeElement) && document.activeElement?.matches(":active");
    this.rows.forEach((row, d) => {
      const n = state.sliceSize[d];
      const [start, stop, step] = state.slices[d];
      if (!busy) {
        set(row.start, { min: 0, max: n, value: start });
        set(row.stop, { min: 0, max: n, value: stop });
        set(row.step, { min: 1, max: Math.max(1, Math.min(n, 100)), value: step });
      }
      this.show(row);
    });
  }

  /** @param {{ start: HTMLInputElement, stop: HTMLInputElement, step: HTMLInputElement, outputs: HTMLOutputElement[] }} row */
  show(row) {
    [row.start, row.stop, row.step].forEach((input, k) => {
      row.outputs[k].textContent = input.value;
    });
  }

  /** @param {number} count */
  build(count) {
    this.rows = [];
    this.root.replaceChildren();
    if (!count) this.root.append(make("p", { class: "tk-hint" }, "A 0-d tensor has no dimension to slice."));
    for (let d = 0; d < count; d += 1) {
      const parts = ["start", "stop", "step"].map((label) => slider(`slice-${label}`, d, label));
      this.root.append(
        make("div", { class: `tk-row ${tone(d)}` }, make("span", { class: "tk-dim" }, `dim ${d}`), ...parts.map((p) => p.box)),
      );
      this.rows.push({ start: parts[0].input, stop: parts[1].input, step: parts[2].input, outputs: parts.map((p) => p.output) });
    }
  }
}

/** The dimensions as chips in a row: drag one before another, or use the arrow keys with Alt. */
export class OrderControls {
  /** @param {Post} post @param {(words: string) => void} say */
  constructor(post, say) {
    this.post = post;
    this.say = say;
    this.root = make("div", { class: "tk-chips", role: "group", "aria-label": "order of the dimensions" });
    this.count = 0;
    /** @type {{ from: number, chip: HTMLElement, id: number } | null} */
    this.held = null;
    this.root.addEventListener("pointerdown", (event) => this.pick(event));
    this.root.addEventListener("pointermove", (event) => this.move(event));
    this.root.addEventListener("pointerup", (event) => this.drop(event));
    this.root.addEventListener("pointercancel", () => this.release());
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {State} state */
  update(state) {
    this.count = state.size.length;
    const active = document.activeElement instanceof HTMLElement && this.root.contains(document.activeElement) ? document.activeElement.dataset.dim : undefined;
    this.root.replaceChildren();
    for (let d = 0; d < this.count; d += 1) {
      const words = `dim ${d} · size ${state.size[d]} · stride ${state.stride[d]}`;
      const chip = make("button", {
        type: "button", class: `tk-chip ${tone(d)}`, "data-role": "dim", "data-dim": d,
        "aria-label": `${words}. Drag it, or press Alt and an arrow key, to move it`, disabled: this.count < 2,
      }, make("span", { class: "tk-grip", "aria-hidden": "true" }, "⠿ "), words);
      this.root.append(chip);
    }
    if (active !== undefined) /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-dim="${active}"]`))?.focus();
  }

  /** @param {PointerEvent} event */
  pick(event) {
    const chip = /** @type {HTMLElement | null} */ (nearest(event, ".tk-chip"));
    if (!chip || event.button !== 0 || this.count < 2) return;
    this.held = { from: whole(chip.dataset.dim), chip, id: event.pointerId };
    this.root.setPointerCapture(event.pointerId);
  }

  /** Before which chip the held one would stand. @param {PointerEvent} event */
  place(event) {
    const chips = /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll(".tk-chip")]);
    return chips.filter((chip) => {
      const box = chip.getBoundingClientRect();
      return event.clientY > box.bottom || (event.clientY > box.top && event.clientX > box.left + box.width / 2);
    }).length;
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.held) return;
    this.held.chip.classList.add("tk-held");
    const place = this.place(event);
    [...this.root.children].forEach((chip, k) => {
      chip.classList.toggle("tk-before", k === place);
      chip.classList.toggle("tk-after", k === place - 1 && place === this.count);
    });
  }

  /** @param {PointerEvent} event */
  drop(event) {
    const held = this.held;
    if (!held) return;
    const place = this.place(event);
    this.release();
    this.put(held.from, place > held.from ? place - 1 : place);
  }

  release() {
    this.held = null;
    for (const chip of this.root.children) chip.classList.remove("tk-held", "tk-before", "tk-after");
  }

  /** @param {number} from @param {number} to */
  put(from, to) {
    const order = Array.from({ length: this.count }, (_, d) => d);
    order.splice(to, 0, ...order.splice(from, 1));
    if (from !== to) this.post({ kind: "permute", order });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const chip = /** @type {HTMLElement | null} */ (nearest(event, ".tk-chip"));
    if (!chip || !event.key.startsWith("Arrow")) return;
    const from = whole(chip.dataset.dim);
    const to = from + (event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1);
    if (to < 0 || to >= this.count) return;
    event.preventDefault();
    event.stopPropagation();
    const next = /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-dim="${to}"]`));
    next?.focus();
    if (event.altKey) {
      this.put(from, to);
      this.say(`dimension ${from} moved to place ${to}`);
    }
  }
}

/**
 * @typedef {{ label: string, min: number, max: number, value: number }} Field
 * @typedef {{ fields: (state: State) => Field[], code: (values: number[], state: State) => string }} Method
 * @type {Record<string, Method>}
 */
const METHODS = {
  narrow: {
    fields: (s) => [dimField(s), { label: "start", min: 0, max: most(s), value: 0 }, { label: "length", min: 0, max: most(s), value: 1 }],
    code: ([d, start, length], s) => s.library === "numpy" ? `[${":, ".repeat(d)}${start}:${start + length}]` : `.narrow(${d}, ${start}, ${length})`,
  },
  select: {
    fields: (s) => [dimField(s), { label: "index", min: -most(s), max: most(s) - 1, value: 0 }],
    code: ([d, i], s) => s.library === "numpy" ? `[${":, ".repeat(d)}${i}]` : `.select(${d}, ${i})`,
  },
  squeeze: { fields: (s) => [{ ...dimField(s), value: Math.max(0, s.size.indexOf(1)) }], code: ([d]) => `.squeeze(${d})` },
  unsqueeze: {
    fields: (s) => [{ label: "dim", min: 0, max: s.size.length, value: 0 }],
    code: ([d], s) => s.library === "numpy" ? `[${":, ".repeat(d)}None]` : `.unsqueeze(${d})`,
  },
  expand: {
    fields: (s) => s.size.map((n, d) => ({ label: `size ${d}`, min: 0, max: 99, value: n === 1 ? 3 : n })),
    code: (sizes) => `.expand(${sizes.join(", ")})`,
  },
  transpose: {
    fields: (s) => [{ ...dimField(s), label: "dim 0", value: 0 }, { ...dimField(s), label: "dim 1", value: s.size.length - 1 }],
    code: ([a, b], s) => s.library === "numpy" ? `.swapaxes(${a}, ${b})` : `.transpose(${a}, ${b})`,
  },
  diagonal: { fields: () => [{ label: "offset", min: -99, max: 99, value: 0 }], code: ([k]) => `.diagonal(${k})` },
  unfold: {
    fields: (s) => [dimField(s), { label: "size", min: 1, max: most(s), value: 2 }, { label: "step", min: 1, max: most(s), value: 1 }],
    code: ([d, n, step]) => `.unfold(${d}, ${n}, ${step})`,
  },
};

/** @param {State} s @returns {Field} */
function dimField(s) {
  return { label: "dim", min: 0, max: Math.max(0, s.size.length - 1), value: 0 };
}

/** @param {State} s */
function most(s) {
  return Math.max(1, ...s.size);
}

/** Shapes that `view` can give, ready-made steps, and a form for the steps with numbers. */
export class ShapeControls {
  /** @param {Post} post */
  constructor(post) {
    this.post = post;
    this.quick = make("div", { class: "tk-line", role: "group", "aria-label": "steps" });
    this.views = make("div", { class: "tk-line", role: "group", "aria-label": "shapes" });
    this.method = make("select", { "data-role": "method", "aria-label": "method" });
    this.fields = make("span", { class: "tk-fields" });
    this.preview = make("code", { class: "tk-preview", "data-role": "method-code" });
    this.add = make("button", { type: "button", "data-role": "add-step" }, "Add this step");
    const form = make("form", { class: "tk-line tk-form" }, this.method, this.fields, this.preview, this.add);
    this.root = make("div", { class: "tk-rows" }, this.quick, this.views, form);
    /** @type {State | null} */
    this.state = null;
    this.drawn = "";
    this.method.addEventListener("change", () => this.form());
    this.fields.addEventListener("input", () => this.show());
    form.addEventListener("submit", (event) => (event.preventDefault(), this.send()));
    this.add.addEventListener("click", () => this.send());
    this.root.addEventListener("click", (event) => {
      const button = /** @type {HTMLElement | null} */ (nearest(event, "[data-code]"));
      if (button) this.post({ kind: "step", text: button.dataset.code });
    });
  }

  send() {
    if (this.preview.textContent) this.post({ kind: "step", text: this.preview.textContent });
  }

  /** @param {State} state */
  update(state) {
    const before = this.state;
    this.state = state;
    const key = JSON.stringify([state.library, state.size, state.stride, state.views, state.copies]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.buttons(state);
    if (!before || before.library !== state.library) this.methods(state);
    this.form();
  }

  /** @param {State} state */
  buttons(state) {
    const array = state.library === "numpy";
    const n = state.size.length;
    const codes = array ? [".T", ".flatten()", ".squeeze()", "[None]"] : [".T", ".flatten()", ".squeeze()", ".unsqueeze(0)", ".contiguous()", ".clone()"];
    if (n === 2 && !array) codes[0] = ".t()";
    if (n !== 2 && !array) codes[0] = n > 2 ? ".mT" : "";
    const button = (/** @type {string} */ code, /** @type {string} */ role, /** @type {string} */ label) =>
      make("button", { type: "button", class: "tk-code-button", "data-role": role, "data-code": code }, label);
    this.quick.replaceChildren(make("span", { class: "tk-lead" }, "a step:"), ...codes.filter(Boolean).map((c) => button(c, "quick", c)));
    const verb = array ? ".reshape" : ".view";
    const views = state.views.map((shape) => button(`${verb}(${shape.join(", ")})`, "view", tuple(shape)));
    const copies = state.copies.map((shape) => button(`.reshape(${shape.join(", ")})`, "reshape", tuple(shape)));
    this.views.replaceChildren(make("span", { class: "tk-lead" }, `${verb} without a copy:`), ...(views.length ? views : ["none"]));
    if (copies.length) this.views.append(make("span", { class: "tk-lead" }, ".reshape, with a copy:"), ...copies);
  }

  /** @param {State} state */
  methods(state) {
    const array = state.library === "numpy";
    const names = Object.keys(METHODS).filter((name) => !array || !["expand", "unfold"].includes(name));
    this.method.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
  }

  form() {
    if (!this.state) return;
    const fields = METHODS[this.method.value].fields(this.state);
    this.fields.replaceChildren(
      ...fields.map(({ label, min, max, value }) =>
        make("label", {}, `${label} `, make("input", { type: "number", min, max, value, "data-role": "argument", "data-name": label })),
      ),
    );
    this.show();
  }

  show() {
    if (!this.state) return;
    const inputs = /** @type {HTMLInputElement[]} */ ([...this.fields.querySelectorAll("input")]);
    const values = inputs.map((input) => Math.trunc(Number(input.value) || 0));
    this.preview.textContent = METHODS[this.method.value].code(values, this.state);
  }
}

/** Raw size, stride and offset, by number; Python clamps them to the storage. */
export class DialControls {
  /** @param {Post} post */
  constructor(post) {
    this.post = post;
    this.root = make("div", { class: "tk-rows" });
    this.key = "";
    /** @type {HTMLInputElement | null} */
    this.offset = null;
    /** @type {HTMLInputElement[]} */
    this.sizes = [];
    /** @type {HTMLInputElement[]} */
    this.strides = [];
    this.root.addEventListener("input", () => this.send());
    this.root.addEventListener("click", (event) => {
      const role = /** @type {HTMLElement | null} */ (nearest(event, "button"))?.dataset.role;
      if (role === "dial-more") this.send(1);
      if (role === "dial-less") this.send(-1);
    });
  }

  /** @param {number} [by] add or drop a dimension */
  send(by = 0) {
    const read = (/** @type {HTMLInputElement} */ input) => Math.trunc(Number(input.value) || 0);
    const size = this.sizes.map(read);
    const stride = this.strides.map(read);
    if (by > 0) {
      size.unshift(1);
      stride.unshift(0);
    }
    if (by < 0) {
      size.shift();
      stride.shift();
    }
    this.post({ kind: "dials", size, stride, offset: this.offset ? read(this.offset) : 0 });
  }

  /** @param {State} state */
  update(state) {
    if (state.library === "numpy") {
      this.key = "numpy";
      this.root.replaceChildren(make("p", { class: "tk-hint" }, "A NumPy array has no as_strided method: wrap it with tensorkit.from_numpy to turn its dials."));
      return;
    }
    const key = String(state.size.length);
    if (key !== this.key) this.build(state.size.length);
    this.key = key;
    const put = (/** @type {HTMLInputElement} */ input, /** @type {number} */ value, /** @type {number} */ max) => {
      input.max = String(max);
      if (input.value !== String(value) && !(input === document.activeElement && input.value === "")) input.value = String(value);
    };
    if (this.offset) put(this.offset, state.offset, Math.max(0, state.slots - 1));
    this.sizes.forEach((input, d) => put(input, state.size[d], Math.max(64, state.slots)));
    this.strides.forEach((input, d) => put(input, state.stride[d], Math.max(0, state.slots - 1)));
  }

  /** @param {number} count */
  build(count) {
    const dial = (/** @type {string} */ role, /** @type {number | null} */ dim, /** @type {string} */ label) => {
      const said = dim === null ? label : `dimension ${dim}: ${label}`;
      const input = make("input", { type: "number", min: 0, step: 1, "data-role": role, "data-dim": dim, "aria-label": said });
      return { box: make("label", {}, `${label} `, input), input };
    };
    const offset = dial("dial-offset", null, "offset");
    const rows = Array.from({ length: count }, (_, d) => [dial("dial-size", d, "size"), dial("dial-stride", d, "stride")]);
    this.offset = offset.input;
    this.sizes = rows.map(([size]) => size.input);
    this.strides = rows.map(([, stride]) => stride.input);
    const line = make("div", { class: "tk-line" }, offset.box);
    const less = make("button", { type: "button", "data-role": "dial-less", disabled: count === 0 }, "− dimension");
    line.append(make("button", { type: "button", "data-role": "dial-more", disabled: count >= 8 }, "+ dimension"), less);
    this.root.replaceChildren(
      line,
      ...rows.map(([size, stride], d) =>
        make("div", { class: `tk-line ${tone(d)}` }, make("span", { class: "tk-dim" }, `dim ${d}`), size.box, stride.box),
      ),
    );
  }
}

/** Sliders over what does not fit: leading dimensions, large dimensions, a long storage. */
export class SightControls {
  /** @param {Post} post */
  constructor(post) {
    this.post = post;
    this.root = make("div", { class: "tk-rows tk-sight" });
    this.key = "";
    /** @type {Sight | null} */
    this.sight = null;
    this.root.addEventListener("input", (event) => this.send(/** @type {HTMLInputElement} */ (event.target)));
  }

  /** @param {HTMLInputElement} input */
  send(input) {
    const output = input.parentElement?.querySelector("output");
    if (output) output.textContent = input.value;
    if (input.dataset.role === "strip-window") this.post({ kind: "look", slot: Number(input.value) });
    else if (this.sight?.focus) {
      const focus = [...this.sight.focus];
      focus[whole(input.dataset.dim)] = Number(input.value);
      this.post({ kind: "look", focus });
    }
  }

  /** @param {State} state @param {Sight} sight */
  update(state, sight) {
    this.sight = sight;
    const dims = sight.focus ? state.size.map((_, d) => d).filter((d) => sight.count[d] < state.size[d]) : [];
    const strip = sight.shown < state.slots;
    const key = JSON.stringify([dims, strip, state.size.length]);
    if (key !== this.key) this.build(dims, strip, state.size.length);
    this.key = key;
    for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (this.root.querySelectorAll("input"))) {
      const d = whole(input.dataset.dim);
      const strips = input.dataset.role === "strip-window";
      if (!input.matches(":active")) {
        set(input, strips ? { min: 0, max: state.slots - 1, value: Number(input.value) } : { min: 0, max: state.size[d] - 1, value: sight.focus?.[d] ?? 0 });
      }
      const output = input.parentElement?.querySelector("output");
      if (output) output.textContent = input.value;
    }
  }

  /** @param {number[]} dims @param {boolean} strip @param {number} count */
  build(dims, strip, count) {
    const rows = dims.map((d) => {
      const { box } = slider(d < count - 3 ? "hold" : "pan", d, `${d < count - 3 ? "hold" : "look at"} dim ${d}, index`);
      return make("div", { class: `tk-row ${tone(d)}` }, box);
    });
    if (strip) {
      const input = make("input", { type: "range", "data-role": "strip-window", "aria-label": "look at the storage from slot", step: 1, value: 0 });
      rows.push(make("div", { class: "tk-row" }, make("label", { class: "tk-slider" }, make("span", {}, "look at the storage around slot"), input, make("output", { "aria-hidden": "true" }))));
    }
    this.root.replaceChildren(...rows);
  }
}
