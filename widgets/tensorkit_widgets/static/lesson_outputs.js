// @ts-check
/**
 * What a cell gave, on the page: as a notebook shows it, with live views where Python opened some.
 *
 * @typedef {{ output_type: string, name?: string, text?: string | string[], data?: Record<string, any>, traceback?: string[], ename?: string, evalue?: string }} Output as a notebook's file has it
 */

import { make } from "./dom.js";

const VIEW = "application/vnd.jupyter.widget-view+json";
/** Letters of a cell's output that are shown: a loop that prints for ever does not fill the page. */
const MOST = 100_000;
const COLOURS = /\u001b\[[\d;]*m/g;

/** @param {string | string[] | undefined} text */
const joined = (text) => (Array.isArray(text) ? text.join("") : text ?? "");

/** What an error says, in a line. @param {Output} output */
export const lineOf = ({ ename, evalue }) => `${ename ?? "an error"}: ${(evalue ?? "").split("\n")[0]}`;

/** @param {string} kind @param {string} text */
const text = (kind, text) => make("pre", { class: kind, tabindex: 0 }, text.replace(COLOURS, ""));

/** @param {string} html @param {string} [kind] */
function markup(html, kind = "lesson-html") {
  const part = make("div", { class: kind });
  part.innerHTML = html;
  return part;
}

export class Outputs {
  /** @param {HTMLElement} part where they are shown @param {(model: string, el: HTMLElement) => () => void} mount shows a live view, and gives what takes it down */
  constructor(part, mount) {
    this.part = part;
    this.mount = mount;
    this.recorded = [...part.childNodes];
    /** @type {(() => void)[]} */
    this.live = [];
    this.letters = 0;
    /** A picture that follows its own live view is the same once more. */
    this.afterView = false;
  }

  clear() {
    for (const takeDown of this.live.splice(0)) takeDown();
    this.part.replaceChildren();
    this.letters = 0;
    this.afterView = false;
  }

  /** Show what was recorded, with a word on why. @param {Node[]} [why] */
  restore(why = []) {
    this.clear();
    this.part.append(...this.recorded, ...why);
  }

  /** @param {Output} output */
  add(output) {
    const { data = {} } = output;
    const follows = this.afterView;
    this.afterView = false;
    if (output.output_type === "stream") return this.stream(joined(output.text), output.name === "stderr");
    if (output.output_type === "error") return this.part.append(text("lesson-error", (output.traceback ?? [lineOf(output)]).join("\n")));
    if (data[VIEW]) {
      this.afterView = true;
      const el = make("div", { class: "lesson-live" });
      this.part.append(el);
      this.live.push(this.mount(data[VIEW].model_id, el));
      return undefined;
    }
    const html = joined(data["text/html"]);
    if (follows && html.includes("tk-still")) return undefined;
    return this.part.append(this.shown(data, html));
  }

  /** @param {Record<string, any>} data @param {string} html */
  shown(data, html) {
    if (html) return markup(html);
    if (data["image/svg+xml"]) return markup(joined(data["image/svg+xml"]));
    if (data["image/png"]) return make("img", { class: "lesson-figure", alt: "the figure that the code above draws", src: `data:image/png;base64,${joined(data["image/png"]).trim()}` });
    return text("lesson-result", joined(data["text/plain"]));
  }

  /** @param {string} words @param {boolean} aside whether it is a warning */
  stream(words, aside) {
    const last = this.part.lastElementChild;
    const kind = aside ? "lesson-stream lesson-warned" : "lesson-stream";
    const room = MOST - this.letters;
    this.letters += words.length;
    if (room <= 0) return;
    const more = words.length > room ? `${words.slice(0, room)}\n… and more, which is left out.` : words;
    if (last?.className === kind) last.append(more.replace(COLOURS, ""));
    else this.part.append(text(kind, more));
  }
}
