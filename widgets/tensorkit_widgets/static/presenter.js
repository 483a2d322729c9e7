// @ts-check
/**
 * The stage: one picture fills the window, for a room full of people. P opens it from anywhere in a picture, Escape leaves.
 *
 * A picture is as large as all of it fits the window, but never so small that the back row cannot read a label; one that needs
 * little of its page is larger than the page would be. Where a picture is too tall for that, the controls make room for it. What is
 * still larger than the window scrolls with up and down, and a sign says that there is more. H hides the controls, or shows them again.
 * Keys on the stage: right and left step on and back, and where there is no further step they go to the next scene or the one before.
 * PageDown and PageUp, a clicker's keys, and the space bar go from scene to scene; where there are no scenes they step. At the end
 * all of them ask the page to go on ("tensorkit-stage-end"), which the talk's extension hears. N is the next scene. A field gives
 * the keyboard back on Enter and Escape.
 * Home and End go to the first step and the last. M marks a moment; R returns after a "what if?", to that mark or to the beginning of the scene, with the numbers that
 * were in the cells then (those that the notebook's own cells wrote since stay). L changes
 * between light and dark, + and − change the size (50 to 300 %), past the one that fits, and 0 fits it to the window again. Where a key can do
 * nothing, the bar says so. A size is its own picture's, the theme is kept for the next one. When the kernel is gone, K starts it again and comes back (kernel_restart.js).
 *
 * Whoever listens on the document is told by the event "tensorkit-stage" what is on the stage, as if from the cell that shows
 * the picture: JupyterLab's extension of `tensorkit present` passes it on to the speaker's notes, and the picture to the audience's phones.
 *
 * @typedef {{ step: number, steps: number | null, scenes: string[], notes?: string[], scene: number, marked: boolean, away: boolean }} Script
 *   ``steps`` is null while nobody knows how many there are; ``away``: the picture is not as it was marked
 */

import { make } from "./dom.js";
import { canRevive, forget, nameOf, revive } from "./kernel_restart.js";
import { drawnHeight, enlarge, LEGIBLE, plain } from "./stage_type.js";
import { keep, kept } from "./talk_memory.js";

const SIZES = [50, 75, 100, 125, 150, 175, 200, 250, 300];
/** The width of a picture that has all the room it wants. */
const PAGE = 960;
/** A picture that needs less of its page is cut to what it needs, and may be so many times as large as the page would be. */
const NEARLY_ALL = 0.8;
const LARGER = 2;
/** What a picture has at its right. */
const MARGIN = 28;
/** A scene is made larger than the one before if it is so by this much: less would look like a tremble. */
const MUCH = 1.25;

/** What all pictures of the page share. */
const shared = { dark: /** @type {boolean | null} */ (null), bare: /** @type {boolean | null} */ (null) };

/** How wide and how high the page of a picture is that is cut. @type {WeakMap<SVGSVGElement, [number, number]>} */
const pages = new WeakMap();

/** @param {SVGSVGElement} svg @returns {[number, number]} its page's width and height */
function pageOf(svg) {
  const page = pages.get(svg) ?? [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
  pages.set(svg, page);
  return page;
}
/** Less than this is no line of a picture. */
const SLACK = 8;

/** How much of its page's width a picture needs. @param {SVGSVGElement} svg */
function needed(svg) {
  const [page] = pageOf(svg);
  const { x, width } = svg.getBBox?.() ?? { x: 0, width: page };
  const right = Math.ceil(x + width + MARGIN);
  return right < NEARLY_ALL * page ? right : page;
}

export class Presenter {
  /**
   * @param {HTMLElement} root the picture with its controls
   * @param {(message: import("./message_queue.js").Message) => void} post
   * @param {() => void} [sized] called when the size of what is on the stage has changed
   */
  constructor(root, post, sized = () => {}) {
    this.root = root;
    this.post = post;
    this.sized = sized;
    /** @type {Script} */
    this.script = { step: 0, steps: 0, scenes: [], scene: -1, marked: false, away: false };
    /** What was drawn last. @type {import("./view.js").Frame | undefined} */
    this.drawn = undefined;
    this.open = false;
    /** Called when no new picture came. */
    this.freed = () => {};
    /** The size that was chosen for this picture; 0 fits the window. */
    this.chosen = 0;
    /** How many percent fit the window; what was the least in this scene, so that no step makes the picture jump. */
    this.fit = 100;
    /** The step that the picture came onto the stage with. */
    this.from = 0;
    /** Whether a scene begins, for which the size is found afresh. */
    this.begins = false;
    /** The size in percent at which the smallest label of this picture can just be read from the back row. */
    this.least = 0;
    /** Whether this picture is too tall to be seen with its controls. */
    this.tall = false;
    /** The old picture stays on the stage until the new one is there. */
    this.held = false;
    this.button = make("button", { type: "button", class: "tk-present", "data-role": "present", "aria-pressed": "false", title: "fill the window, for a room (P)" }, "Present");
    this.button.addEventListener("click", () => this.toggle());
    this.bar = make("div", { class: "tk-stage-bar", role: "group", "aria-label": "presenter", hidden: true });
    this.place = document.createComment("the picture is on the stage");
    this.dialog = make("dialog", { class: "tk-stage", "aria-label": "stage" });
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.leave();
    });
    this.dialog.addEventListener("scroll", () => this.sign(), true);
    const button = (/** @type {string} */ role, /** @type {string} */ label, /** @type {string} */ title, /** @type {() => void} */ act) => {
      const made = make("button", { type: "button", "data-role": role, title }, label);
      made.addEventListener("click", act);
      return made;
    };
    this.before = button("scene-back", "‹ Scene", "the scene before (PageUp)", () => this.scene(-1));
    this.after = button("scene-next", "Scene ›", "the next scene (N)", () => this.scene(1));
    this.list = make("select", { "data-role": "scene", "aria-label": "scene" });
    this.list.addEventListener("change", () => {
      this.scene(Number(this.list.value) - this.script.scene);
      this.takeBack();
    });
    this.mark = button("mark", "Mark", "remember this moment, then try something (M)", () => this.remember());
    this.back = button("return", "Return", "back to the marked moment (R)", () => this.come());
    this.again = button("revive", "Start again (K)", "start the kernel again, and come back to this step (K)", () => void revive(this));
    this.again.classList.add("tk-again");
    this.size = make("output", { class: "tk-count", "data-role": "stage-size" });
    this.told = make("span", { class: "tk-stage-told", "data-role": "stage-said", role: "status" });
    this.more = button("more", "▾ more below (↓)", "go on down (down arrow)", () => this.scroll(1));
    this.more.classList.add("tk-more");
    this.more.hidden = true;
    this.bar.append(
      this.again, this.before, this.list, this.after, this.mark, this.back,
      button("smaller", "−", "smaller (−)", () => this.scale(-1)), this.size, button("larger", "+", "larger (+)", () => this.scale(1)),
      button("fit", "Fit", "fit the window (0)", () => this.scale(0)),
      button("theme", "Light / dark", "change the theme (L)", () => this.theme()), button("leave", "Leave", "back to the notebook (Escape)", () => this.leave()),
      this.told, make("span", { class: "tk-stage-hint", "data-role": "bare-hint" }, "H shows the controls"),
    );
    root.addEventListener("keydown", (event) => this.pressed(event));
    root.addEventListener("click", (event) => {
      // A button that was clicked, not pressed by key, would take the space bar from the talk.
      if (this.open && event.detail && event.target instanceof Element && event.target.closest("button")) this.takeBack();
    });
    this.resize = () => this.refit();
    // A button that is switched off loses the keyboard to the page: on the stage its keys work all the same.
    this.outside = (/** @type {KeyboardEvent} */ event) => {
      if (!(event.target instanceof Node && root.contains(event.target))) this.pressed(event);
    };
  }

  /** What Python says of scenes and marks, with the picture that it has drawn. @param {Script | undefined} script @param {import("./view.js").Frame} [drawn] */
  update(script, drawn) {
    if (!script) return;
    this.drawn = drawn;
    const was = this.script;
    this.begins ||= script.scene !== was.scene;
    // What was said of another moment is true no longer.
    if (script.scene !== was.scene || script.step !== was.step || script.away !== was.away) this.speak("");
    this.script = script;
    const { scenes, scene, marked, away } = script;
    for (const part of [this.before, this.after, this.list]) part.toggleAttribute("hidden", scenes.length === 0);
    const none = scene < 0 ? [make("option", { value: -1, selected: true }, "scenes")] : [];
    this.list.replaceChildren(...none, ...scenes.map((name, k) => make("option", { value: k, selected: k === scene }, `${k + 1}. ${name}`)));
    this.before.disabled = scene <= 0;
    this.after.disabled = scene >= scenes.length - 1;
    this.back.toggleAttribute("hidden", !marked);
    this.back.toggleAttribute("data-away", away);
    this.back.textContent = this.script.scenes[scene] && marked ? `Return to ${scene + 1}` : "Return";
    if (!away) this.root.removeAttribute("data-away");
    else this.root.dataset.away = "true";
    this.root.dataset.scene = scenes[scene] ?? "";
    this.root.dataset.marked = String(marked);
    if (this.open) this.tell();
  }

  /** The event "tensorkit-stage": its detail is null when the stage is left. */
  tell() {
    const { scenes, notes, scene, step, steps, away } = this.script;
    const detail = this.open ? { scenes, notes: notes ?? [], scene, step, steps, away, kernel: this.root.dataset.kernel ?? "live", still: () => this.still() } : null;
    const from = this.open ? this.place.parentElement : this.root;
    from?.dispatchEvent(new CustomEvent("tensorkit-stage", { bubbles: true, composed: true, detail }));
  }

  /** The picture as Python drew it last, cut as it is here, with its words: what a phone in the room shows. */
  still() {
    const { svg = "", text = "", facts } = this.drawn ?? {};
    const here = this.frame?.querySelector("svg");
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    for (const name of ["width", "height", "viewBox"]) {
      const value = here?.getAttribute(name);
      if (value) parsed.setAttribute(name, value);
    }
    return { title: facts?.title ?? "", said: facts?.said ?? "", text, svg: svg && here ? new XMLSerializer().serializeToString(parsed) : "" };
  }

  toggle() {
    if (this.open) this.leave();
    else this.enter();
  }

  enter() {
    if (this.open) return;
    this.open = true;
    this.from = this.script.step;
    this.root.tabIndex = -1; // the keyboard's place when no part has it
    shared.dark ??= kept("dark") ?? null;
    shared.bare ??= kept("bare") ?? null;
    this.chosen ||= kept("sizes")?.[nameOf(this.root)] ?? 0;
    this.speak("");
    this.root.before(this.place);
    this.dialog.replaceChildren(this.root);
    document.body.append(this.dialog);
    if (this.dialog.showModal) this.dialog.showModal();
    else this.dialog.setAttribute("open", "");
    document.addEventListener("keydown", this.outside);
    window.addEventListener("resize", this.resize);
    // A picture that the kernel's death had left on the stage makes room.
    for (const old of document.querySelectorAll("dialog.tk-stage[data-held]")) old.remove();
    this.refit();
    this.tell();
    // Marked on entering, so that whatever is tried on the stage can be taken back: of a scene its beginning is marked.
    if (!this.script.marked || this.script.scene < 0) this.post({ kind: "mark" });
    this.takeBack();
  }

  /** The keyboard is the stage's again. */
  takeBack() {
    if (this.open) this.root.focus({ preventScroll: true });
  }

  /** Keep what is shown while the kernel starts again. */
  hold() {
    this.held = true;
    this.dialog.dataset.held = "true";
    this.root.dataset.kernel = "starting";
    const said = this.root.querySelector('[data-role="kernel"]');
    if (said) said.textContent = "The kernel starts again, and the lesson runs up to this picture.";
    this.show();
    this.tell();
  }

  /** Nothing has taken this picture's place: give the notebook back. */
  release() {
    this.held = false;
    if (this.dialog.isConnected) this.leave();
    this.freed();
  }

  leave() {
    if (!this.open) return;
    this.open = false;
    this.root.removeAttribute("tabindex");
    if (this.held) forget();
    this.held = false;
    this.listenNoMore();
    this.dialog.close?.();
    this.place.replaceWith(this.root);
    this.dialog.remove();
    this.show();
    this.tell();
    this.button.focus();
  }

  /** How many times larger than in the notebook. */
  get zoom() {
    return this.open ? (this.chosen || this.fit) / 100 : 1;
  }

  /** How many times larger the page of the picture is: a picture that is cut to what it needs of its page is larger still. */
  get pageZoom() {
    return this.open && !this.chosen ? Math.min(this.fit, Math.max(this.whole, this.least)) / 100 : this.zoom;
  }

  /** Whether the controls are hidden: as it was chosen, for one picture after another, or because this one needs their room. */
  get bare() {
    return this.open && (shared.bare ?? this.tall);
  }

  /** Hide the controls, or show them again. */
  strip() {
    shared.bare = !this.bare;
    keep("bare", shared.bare);
    this.refit();
  }

  /** Where the picture is. */
  get frame() {
    return /** @type {HTMLElement | null} */ (this.root.querySelector(".tk-picture"));
  }

  /** How many percent of the window's width a page is that fills it. */
  get whole() {
    const percent = Math.floor(((this.frame?.clientWidth ?? 0) / PAGE) * 100);
    return percent ? Math.max(SIZES[0], percent) : 100;
  }

  show() {
    this.root.classList.toggle("tk-presenting", this.open);
    this.root.style.setProperty("--tk-stage", String(this.zoom));
    this.root.style.setProperty("--tk-stage-page", String(this.pageZoom));
    this.root.toggleAttribute("data-tk-dark", this.open && shared.dark === true);
    this.root.toggleAttribute("data-tk-light", this.open && shared.dark === false);
    this.dialog.classList.toggle("tk-stage-dark", shared.dark === true);
    this.dialog.classList.toggle("tk-stage-light", shared.dark === false);
    this.bar.hidden = !this.open;
    this.offer();
    this.button.setAttribute("aria-pressed", String(this.open));
    const percent = Math.round(this.zoom * 100);
    this.root.dataset.stage = this.open ? String(percent) : "";
    this.root.dataset.fitted = String(this.open && !this.chosen);
    this.root.toggleAttribute("data-tall", this.bare && shared.bare === null); // what a speaker types into stays
    this.root.dataset.bare = String(this.bare);
    this.size.textContent = this.chosen ? `${percent} %, 0 fits` : `${percent} %, fits`;
    this.cut();
    this.sized();
  }

  /** Fit the window afresh: it has another size, or the picture came onto the stage. */
  refit() {
    this.tall = false;
    this.show();
    this.fit = this.whole;
    this.begins = true;
    this.show();
    this.measure();
  }

  /** As large as all of the picture is in sight, under what was refused too, and under a server or kernel that is gone; an open text and
   * a kernel that is slow for a moment are no reason. Within a scene only smaller. */
  measure() {
    if (!this.open) return;
    const { frame } = this;
    const svg = frame?.querySelector("svg");
    const unusual = this.root.dataset.kernel === "slow" || this.root.querySelector("details[open]");
    if (svg && frame?.clientHeight) this.least = Math.ceil((LEGIBLE / (enlarge(svg) || Infinity)) * 100);
    // A picture that is still to be laid out for the stage has another height there.
    if (!this.chosen && frame?.clientHeight && svg && !unusual && this.root.dataset.room !== "") {
      const { begins, fit } = this;
      this.begins = false;
      this.more.hidden = true;
      // Controls do not go away from under the hand that works them.
      const busy = !begins && this.root.querySelector(".tk-head")?.contains(document.activeElement);
      if (!this.fitted(svg, frame, begins) && shared.bare === null && !this.tall && !busy) {
        this.tall = true;
        this.fitted(svg, frame, begins);
      }
      if (begins && this.fit > fit && this.fit < fit * MUCH) this.fit = Math.max(fit, this.least);
      if (begins) frame.scrollTop = 0;
    }
    this.show();
    this.sign();
  }

  /** Find the size. @param {SVGSVGElement} svg @param {HTMLElement} frame @param {boolean} begins whether it may be larger than before @returns {boolean} whether all of the picture is in sight */
  fitted(svg, frame, begins) {
    const { whole, least } = this;
    if (begins) this.fit = Math.max(whole, least, Math.min(whole * LARGER, SIZES[SIZES.length - 1]));
    const width = needed(svg);
    const height = drawnHeight(svg, pageOf(svg)[1]);
    // What stands around the picture shrinks with it: a few rounds come to rest.
    for (let round = 0; round < 6; round += 1) {
      this.show();
      const room = [frame.clientWidth / width, frame.clientHeight / height];
      const fit = Math.max(SIZES[0], least, Math.floor(Math.min(...room) * 100));
      if (fit >= this.fit) break;
      this.fit = fit;
    }
    return (height * this.fit) / 100 <= frame.clientHeight + 1;
  }

  /** On the stage a picture is cut to the height of what it draws, and one that is larger than its page would be to what it needs. */
  cut() {
    const svg = this.frame?.querySelector("svg");
    if (!svg) return;
    const page = pageOf(svg);
    if (!this.open) plain(svg);
    const width = this.pageZoom < this.zoom ? Math.min(page[0], needed(svg)) : page[0];
    const height = this.open ? drawnHeight(svg, page[1]) : page[1];
    if (width === Number(svg.getAttribute("width")) && height === Number(svg.getAttribute("height"))) return;
    svg.setAttribute("width", String(width));
    svg.setAttribute("height", String(height));
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.frame?.style.setProperty("--tk-width", `${width}px`);
  }

  /** Whether there is more below, where what was made larger does not fit. */
  sign() {
    const { frame, more } = this;
    const below = frame ? frame.scrollHeight - frame.clientHeight : 0;
    more.classList.toggle("tk-at-end", (frame?.scrollTop ?? 0) > below - SLACK);
    const { hidden } = more;
    more.hidden = below - more.offsetHeight < SLACK; // it takes room itself
    if (hidden !== more.hidden) this.sized();
  }

  /** Most of what is in sight further down, or up. @param {1 | -1} by */
  scroll(by) {
    this.frame?.scrollBy({ top: by * 0.6 * this.frame.clientHeight });
  }

  /** Whether a kernel can be, and need be, started again. */
  offer() {
    this.again.hidden = this.root.dataset.kernel !== "gone" || !canRevive();
  }

  /** @param {number} by */
  scale(by) {
    const now = Math.round(this.zoom * 100);
    const sizes = [...SIZES, this.fit].sort((one, other) => one - other);
    const next = by > 0 ? sizes.find((size) => size > now) : sizes.filter((size) => size < now).at(-1);
    // The size that fits is one of them: as many − as + lead back to it.
    if (by === 0 || next === this.fit) this.chosen = 0;
    else this.chosen = next ?? this.chosen;
    keep("sizes", { ...kept("sizes"), [nameOf(this.place)]: this.chosen });
    if (by === 0) this.refit();
    else this.show();
    this.measure();
  }

  theme() {
    const host = document.body.dataset.jpThemeLight === "false" || (document.body.dataset.jpThemeLight === undefined && (globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false));
    shared.dark = shared.dark === null ? !host : !shared.dark;
    keep("dark", shared.dark);
    this.show();
  }

  /** To the next scene or the one before. @param {number} by */
  scene(by) {
    const { scenes, scene } = this.script;
    if (!scenes.length) return this.speak("This picture has no scenes.");
    const to = scene + by;
    if (to < 0 || to >= scenes.length) return this.speak(by > 0 ? "This is the last scene: Escape leaves the stage." : "This is the first scene.");
    this.speak("");
    this.post({ kind: "scene", value: to });
  }

  /** One step on or back; where there is none, to the next scene or the one before. @param {1 | -1} by */
  go(by) {
    const { step, steps, scenes, scene } = this.script;
    if (by > 0 ? steps === null || step < steps : step > 0) {
      this.speak("");
      this.post({ kind: by > 0 ? "step" : "back" });
    } else if (scenes[scene + by] !== undefined) this.scene(by);
    else if (this.ends(by)) return;
    else if (steps === 0 && !scenes.length) this.speak("This picture has no steps: change it by hand, and R brings it back.");
    else this.speak(by > 0 ? "This is the end of it: Escape leaves the stage." : "This is where it begins.");
  }

  /** As the talk was written: from scene to scene, or step by step where there are none. @param {1 | -1} by */
  talk(by) {
    const { scenes, scene, step } = this.script;
    // Back leads no further than to where the picture was: a map has all the moments before its own.
    if (!scenes.length && (by > 0 || step > this.from || !this.ends(by))) this.go(by);
    else if (scenes.length && (scenes[scene + by] !== undefined || !this.ends(by))) this.scene(by);
  }

  /** There is nothing more here: whether the page goes on by itself. @param {1 | -1} by */
  ends(by) {
    const event = new CustomEvent("tensorkit-stage-end", { bubbles: true, cancelable: true, detail: by });
    return this.place.parentElement?.dispatchEvent(event) === false;
  }

  /** To the first step or the last; where there are none, to the first scene or the last. @param {boolean} last */
  end(last) {
    const { step, steps, scenes, scene } = this.script;
    const to = last ? scenes.length - 1 : 0;
    if (steps !== 0) this.post(last ? { kind: "run" } : { kind: "goto", value: 0, number: 0 });
    else if (scenes.length && to !== scene) this.post({ kind: "scene", value: to });
    else this.go(last ? 1 : -1);
    if (steps !== 0 && (last ? step !== steps : step > 0)) this.speak("");
  }

  /** Mark this moment. */
  remember() {
    this.post({ kind: "mark" });
    this.speak("Marked: R comes back to this moment.");
  }

  /** Back to what was marked. */
  come() {
    const { marked, away } = this.script;
    if (!marked) return;
    this.post({ kind: "return" });
    if (!away) this.speak("It is as it was marked.");
  }

  /** What a key did that is not seen, or why it did nothing. @param {string} words */
  speak(words) {
    this.told.textContent = words;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const { target, key } = event;
    const writing = target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !["range", "checkbox", "radio"].includes(target.type));
    if (this.open && writing && ["Enter", "Escape"].includes(key)) {
      if (key === "Escape") event.preventDefault(); // it leaves the field, not the stage
      this.takeBack();
    }
    // A clicker has two keys, and means the talk wherever the keyboard is.
    if (writing && !(this.open && ["PageDown", "PageUp"].includes(key))) return;
    if (event.key === "p" || event.key === "P") this.toggle();
    else if (!this.open || !this.onStage(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {KeyboardEvent} event */
  onStage(event) {
    const slider = event.target instanceof HTMLInputElement;
    const inside = event.target instanceof SVGElement;
    const button = event.target instanceof HTMLElement && event.target.matches("button, summary");
    /** @type {Record<string, () => void>} */
    const keys = {
      h: () => this.strip(), n: () => this.scene(1), m: () => this.remember(), r: () => this.come(), l: () => this.theme(),
      k: () => {
        if (!this.again.hidden) void revive(this);
      },
      "+": () => this.scale(1), "=": () => this.scale(1), "-": () => this.scale(-1), 0: () => this.scale(0),
    };
    Object.assign(keys, { pagedown: () => this.talk(1), pageup: () => this.talk(-1) });
    if (!button && !inside) keys[" "] = () => this.talk(event.shiftKey ? -1 : 1);
    if (!slider && !inside) {
      Object.assign(keys, { arrowright: () => this.go(1), arrowleft: () => this.go(-1), end: () => this.end(true), home: () => this.end(false) });
      Object.assign(keys, { arrowdown: () => this.scroll(1), arrowup: () => this.scroll(-1) });
    }
    const act = keys[event.key.toLowerCase()];
    act?.();
    return act !== undefined;
  }

  listenNoMore() {
    document.removeEventListener("keydown", this.outside);
    window.removeEventListener("resize", this.resize);
  }

  dispose() {
    this.listenNoMore();
    if (this.held) return;
    if (this.open) {
      this.dialog.close?.();
      this.dialog.remove();
    }
  }
}
