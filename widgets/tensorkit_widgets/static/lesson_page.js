// @ts-check
/**
 * An exported lesson comes to life: it is read without any of this, and Python is asked for at the first touch.
 *
 * The cells run in their order, each once, up to the one that was touched. A cell that was stopped is left alone until it
 * is run by hand.
 *
 * For tests: data-python on the body = asleep | loading | ready | failed, data-busy while Python works; data-ran on a cell = the times that it was run.
 */

import { make, whole } from "./dom.js";
import { LessonCell } from "./lesson_cell.js";
import { Kept } from "./lesson_kept.js";
import { PageModel, Python } from "./lesson_python.js";
import { reveal } from "./lesson_reveal.js";
import { again } from "./lesson_touch.js";

/** What draws the kit's pictures and its cards. */
const VIEWS = ["board.js", "practice.js"];
const RECORDED = "Only the whole engine draws this picture; here it is as it was recorded";
const ELSEWHERE = "To play with it, open the lesson in Jupyter (tensorkit lab).";
const MEGABYTE = 1_000_000;
/** From then on it is said that Python is at work, and it can be stopped. */
const PATIENCE_MS = 1000;
/** How long a live view may take to be laid out before the touch that began it is done there. */
const LAID_OUT_MS = 3000;

class Lesson {
  /** @param {import("./lesson_files.js").Files} files */
  constructor(files) {
    this.files = files;
    const { body } = document;
    this.kept = new Kept(`${body.dataset.lesson} ${location.pathname}`);
    this.python = new Python(files, {
      loading: (bytes, all) => this.loading(bytes, all),
      heard: (message) => this.heard(message),
      busy: (working) => this.busy(working),
    }, () => this.kept.now.progress);
    /** @type {Map<string, PageModel>} */
    this.models = new Map();
    /** @type {Set<string>} */
    this.styles = new Set();
    /** @type {Set<LessonCell>} the cells that need not be run to get on */
    this.ran = new Set();
    /** @type {LessonCell | null} */
    this.running = null;
    this.turn = Promise.resolve();
    /** @type {Promise<unknown>} when all live views have their pictures */
    this.shown = Promise.resolve();
    const roots = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".lesson-cell")]);
    this.cells = roots.map((root) => new LessonCell(root, this));
    for (const cell of this.cells) {
      const source = this.kept.now.cells[cell.name];
      if (source === undefined) continue;
      cell.code.source = source;
      cell.changed();
    }
    this.bar();
    reveal(this.kept.now.revealed, (revealed) => this.kept.change({ revealed }), (words) => this.say(words));
    this.state("asleep");
    this.arrive();
  }

  /** What is said at the foot of the window, and the buttons for the whole lesson at its end. */
  bar() {
    this.words = make("span", { role: "status" });
    this.amount = make("span", { class: "lesson-amount", "aria-hidden": "true" });
    this.meter = make("progress", { max: 1, value: 0, "aria-label": "loaded", hidden: true });
    this.halt = make("button", { type: "button", hidden: true }, "Stop");
    this.halt.addEventListener("click", () => this.stop());
    this.foot = make("div", { class: "lesson-status", hidden: true }, this.words, this.meter, this.amount, this.halt);
    const all = make("button", { type: "button" }, "Run all cells");
    all.addEventListener("click", () => this.all());
    const over = make("button", { type: "button" }, "Start this lesson again");
    over.addEventListener("click", () => this.forget());
    const kept = make("span", {}, "Your answers and changes are kept in this browser.");
    document.querySelector("main")?.append(make("div", { class: "lesson-foot" }, all, over, kept));
    document.body.append(this.foot);
  }

  /** @param {"asleep" | "loading" | "ready" | "failed"} how */
  state(how) {
    document.body.dataset.python = how;
    if (this.meter) this.meter.hidden = how !== "loading";
  }

  /** @param {string} words @param {boolean} [passing] whether it holds only while Python works */
  say(words, passing = false) {
    this.passing = passing;
    if (!this.words || !this.foot || !this.amount) return;
    this.words.textContent = words;
    this.amount.textContent = "";
    this.foot.hidden = !words;
  }

  /** @param {number} bytes @param {number} all */
  loading(bytes, all) {
    if (!this.meter || !this.amount) return;
    this.meter.value = bytes / all;
    this.amount.textContent = `${(bytes / MEGABYTE).toFixed(1)} of ${(all / MEGABYTE).toFixed(1)} MB`;
  }

  /** @param {boolean} working */
  busy(working) {
    const { body } = document;
    if (working === "busy" in body.dataset) return;
    clearTimeout(this.late);
    if (working) {
      body.dataset.busy = "";
      this.late = setTimeout(() => this.atWork(), PATIENCE_MS);
    } else {
      delete body.dataset.busy;
      if (this.halt) this.halt.hidden = true;
      if (this.passing) this.say("");
    }
  }

  atWork() {
    if (document.body.dataset.python !== "ready" || !this.halt) return;
    this.say(this.running ? `Cell ${this.running.number} of ${this.cells.length} is at work.` : "Python is at work.", true);
    this.halt.hidden = false;
  }

  // ---- what is asked of Python, one thing after another

  /** @param {() => Promise<void>} act */
  next(act) {
    this.say("");
    this.turn = this.turn.then(act).catch((error) => {
      if (error !== this.trouble) reportError(error);
    });
    return this.turn;
  }

  async ready() {
    if (!this.python.worker) {
      this.state("loading");
      this.say("Loading Python, once for all lessons of this site.");
    }
    // The views' scripts come along: from then on nothing more is fetched.
    await this.python.ready().then(() => Promise.all(VIEWS.map(this.files.script))).catch((error) => {
      this.trouble = error;
      this.state("failed");
      this.say(`Python could not be loaded (${error.message}). The lesson can be read; touch a picture to try once more.`);
      throw error;
    });
    if (document.body.dataset.python === "ready") return;
    this.state("ready");
    this.say("");
  }

  /** Run the cells before this one that were not run, and this one. @param {LessonCell} cell @param {boolean} asked whether the learner ran it */
  async upTo(cell, asked) {
    if (asked) this.ran.delete(cell);
    for (;;) {
      const due = this.cells.find((one) => one.number <= cell.number && !this.ran.has(one));
      if (!due) return;
      await this.ready();
      if ((await this.one(due, asked && due === cell)) === "stopped") return;
    }
  }

  /** @param {LessonCell} cell @param {boolean} asked */
  async one(cell, asked) {
    const place = document.activeElement ?? cell.root;
    this.running = cell;
    cell.begin(asked);
    const how = await this.python.run(cell.name, cell.code.source, cell.scenes);
    this.running = null;
    if (how === "stopped") this.ran = new Set([cell]);
    else this.ran.add(cell);
    steady(this.anchor ?? place, () => cell.finish(how));
    cell.root.dataset.ran = String(Number(cell.root.dataset.ran ?? 0) + 1);
    return how;
  }

  /** @param {LessonCell} cell */
  run(cell) {
    void this.next(() => this.upTo(cell, true));
  }

  all() {
    const last = this.cells.at(-1);
    if (last) void this.next(() => this.upTo(last, false));
  }

  /** A recorded picture was touched. @param {LessonCell} cell @param {number} which of the cell's @param {import("./lesson_touch.js").Touch} touch @param {object[]} [moment] what its live one is told then */
  play(cell, which, touch, moment = []) {
    void this.next(async () => {
      this.anchor = cell.root;
      await this.upTo(cell, false);
      await this.shown;
      this.anchor = undefined;
      const live = /** @type {HTMLElement | undefined} */ (cell.root.querySelectorAll(".lesson-live")[which]);
      if (!live) return;
      await laidOut(live);
      again(live, touch);
      for (const message of moment) this.python.tell(live.dataset.model ?? "", message);
    });
  }

  /** A picture that only the whole engine draws was touched: its steps were recorded. @param {HTMLElement} still */
  steps(still) {
    const { recorded = "" } = still.dataset;
    if (!recorded || still.querySelector(".tk-root")) return;
    const text = async (/** @type {string} */ name) => (await this.files.file(name)).text();
    void Promise.all([text(recorded), text("code/recorded.css"), this.files.script("recorded.js")]).then(([steps, css, { Recorded }]) => {
      if (still.querySelector(".tk-root")) return; // it was touched twice
      const parts = new DOMParser().parseFromString(steps, "text/html");
      this.style(css);
      const root = /** @type {HTMLElement} */ (document.importNode(/** @type {Node} */ (parts.querySelector(".tk-root")), true));
      const note = make("p", { class: "lesson-note" });
      steady(still, () => still.replaceChildren(root, note));
      still.classList.remove("lesson-touch");
      const { last } = new Recorded(root, [...parts.querySelectorAll("template")]);
      note.textContent = `${RECORDED}${last ? ", step by step" : ""}. ${ELSEWHERE}`;
      /** @type {HTMLElement | null} */ (root.querySelector("button:enabled, [tabindex='0']"))?.focus({ preventScroll: true });
    }).catch((error) => this.say(`The steps could not be loaded (${error.message}). Touch the picture to try once more.`));
  }

  /** @param {string} css */
  style(css) {
    if (!this.styles.has(css)) document.head.append(make("style", {}, css));
    this.styles.add(css);
  }

  /** The address names a cell and a moment of its picture, as a talk's audience comes here: `?scene=2&step=1#cell`. */
  arrive() {
    const asked = new URLSearchParams(location.search);
    const cell = this.cells.find((one) => encodeURIComponent(one.name) === location.hash.slice(1));
    const moment = [["scene", "scene"], ["step", "goto"]].filter(([name]) => asked.has(name)).map(([name, kind]) => ({ kind, value: whole(asked.get(name)) }));
    if (!cell || !moment.length) return;
    const still = /** @type {HTMLElement | null} */ (cell.root.querySelector("[data-recorded]"));
    if (still) this.steps(still);
    else this.play(cell, 0, { keyboard: true }, moment);
  }

  /** End what runs; what ran before it runs again, so that its pictures play on. */
  stop() {
    const { running } = this;
    const last = running ? this.cells[this.cells.indexOf(running) - 1] : this.cells.filter((cell) => this.ran.has(cell)).at(-1);
    this.python.stop();
    this.models.clear();
    for (const cell of this.cells) cell.lose();
    if (!running) this.ran.clear();
    void this.next(async () => {
      if (last) await this.upTo(last, false);
      this.say("Stopped. Python was started again, and the cells above were run once more.");
    });
  }

  forget() {
    if (!window.confirm("Forget your answers and your changes to the cells of this page?")) return;
    this.kept.forget();
    location.reload();
  }

  /** @param {LessonCell} cell */
  changed(cell) {
    const { [cell.name]: _before, ...others } = this.kept.now.cells;
    this.kept.change({ cells: cell.edited ? { ...others, [cell.name]: cell.code.source } : others });
  }

  // ---- what Python says

  /** @param {any} message */
  heard(message) {
    const model = this.models.get(message.model);
    if (message.kind === "output") this.running?.hear(message.output);
    else if (message.kind === "progress") this.kept.change({ progress: message.text });
    else if (message.kind === "open") this.models.set(message.model, new PageModel(message, (content) => this.python.tell(message.model, content)));
    else if (message.kind === "state") model?.change(message.state);
    else if (message.kind === "close") {
      this.models.delete(message.model);
      model?.tell("destroy");
    }
  }

  /** Show a live view. @param {string} name @param {HTMLElement} el @returns {() => void} takes it down */
  mount(name, el) {
    const model = this.models.get(name);
    if (!model) return () => {};
    el.dataset.model = name;
    this.style(model.css);
    /** @type {Promise<(() => void) | undefined>} */
    const view = this.files.script(model.script).then((found) => {
      let takeDown;
      steady(this.anchor ?? document.activeElement ?? el, () => { takeDown = found.default.render({ model, el }); });
      return takeDown;
    });
    this.shown = Promise.all([this.shown, view]);
    return () => void view.then((takeDown) => takeDown?.());
  }
}

/** Change the page above something without moving it. @param {Element} part @param {() => void} change */
function steady(part, change) {
  const before = part.getBoundingClientRect().top;
  change();
  const moved = part.isConnected ? part.getBoundingClientRect().top - before : 0;
  if (Math.abs(moved) > 1) window.scrollBy({ top: moved, behavior: "instant" });
}

/** Wait until a live view has its picture, laid out for the room that it has; a card has none. @param {HTMLElement} el */
async function laidOut(el) {
  const until = performance.now() + LAID_OUT_MS;
  const there = () => el.querySelector(".tk-card, .tk-root[data-room]:not([data-room=''])");
  while (!there() && performance.now() < until) await new Promise((next) => setTimeout(next, 30));
}

/** The kit's pictures take their colours from the page where it says which it has. */
function colours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => document.documentElement.setAttribute("theme", dark.matches ? "dark" : "light");
  dark.addEventListener("change", set);
  set();
}

/** @param {import("./lesson_files.js").Files} files */
export function begin(files) {
  colours();
  return new Lesson(files);
}
