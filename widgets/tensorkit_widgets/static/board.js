// @ts-check
/**
 * A board in the browser: shows the SVG that Python drew, steps through it, and sends back what the learner does.
 *
 * For tests, the root carries beside the attributes of view.js:
 *   data-tk-widget    the widget: "broadcast-explorer", "bit-view", …
 *   data-title, data-step, data-steps, data-status ("undrawn" without a picture), and what the widget adds of its own
 *   data-focus        the key of the tile that is lit; of a StrideExplorer the index, with data-focus-slot and data-element
 *   data-playing      true while the steps are played
 *   data-copied       the code that the Copy button put on the clipboard
 * Parts of the picture: .tk-tile[data-key][data-storage][data-item][data-slot][data-action][data-full], .tk-lit,
 *   .tk-kin, .tk-table[data-table], .tk-link[data-ends].
 *   Cards and gaps: [data-action][data-key][role="button"]; dimensions: [data-role="axis"][data-dim].
 *   data-zoom         "fit", or the scale "1.25", where the scene can be made larger
 * Controls: data-role = play, back, step, run, reset, undo, scrub, checkpoint, zoom-out, zoom-fit, zoom-in, and those of the widget.
 *
 * @typedef {{ kind: string, name: string, title: string, step: number, steps: number | null, moments: string, status: string, said: string,
 *             complaint: string, offers: [string, string][], offered: string, panels: [string, string][], plays?: boolean, about?: [string, string] | [], scene: string, checkpoints: string[], controls: import("./board_controls.js").Control[], changed: boolean,
 *             undo: boolean, data: Record<string, string>, wrong?: { key: string, value: string, words: string } | null }} Facts ``steps`` is null where they are not known before the first
 * @typedef {{ tiles?: Map<string, SVGGElement>, zoom?: number, zoomBy?: (key: string) => boolean, resized?: () => void, point(spot: import("./hover_bus.js").Spot): void,
 *             refocus(key: string | undefined): void, numbers?: () => import("./stride_scene.js").Numbers,
 *             flash?: (before: import("./stride_scene.js").Numbers | undefined) => void, dispose(): void }} Scene
 * @typedef {new (svg: SVGSVGElement, options: import("./board_scene.js").Options, zoom?: number) => Scene} SceneClass
 */

import { BoardControls } from "./board_controls.js";
import { listen, tell } from "./hover_bus.js";
import { make, whole } from "./dom.js";
import { editCell } from "./cell_editor.js";
import { lookAfterFile } from "./saved_notebook.js";
import { SCENES } from "./scenes.js";
import { tabs } from "./tabs.js";
import { Player } from "./player.js";
import { PictureView } from "./view.js";

/** The place right under the picture: `BELOW` of `widget/board.py`. */
const BELOW = "below";

class BoardView extends PictureView {
  /** @param {import("./view.js").Model} model @param {HTMLElement} el */
  constructor(model, el) {
    /** @type {Facts | undefined} */
    const facts = model.get("frame")?.facts;
    super(model, el, { widget: facts?.kind ?? "board", label: facts?.name ?? "a picture", classes: `tk-board tk-${facts?.kind ?? "board"}`, fits: true });
    this.Scene = SCENES[facts?.scene ?? "board"];
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {number | null} the storage that the pointer is on */
    this.pointing = null;
    /** @type {string | undefined} the tile that was asked for, and gets the keyboard when it is drawn */
    this.looking = undefined;
    /** @type {Map<string, BoardControls>} by the panel that they are in; "" is above the picture */
    this.panels = new Map(["", BELOW, ...(facts?.panels ?? []).map(([name]) => name)].map((name) => [name, this.ownControls()]));
    this.inBar = this.ownControls("tk-in-bar");
    this.back = this.button("back", "Back", "one step back (left arrow)");
    this.next = this.button("step", "Step", "one step on (right arrow)");
    this.player = facts?.plays ? new Player(this.root, (message) => this.post(message)) : null;
    this.run = this.button("run", "To the end", "to the last step (End)");
    this.undo = this.button("undo", "Undo", "take the last change back");
    this.reset = this.button("reset", "Reset", "as it was at first");
    this.scrub = make("input", { type: "range", min: 0, "data-role": "scrub" });
    this.scrub.addEventListener("input", () => this.post({ kind: "goto", value: whole(this.scrub.value), sliding: true }));
    this.count = make("span", { class: "tk-count" });
    this.kept = make("select", { "data-role": "checkpoint", "aria-label": "back to a checkpoint" });
    this.kept.addEventListener("change", () => this.post({ kind: "reset", value: this.kept.value }));
    this.bar = make("div", { class: "tk-bar", role: "group", "aria-label": "steps" }, this.player?.button ?? "", this.back, this.next, this.run, this.scrub, this.count, this.inBar.root, this.undo, this.reset, this.kept, ...this.zooms(), this.stage.button);
    this.bar.addEventListener("keydown", (event) => this.pressed(event));
    this.unlisten = listen((pointed) => {
      if (pointed.from !== this) this.scene?.point(pointed);
    });
    const above = [this.panels.get("")?.root ?? "", this.bar].map((part) => /** @type {Node} */ (part));
    if (facts?.about?.length) {
      const answer = make("p", { "data-role": "about" });
      this.about = { asks: make("summary", {}), answer };
      this.open(above, [this.said, make("details", { class: "tk-about" }, this.about.asks, answer), this.asText()]);
    } else if (!facts?.panels?.length) this.open(above);
    else {
      const inTabs = /** @type {[string, string, HTMLElement][]} */ (facts.panels.map(([name, words]) => [name, words, this.panels.get(name)?.root]));
      this.open([...above, tabs([...inTabs, ["text", "As text", this.twin]], this.said), /** @type {Node} */ (this.panels.get(BELOW)?.root)], []);
    }
  }

  /** @param {string} [where] */
  ownControls(where) {
    return new BoardControls((message) => this.post(message), (words) => this.say(words), where);
  }

  /** @param {"back" | "step" | "run" | "undo" | "reset"} role @param {string} label @param {string} title */
  button(role, label, title) {
    const made = make("button", { type: "button", "data-role": role, title }, label);
    made.addEventListener("click", () => this.post({ kind: role }));
    return made;
  }

  /** Buttons for a scene that can be made larger. */
  zooms() {
    if (!("zoomBy" in this.Scene.prototype)) return [];
    const zooms = [["zoom-out", "−", "-", "smaller"], ["zoom-fit", "Fit", "0", "fit the page"], ["zoom-in", "+", "+", "larger"]];
    return zooms.map(([role, label, key, words]) => {
      const made = make("button", { type: "button", "data-role": role, "aria-label": words, title: `${words} (${key})` }, label);
      made.addEventListener("click", () => this.scene?.zoomBy?.(key));
      return made;
    });
  }

  resized() {
    super.resized();
    this.scene?.resized?.();
  }

  /** The steps' keys work anywhere in their bar. @param {KeyboardEvent} event */
  pressed(event) {
    const kind = { ArrowRight: "step", ArrowLeft: "back", End: "run", Home: "goto" }[event.key];
    // On the stage the same keys may go on to the next scene.
    if (!kind || this.stage.open || !(event.target instanceof HTMLButtonElement)) return;
    this.post(kind === "goto" ? { kind, value: 0 } : { kind });
    event.preventDefault();
  }

  /** @param {SVGSVGElement | null} svg @param {() => void} [place] */
  drawScene(svg, place) {
    const active = document.activeElement;
    const part = active instanceof SVGElement && this.picture.contains(active) ? active : null;
    const held = part?.matches(".tk-tile, .tk-vertex") ? this.looking ?? part.dataset.key ?? part.dataset.vertex : undefined;
    const zoom = this.scene?.zoom ?? 0;
    const before = this.scene?.numbers?.();
    this.looking = undefined;
    this.scene?.dispose();
    this.scene = null;
    if (!svg) return;
    place?.();
    this.scene = new this.Scene(svg, {
      frame: this.picture,
      onStep: (kind) => this.post({ kind }),
      onZoom: (scale) => {
        this.root.dataset.zoom = scale ? scale.toFixed(2) : "fit";
      },
      onAct: (kind, key) => this.acted(kind, key),
      onEdit: (tile, typed) => this.edit(tile, typed),
      mark: (data) => {
        Object.assign(this.root.dataset, data);
      },
      onPoint: (spot) => {
        if (spot || this.pointing !== null) tell({ ...(spot ?? { storage: this.pointing ?? 0, slot: null }), from: this });
        this.pointing = spot?.storage ?? null;
      },
      say: (words, key) => {
        this.say(words);
        this.root.dataset.focus = key ?? svg.querySelector(".tk-tile.tk-lit")?.getAttribute("data-key") ?? "";
      },
    }, zoom);
    this.scene.flash?.(before);
    if (held !== undefined || !part) this.scene.refocus(held);
    else /** @type {SVGElement | null} */ (svg.querySelector(sameAs(part)))?.focus({ preventScroll: true });
  }

  /** @param {SVGGElement} tile @param {string} [typed] @param {string} [refused] */
  edit(tile, typed, refused) {
    if (this.dead) return;
    editCell(this.picture, tile, (text) => this.post({ kind: "edit", key: tile.dataset.key, value: text }), typed, refused);
  }

  /** A part of the picture was pressed. @param {string} kind @param {string} key */
  acted(kind, key) {
    if (kind === "next-step") {
      const line = /** @type {HTMLInputElement | null} */ (this.root.querySelector('[data-role="expression"]'));
      line?.focus();
      line?.setSelectionRange(line.value.length, line.value.length);
      return;
    }
    if (kind === "look") this.looking = key;
    this.post({ kind, key });
  }

  /** @param {Facts} facts @param {import("./view.js").Frame} frame */
  controls(facts, frame) {
    const { step, steps, moments } = facts;
    this.player?.shown(step, steps ?? 0, facts.said);
    if (this.about) [this.about.asks.textContent, this.about.answer.textContent] = [facts.about?.[0] ?? "", facts.about?.[1] ?? ""];
    const held = document.activeElement;
    for (const [name, controls] of this.panels) controls.update(facts.controls.filter(({ group, panel }) => group !== "bar" && panel === name));
    this.inBar.update(facts.controls.filter(({ group }) => group === "bar"));
    for (const part of [this.back, this.next, this.run]) part.hidden = steps === 0;
    for (const part of [this.scrub, this.count]) part.hidden = !steps;
    this.back.disabled = step === 0;
    this.next.disabled = this.run.disabled = steps !== null && step >= steps;
    this.scrub.max = String(steps ?? 0);
    this.scrub.value = String(step);
    this.scrub.setAttribute("aria-label", moments);
    this.scrub.setAttribute("aria-valuetext", `${moments} ${step} of ${steps}`);
    this.count.textContent = `${step} of ${steps}`;
    // Where there is room under the picture, the bar above it never changes its length.
    const always = facts.panels.length > 0;
    this.undo.hidden = !facts.undo && !always;
    this.undo.disabled = !facts.undo;
    this.reset.disabled = !facts.changed;
    this.reset.hidden = steps === 0 && !facts.changed && !always;
    this.kept.hidden = facts.checkpoints.length === 0;
    this.kept.replaceChildren(make("option", { value: "" }, "go back to…"), ...facts.checkpoints.map((name) => make("option", { value: name }, name)));
    // A button that is switched off would lose the keyboard: it goes on to its neighbour.
    if (held instanceof HTMLButtonElement && held.disabled && this.bar.contains(held)) [this.next, this.back, this.scrub].find((part) => !part.disabled && !part.hidden)?.focus();
    const { wrong } = facts;
    const tile = wrong && this.answered !== null ? this.scene?.tiles?.get(wrong.key) : undefined;
    if (wrong && tile) this.edit(tile, wrong.value, wrong.words);
    this.complain(facts.complaint);
    this.offer(facts.offers, facts.offered);
    // What the alert above already says is not said twice.
    this.say(facts.complaint ? "" : facts.said);
    Object.assign(this.root.dataset, { title: facts.title, step: String(step), steps: String(steps ?? ""), status: frame.reason ? "undrawn" : facts.status, ...facts.data });
  }

  /** What works in the stead of what was refused. @param {[string, string][]} offers @param {string} offered */
  offer(offers, offered) {
    if (!offers.length) return;
    this.refusal.hidden = false;
    const line = make("p", { class: "tk-line" }, make("span", { class: "tk-lead" }, offered));
    for (const [value, code] of offers) {
      const take = make("button", { type: "button", class: "tk-code-button", "data-role": "offer" }, code);
      take.addEventListener("click", () => this.post({ kind: "offer", value }));
      line.append(take);
    }
    this.refusal.append(line);
  }

  dispose() {
    super.dispose();
    this.player?.stop();
    this.unlisten();
    this.scene?.dispose();
  }
}

/** The part of another picture that stands for the same: a selector. @param {SVGElement} part */
function sameAs({ dataset: { role, dim, action, key } }) {
  if (role === "axis") return `[data-role="axis"][data-dim="${dim}"]`;
  return `[data-action="${action}"][data-key="${key}"], .tk-current`;
}

/** @param {{ model: import("./view.js").Model, el: HTMLElement }} context */
function render({ model, el }) {
  const view = new BoardView(model, el);
  return () => view.dispose();
}

/** The model is there, whether it is shown or not. @param {{ model: import("./view.js").Model }} context */
function initialize({ model }) {
  lookAfterFile(model.widget_manager);
}

export default { initialize, render };
