// @ts-check
/**
 * What every live view has around its picture: the messages to Python, the frames from Python, the live region, the text
 * twin, and what is said when the kernel is slow or gone. A subclass gives `drawScene` and `controls`.
 *
 * The root carries for tests: data-tk-widget, data-revision (counts the frames that Python sent), data-kernel = live | slow
 *   (an answer is late) | away (the server cannot be reached) | gone | starting (again, from the stage), data-latency (milliseconds from the last message to the repainted picture), data-painting
 *   (those of them that the browser spent on the picture and the controls), data-room (the pixels that the picture was laid out for, empty while it is laid out again).
 * On the stage: data-stage = the size in percent, data-scene, data-marked.
 * Parts: data-role = present, picture, said (the live region), refusal, kernel, twin.
 *
 * @typedef {{ revision: number, serial: number | null, svg: string, text: string, reason: string, facts: any }} Frame
 * @typedef {{ get(name: string): any, on(event: string, act: () => void): void, off(event: string, act: () => void): void,
 *             send(content: object): void, widget_manager?: import("./kernel_connection.js").Manager & import("./saved_notebook.js").Manager }} Model
 */

import { MessageQueue } from "./message_queue.js";
import { make } from "./dom.js";
import { isEditor } from "./cell_editor.js";
import { watchKernel } from "./kernel_connection.js";
import { KernelNotice } from "./kernel_notice.js";
import { Presenter } from "./presenter.js";
import { canRevive, comeBack, revive } from "./kernel_restart.js";
import { speak } from "./live_region.js";
import { hideStill } from "./static_fallback.js";

/** The width of a picture that has all the room it wants. */
const PAGE = 960;
/** How far the pointer may go between a press and its click, in pixels. */
const CLICK = 5;
/** What ends a press, wherever the pointer is by then. */
const LET_GO = ["pointerup", "pointercancel", "dragend", "blur"];

export class PictureView {
  /**
   * @param {Model} model
   * @param {HTMLElement} el
   * @param {{ widget: string, label: string, classes: string, fits?: boolean }} how ``fits``: the picture is laid out for its room
   */
  constructor(model, el, { widget, label, classes, fits = false }) {
    this.model = model;
    this.el = el;
    this.courier = new MessageQueue((message) => model.send(message), (slow) => this.kernel(slow ? "slow" : "live"), (waiting) => this.notice.wait(waiting));
    this.revision = -1;
    this.refusal = make("div", { class: "tk-refusal", "data-role": "refusal", role: "alert", hidden: true });
    this.picture = make("div", { class: "tk-picture", "data-role": "picture" });
    this.said = make("p", { class: "tk-said", "data-role": "said", role: "status", "aria-live": "polite" });
    this.twin = make("pre", { "data-role": "twin", role: "group", tabindex: 0, "aria-label": "the picture as text" });
    this.root = make("div", {
      class: `tk-root ${classes}`, role: "group", "data-lm-suppress-shortcuts": "true", "data-tk-widget": widget,
      "data-kernel": "live", "aria-label": label,
    });
    // Keys pressed here are meant for the picture: the notebook has shortcuts of its own for the same keys.
    this.root.addEventListener("keydown", (event) => event.stopPropagation());
    this.room = PAGE;
    this.sizes = fits ? new ResizeObserver(() => this.resized()) : null;
    this.notice = new KernelNotice(this.root, () => void revive(this.stage));
    this.stage = new Presenter(this.root, (message) => this.post(message), () => this.resized());
    this.stage.freed = () => {
      this.root.dataset.kernel = "gone";
      this.kernel("gone");
    };
    this.repaint = () => this.paint(model.get("frame"));
    /** @type {{ x: number, y: number } | null} where a button went down on the picture, which is not changed between a press and its click */
    this.held = null;
    /** @type {number | null} the awaited message that a frame has answered, which may not be painted yet */
    this.answered = null;
    // The window's own blur only: that of a part is the keyboard going elsewhere.
    this.letGo = (/** @type {Event} */ event) => { if (event.type !== "blur" || event.target === window) this.released(); };
    this.picture.addEventListener("pointerdown", ({ clientX, clientY }) => { this.held = { x: clientX, y: clientY }; });
    // A drag is no click: what it does is seen while it is done.
    this.picture.addEventListener("pointermove", ({ clientX, clientY }) => {
      if (this.held && Math.hypot(clientX - this.held.x, clientY - this.held.y) > CLICK) this.released();
    });
    for (const event of LET_GO) window.addEventListener(event, this.letGo, true);
    this.died = () => this.kernel("gone");
    this.showStill = () => {};
    this.unwatch = () => {};
  }

  /**
   * Put the parts on the page and show the first frame: what a subclass calls when its controls are made.
   * @param {Node[]} above
   * @param {Node[]} [below] in place of what was said, and the text twin behind a fold
   */
  open(above, below = [this.said, this.asText()]) {
    const notice = make("div", {}, this.notice.part, this.notice.spinner);
    this.root.append(this.stage.bar, make("div", { class: "tk-head" }, ...above), this.refusal, notice, this.picture, this.stage.more);
    if (below.length) this.root.append(make("div", { class: "tk-foot" }, ...below));
    this.el.replaceChildren(this.root);
    this.showStill = hideStill(this.el);
    this.model.on("change:frame", this.repaint);
    for (const event of ["destroy", "comm_live_update"]) this.model.on(event, this.died);
    if (this.el.closest(".jupyter-widgets-disconnected")) this.died();
    this.unwatch = watchKernel(this.model.widget_manager, (how) => this.reached(how));
    this.repaint();
    this.sizes?.observe(this.picture);
    comeBack(this.root, this.stage, (message) => this.post(message));
  }

  /** The text twin behind a fold. */
  asText() {
    return make("details", {}, make("summary", {}, "the same as text"), this.twin);
  }

  /** @param {import("./message_queue.js").Message} message */
  post(message) {
    if (!this.dead) this.courier.post(message);
  }

  /** Whether no kernel will hear what is done here. */
  get dead() {
    return ["gone", "starting"].includes(this.root.dataset.kernel ?? "");
  }

  /** Tell how much room there is for the picture: on the stage it is drawn larger, and has less. A little more or less is scaled, but for the last bit to the widest page. */
  resized() {
    const width = Math.min(PAGE, Math.round(this.picture.clientWidth / this.stage.pageZoom));
    const widest = width === PAGE && this.room < PAGE;
    if (!this.sizes || width < 100 || (Math.abs(width - this.room) < 20 && !widest)) return;
    this.room = width;
    this.post({ kind: "room", value: width });
    // The picture that is shown was laid out for another room, which may be as wide as one that is still to come.
    if (this.courier.carries("room")) this.root.dataset.room = "";
  }

  // ---- from Python

  /** @param {Frame | undefined} frame */
  paint(frame) {
    if (!frame?.facts || frame.revision === this.revision) return;
    // Of the frames that come during a press only the last is painted: the answer may be one before it.
    if (this.courier.awaits(frame.serial)) this.answered = frame.serial;
    if (this.held) return;
    const began = performance.now();
    this.revision = frame.revision;
    this.draw(frame);
    this.controls(frame.facts, frame);
    this.stage.update(frame.facts.script, frame);
    this.twin.textContent = frame.text;
    this.root.dataset.revision = String(frame.revision);
    this.root.dataset.painting = (performance.now() - began).toFixed(1);
    const took = this.courier.painted(this.answered);
    this.answered = null;
    if (took !== null) this.root.dataset.latency = took.toFixed(1);
    if (!this.courier.carries("room")) this.root.dataset.room = String(this.room);
    this.stage.measure();
    this.kernel("live");
  }

  /** @param {Frame} frame */
  draw(frame) {
    const { scrollTop, scrollLeft } = this.picture;
    if (!frame.svg) {
      this.drawScene(null);
      this.picture.replaceChildren(make("p", { class: "tk-hint" }, frame.reason), make("pre", {}, frame.text));
      return;
    }
    const parsed = new DOMParser().parseFromString(frame.svg, "image/svg+xml");
    const svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(parsed.documentElement, true)));
    this.drawScene(svg, () => {
      this.place(svg);
      Object.assign(this.picture, { scrollTop, scrollLeft });
    });
  }

  /** Put the new picture where the old one was; a number that is being typed over it stays. @param {SVGSVGElement} svg */
  place(svg) {
    this.picture.style.setProperty("--tk-width", `${svg.getAttribute("width") ?? PAGE}px`);
    const [old, ...more] = [...this.picture.children].filter((part) => !isEditor(part));
    if (old) old.replaceWith(svg);
    else this.picture.prepend(svg);
    for (const part of more) part.remove();
  }

  /** The button is up: what came meanwhile is painted, after the click that the release makes. */
  released() {
    if (!this.held) return;
    this.held = null;
    setTimeout(this.repaint);
  }

  /**
   * Take the old picture down and bring the new one to life. `place` puts it on the page.
   * @param {SVGSVGElement | null} svg null when there is no picture
   * @param {() => void} [place]
   */
  drawScene(svg, place) {
    if (svg) place?.();
  }

  /** @param {any} _facts @param {Frame} _frame */
  controls(_facts, _frame) {}

  // ---- around it

  /** What was refused, in an alert. @param {string} words */
  complain(words) {
    this.refusal.hidden = !words;
    this.refusal.replaceChildren(...(words ? [make("p", {}, words)] : []));
  }

  /** @param {string} words */
  say(words) {
    speak(this.said, this.picture, words);
  }

  /** @param {import("./kernel_connection.js").How} how */
  reached(how) {
    // What was on its way when the connection broke may be lost: nothing waits for it for ever.
    if (how === "live" && this.root.dataset.kernel === "away") this.courier.release();
    this.kernel(how);
  }

  /** @param {"live" | "slow" | "away" | "gone"} how */
  kernel(how) {
    const { kernel } = this.root.dataset;
    // A picture that was painted when its kernel was gone already has controls that were switched on by it.
    if (kernel === "gone" && how === "live") how = "gone";
    if (kernel === "starting" || (kernel === "gone" && how !== "gone") || (kernel === "away" && how === "slow")) return;
    this.root.dataset.kernel = how;
    const { open, place } = this.stage;
    this.notice.show(how, how === "gone" && canRevive(open ? place.parentElement : this.root));
    this.stage.offer();
    if (!this.stage.open || kernel === how) return;
    // What is said above the picture takes room, and gives it back.
    if (kernel === "slow" || how === "slow") this.stage.measure();
    else this.stage.refit();
    this.stage.tell();
  }

  dispose() {
    this.model.off("change:frame", this.repaint);
    for (const event of LET_GO) window.removeEventListener(event, this.letGo, true);
    for (const event of ["destroy", "comm_live_update"]) this.model.off(event, this.died);
    this.sizes?.disconnect();
    this.unwatch();
    this.courier.dispose();
    this.stage.dispose();
    this.showStill();
  }
}
