// @ts-check
/** The code of a cell, to be changed: a plain text field, clear as glass, over the same text in colours. */

import { make } from "./dom.js";

const WORDS = "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield";
/** The classes are those of Pygments, which coloured the page when it was written. */
const TOKEN = new RegExp([
  /(?<c1>#.*)/,
  /(?<s1>[rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
  new RegExp(`(?<k>\\b(?:${WORDS.replaceAll(" ", "|")})\\b)`),
  /(?<mi>\b\d[\w.]*)/,
  /(?<word>\w+)/,
].map((part) => part.source).join("|"), "g");

/** Code in colours. @param {string} code @returns {(Node | string)[]} */
export function coloured(code) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let last = 0;
  for (const found of code.matchAll(TOKEN)) {
    const [kind] = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined) ?? ["word"];
    if (kind === "word") continue;
    parts.push(code.slice(last, found.index), make("span", { class: kind }, found[0]));
    last = found.index + found[0].length;
  }
  return [...parts, code.slice(last), "\n"];
}

export class CodeField {
  /** @param {HTMLElement} part the recorded code @param {string} label @param {{ changed(): void, run(): void }} act */
  constructor(part, label, act) {
    this.pre = /** @type {HTMLElement} */ (part.querySelector("pre"));
    this.recorded = (this.pre.textContent ?? "").replace(/\n$/, "");
    this.field = make("textarea", { "aria-label": label, spellcheck: "false", autocomplete: "off", autocapitalize: "off", rows: 1 });
    this.field.value = this.recorded;
    this.field.addEventListener("input", () => {
      this.paint();
      act.changed();
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      if (event.shiftKey || event.ctrlKey || event.metaKey) {
        event.preventDefault();
        act.run();
      } else this.indent(event);
    });
    part.classList.add("lesson-editable");
    part.append(this.field);
    this.pre.setAttribute("aria-hidden", "true");
  }

  get source() {
    return this.field.value;
  }

  set source(text) {
    this.field.value = text;
    this.paint();
  }

  paint() {
    this.pre.replaceChildren(...coloured(this.field.value));
  }

  /** The next line begins where this one does; further in after a colon. @param {KeyboardEvent} event */
  indent(event) {
    const before = this.field.value.slice(0, this.field.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const deeper = /:\s*$/.test(line) ? "    " : "";
    const space = (/^ */.exec(line)?.[0] ?? "") + deeper;
    if (!space) return;
    event.preventDefault();
    // The browser's own way to type: what is typed so can be undone.
    document.execCommand("insertText", false, `\n${space}`);
  }
}
