// @ts-check
/**
 * The talk: its keys, where it has come to, and what the speaker's notes are told. The keys are the talk's while a lesson is
 * presented, and none of them changes the notebook: R is no "Raw" there, and B no new cell.
 *
 * @typedef {{ blank(on?: boolean): boolean, spotlight(on?: boolean): boolean, overview(entries: object[], chosen: (cell: number, scene: number) => void, at: number, on?: number): boolean,
 *             zoomAt(): void, zoomed(): boolean, zoomOut(): void, bareMenus(shell: any, on: boolean): void, isSetup(source: string): boolean }} Overlays
 */

import { audienceAt } from "./audience.js";
import { Lesson, notesOf, PATIENCE, until } from "./lesson.js";
import { inAddress, keepPlace, placeOf, shareWith } from "./place.js";

const CHANNEL = "tensorkit-talk";
const STAGE = "dialog.tk-stage[open]";
const CARDS = ".tk-card[data-card]";
/** What is typed into. */
const FIELD = "select, textarea, [contenteditable=true], input:not([type=range], [type=checkbox], [type=radio])";
/** What has a use of its own for the space bar, and for the arrow keys. */
const PRESSED = "button, summary, a[href], [role=button], [role=tab], input";
const MOVED = "input, svg *, [role=tab]";
const RESTARTS = ["notebook:restart-kernel", "kernelmenu:restart"];
const AFRESH = "notebook:restart-clear-output";
const LOST = ["restarting", "autorestarting", "dead", "terminating"];

export class Talk {
  /** @param {any} app @param {any} actions JupyterLab's NotebookActions @param {Overlays} overlays */
  constructor(app, actions, overlays) {
    this.app = app;
    this.actions = actions;
    this.overlays = overlays;
    this.channel = new BroadcastChannel(CHANNEL);
    /** @type {Lesson | null} */
    this.lesson = null;
    /** @type {WeakMap<object, Lesson>} */
    this.lessons = new WeakMap();
    /** What is on the stage, and of which cell. @type {{ id: string, detail: any, still?: () => import("./audience.js").Still } | null} */
    this.staged = null;
    /** The cards whose answers were in sight when the kernel went: they come back so. @type {Set<string>} */
    this.restoring = new Set();
    /** Whether the place is known: before that no notes are told of the first cell. */
    this.resumed = false;
    this.blank = false;
    this.bare = true;
    /** The phones in the room, where the talk has some. @type {import("./audience.js").Audience | null} */
    this.audience = null;
  }

  begin() {
    const { app } = this;
    void audienceAt(app.serviceManager.serverSettings.baseUrl).then((audience) => {
      this.audience = audience;
      this.tell();
    });
    app.shell.currentChanged.connect(() => this.follow());
    this.follow();
    document.addEventListener("tensorkit-stage", (event) => this.onStage(/** @type {CustomEvent} */ (event)));
    document.addEventListener("tensorkit-stage-end", (event) => this.stageEnds(/** @type {CustomEvent} */ (event)));
    document.addEventListener("tensorkit-card", () => this.cardsDrawn());
    document.addEventListener("tensorkit-moves", this.overlays.zoomOut);
    document.addEventListener("tensorkit-blank", (event) => {
      this.blank = /** @type {CustomEvent} */ (event).detail;
      this.tell();
    });
    // The window hears a key before JupyterLab does.
    window.addEventListener("keydown", (event) => this.pressed(event), true);
    this.channel.addEventListener("message", ({ data }) => this.heard(data));
    this.actions.executed.connect((/** @type {any} */ _, /** @type {any} */ { notebook, cell }) => {
      const lesson = this.lesson;
      if (!lesson || notebook !== lesson.book) return;
      lesson.ran.add(cell.model.id);
      this.cardsDrawn();
    });
    app.commands.commandExecuted.connect((/** @type {any} */ _, /** @type {any} */ { id, result }) => {
      if (id === AFRESH) this.restoring.clear();
      if (RESTARTS.includes(id)) void result.then(() => this.replay(), () => {});
    });
  }

  /** The notebook in front is the lesson. */
  follow() {
    const panel = this.app.shell.currentWidget;
    if (!panel?.content?.activeCellChanged || panel === this.lesson?.panel) return;
    const known = this.lessons.get(panel);
    this.lesson = known ?? new Lesson(panel, this.actions, { setup: this.overlays.isSetup, changed: () => this.changed() });
    this.staged = null;
    if (known) return this.tell();
    this.lessons.set(panel, this.lesson);
    this.resumed = false;
    panel.content.activeCellChanged.connect(() => this.changed());
    panel.sessionContext.statusChanged.connect((/** @type {any} */ _, /** @type {string} */ status) => {
      if (LOST.includes(status)) this.kernelLost();
    });
    panel.sessionContext.kernelChanged.connect((/** @type {any} */ _, /** @type {any} */ { oldValue }) => {
      if (oldValue) this.kernelLost();
    });
    void this.resume(this.lesson);
  }

  // ---- where the talk has come to

  get kernel() {
    return this.lesson?.panel.sessionContext.session?.kernel?.id ?? "";
  }

  get path() {
    return this.lesson?.panel.context.path ?? "";
  }

  /** Come back to where the talk was. @param {Lesson} lesson */
  async resume(lesson) {
    const { panel } = lesson;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await shareWith(this.app.serviceManager.serverSettings.baseUrl, panel.context.path);
    const place = placeOf(panel.context.path);
    const named = inAddress(location.hash);
    lesson.trust();
    if (place && place.kernel === this.kernel) {
      lesson.ran = new Set(place.ran);
      // The kernel still has its cards: what they let be seen is in sight once they are back.
      const back = (/** @type {string} */ name) => document.querySelector(`${CARDS}[data-card="${CSS.escape(name)}"]`) !== null;
      await until(() => place.revealed.every(back), 4 * PATIENCE);
    } else if (place) this.restoring = new Set(place.revealed);
    const index = lesson.indexOf(named?.cell ?? place?.cell ?? "");
    if (index >= 0) await lesson.goto(index, false);
    const cell = lesson.cells[index];
    if (cell && (named?.staged ?? place?.staged)) {
      await until(() => lesson.picture(cell) !== undefined, 4 * PATIENCE);
      lesson.picture(cell)?.click();
    }
    this.resumed = true;
    this.changed();
  }

  /** Something has changed: it is kept, and the notes are told. */
  changed() {
    const { lesson } = this;
    if (!lesson || !this.resumed) return;
    // While the answers come back, the cursor is not where the talk is.
    if (!this.comesBack && lesson.cell) {
      const revealed = [...document.querySelectorAll(`${CARDS}[data-revealed="true"]`)].map((card) => /** @type {HTMLElement} */ (card).dataset.card ?? "");
      const cell = this.staged?.id ?? lesson.cell.model.id;
      keepPlace(this.path, { cell, scene: this.staged?.detail.scene ?? -1, staged: this.staged !== null, kernel: this.kernel, ran: [...lesson.ran], revealed });
    }
    this.tell();
  }

  /** Whether an answer that was in sight, here or before, is still to come back. */
  get comesBack() {
    const { lesson, restoring } = this;
    if (!lesson || !restoring.size) return false;
    const index = lesson.indexOf(placeOf(this.path)?.cell ?? "");
    const before = lesson.cells.slice(0, index + 1).map(({ model }) => model.sharedModel.getSource());
    return [...restoring].some((name) => before.some((source) => source.includes(name)));
  }

  /** The kernel is gone: what it has run is to be run again, and what was in sight comes back. */
  kernelLost() {
    if (!this.lesson) return;
    this.lesson.ran.clear();
    for (const name of placeOf(this.path)?.revealed ?? []) this.restoring.add(name);
  }

  /** Cards were drawn, or a cell that shows one was run: those whose answers were in sight show them again. */
  cardsDrawn() {
    const { restoring, lesson } = this;
    if (!restoring.size || !lesson) return this.changed();
    for (const card of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`${CARDS}[data-revealed]`))) {
      const name = card.dataset.card ?? "";
      const cell = lesson.cells.find(({ node }) => node.contains(card));
      if (!restoring.has(name) || !cell || !lesson.ran.has(cell.model.id)) continue; // a card of the kernel that is gone
      if (card.dataset.revealed === "false") /** @type {HTMLElement | null} */ (card.querySelector('[data-do="skip"]'))?.click();
      else restoring.delete(name);
    }
    if (this.comesBack) return this.tell();
    const index = lesson.indexOf(placeOf(this.path)?.cell ?? "");
    if (index < 0) return;
    if (!this.staged) return void lesson.goto(index, false);
    // Behind the stage the cursor was led to the question, while its answer was still to come back.
    const cell = lesson.cells[index];
    void until(() => lesson.inSight(cell), PATIENCE).then(() => { if (this.staged?.id === cell.model.id) lesson.book.activeCellIndex = index; });
  }

  /** After a restart, or a death: run up to the place again. */
  async replay() {
    const { lesson } = this;
    const index = lesson?.indexOf(placeOf(this.path)?.cell ?? "") ?? -1;
    if (!lesson || index < 0 || lesson.ran.size) return;
    const again = /** @type {HTMLElement | null} */ (lesson.cells[index].node.querySelector('[data-kernel="gone"] [data-role="restart"]'));
    if (again) again.click(); // the picture comes back to its scene
    else await lesson.press(() => lesson.run(index));
  }

  // ---- the stage

  /** @param {CustomEvent} event */
  onStage({ detail: whole, target }) {
    const node = target instanceof Element ? target.closest(".jp-Cell") : null;
    const cell = this.lesson?.cells.find((one) => one.node === node);
    const entered = whole && cell && !this.staged;
    const { still, ...detail } = whole ?? {}; // of these only words can go to another window
    this.staged = whole && cell ? { id: cell.model.id, detail, still } : null;
    if (entered) this.lesson?.enters(cell, /** @type {Element} */ (target)); // by hand, it may be another cell's
    if (!whole) this.toCell();
    this.changed();
  }

  /** @param {CustomEvent} event */
  stageEnds(event) {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (document.querySelector(`${STAGE} [data-role="leave"]`))?.click();
    if (event.detail > 0) void this.lesson?.forward();
    else this.lesson?.leavesBack();
  }

  /** The keyboard goes back among the cells, once the stage has given it back. */
  toCell() {
    queueMicrotask(() => this.lesson?.cell?.node.focus({ preventScroll: true }));
  }

  // ---- keys

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { key, target } = event;
    const { lesson } = this;
    if (!lesson || event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement || target instanceof SVGElement)) return;
    const page = key === "PageDown" || key === "PageUp";
    const told = document.querySelectorAll(".jp-Dialog .jp-Dialog-button");
    // What JupyterLab only tells, as of a kernel that died, is no reason to go to the desk.
    if (told.length === 1 && (page || key.toLowerCase() === "k")) /** @type {HTMLElement} */ (told[0]).click();
    else if (told.length || document.querySelector(".lm-CommandPalette:focus-within, dialog.tk-overview[open]")) return;
    const onStage = document.querySelector(STAGE) !== null;
    if (target.matches(FIELD) || target.closest(".cm-content")) {
      if (!page || onStage) return this.leaveField(event);
      target.blur();
    } else if (target !== document.body && !onStage && !lesson.panel.node.contains(target) && !told.length) return;
    const act = this.anywhere(event) ?? (onStage ? undefined : this.amongCells(event, target));
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    // A key that is held down leads through the cells, but carries the talk one step.
    if (!event.repeat || ["ArrowDown", "ArrowUp"].includes(key)) act();
  }

  /** What works on the stage and off it; a blank screen hides all, and any key of the talk brings it back. @param {KeyboardEvent} event @returns {(() => void) | undefined} */
  anywhere({ key }) {
    const { blank, spotlight, zoomed, zoomOut, zoomAt, bareMenus } = this.overlays;
    if (this.blank && [" ", "PageDown", "PageUp", "ArrowRight", "ArrowLeft", "Escape"].includes(key)) return () => blank(false);
    const { audience } = this;
    if (key === "Escape" && audience?.covers) return () => audience.uncover();
    /** @type {Record<string, () => void>} */
    const keys = {
      ...(audience && { q: () => audience.showAddress(), v: () => audience.showAnswers() }),
      b: () => blank(), ".": () => blank(), o: () => this.overview(), s: () => spotlight(),
      z: () => (zoomed() ? zoomOut() : zoomAt()),
      t: () => { this.bare = !this.bare; bareMenus(this.app.shell, this.bare); },
    };
    if (key === "Escape" && zoomed()) return zoomOut;
    return keys[key.toLowerCase()];
  }

  /** @param {KeyboardEvent} event @param {Element} target @returns {(() => void) | undefined} */
  amongCells({ key, shiftKey }, target) {
    const lesson = /** @type {Lesson} */ (this.lesson);
    const { cell } = lesson;
    if (key === " " && (target.matches(PRESSED) || target.closest('[data-playing="true"]'))) return undefined;
    if (key.startsWith("Arrow") && target.matches(MOVED)) return undefined;
    const part = (/** @type {string} */ role) => /** @type {HTMLElement | null} */ (cell?.node.querySelector(`[data-tk-widget] [data-role="${role}"]`));
    /** @type {Record<string, () => void>} */
    const keys = {
      PageDown: () => lesson.forward(), ArrowRight: () => lesson.forward(), " ": () => (shiftKey ? lesson.back() : lesson.forward()),
      PageUp: () => lesson.back(), ArrowLeft: () => lesson.back(),
      ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1), Escape: () => this.toCell(),
      n: () => part("scene-next")?.click(), p: () => part("present")?.click(), m: () => part("mark")?.click(), r: () => this.revealOrReturn(part("return")),
      k: () => this.replay(),
    };
    if (key === "Escape" && target.closest(".jp-Notebook") === null) return undefined;
    // The stage's other keys do nothing here, and above all nothing to the notebook: 0 0 would start the kernel again.
    if (["l", "h", "+", "-", "=", "0"].includes(key.toLowerCase())) return () => {};
    return keys[key] ?? keys[key.toLowerCase()];
  }

  /** @param {1 | -1} by */
  step(by) {
    const to = this.lesson?.neighbour(by) ?? -1;
    if (to >= 0) void this.lesson?.goto(to, false);
  }

  /** @param {HTMLElement | null} back */
  revealOrReturn(back) {
    const { lesson } = this;
    const card = lesson?.cell && lesson.question(lesson.cell);
    if (lesson && card) void lesson.press(() => lesson.reveal(card));
    else back?.click();
  }

  /** Enter and Escape give the keyboard back to the talk, after the field has heard them. @param {KeyboardEvent} event */
  leaveField({ key, target }) {
    const inside = target instanceof Element && target.closest(".jp-OutputArea");
    if (!inside || !["Enter", "Escape"].includes(key)) return;
    setTimeout(() => {
      const at = document.activeElement;
      if (!document.querySelector(STAGE) && (at === target || at === document.body)) this.lesson?.cell?.node.focus({ preventScroll: true });
    });
  }

  overview() {
    const { lesson } = this;
    if (!lesson) return;
    /** @type {{ title: string, level: number, cell: number, minutes?: number, scenes: string[] }[]} */
    const entries = [];
    lesson.cells.forEach(({ model }, cell) => {
      const about = model.getMetadata("tensorkit") ?? {};
      const [, marks, title] = (model.type === "markdown" && /^(#{1,6})\s+(.*)$/m.exec(model.sharedModel.getSource())) || [];
      const scenes = (Array.isArray(about.scenes) ? about.scenes : []).map((/** @type {any} */ one) => String(one?.name ?? ""));
      if (title) entries.push({ title: title.replace(/[*`]/g, ""), level: marks.length, cell, minutes: about.minutes, scenes: [] });
      if (scenes.length) entries.push({ title: model.sharedModel.getSource().split("\n")[0], level: 7, cell, scenes });
    });
    this.overlays.overview(entries, (cell, scene) => void this.goto(cell, scene), lesson.book.activeCellIndex, this.staged?.detail.scene);
  }

  /** To a cell, and to a scene of its picture. @param {number} index @param {number} [scene] */
  async goto(index, scene = -1) {
    const { lesson } = this;
    if (!lesson) return;
    /** @type {HTMLElement | null} */ (document.querySelector(`${STAGE} [data-role="leave"]`))?.click();
    await lesson.goto(index, true);
    const cell = lesson.cells[index];
    const picture = scene >= 0 && cell ? lesson.picture(cell) : undefined;
    if (!picture) return;
    picture.click();
    const list = /** @type {HTMLSelectElement | null} */ (document.querySelector(`${STAGE} [data-role="scene"]`));
    if (!list) return;
    list.value = String(scene);
    list.dispatchEvent(new Event("change"));
  }

  // ---- the speaker's notes

  /** @param {any} word */
  heard(word) {
    if (word?.from !== "notes") return;
    if (!word.do) return this.tell();
    if (word.path !== this.path || !this.lesson) return;
    if (word.do === "blank") this.overlays.blank();
    else if (word.do === "goto") void this.goto(this.lesson.indexOf(word.id));
    else this.go(word.do === "next" ? 1 : -1);
  }

  /** As the clicker goes. @param {1 | -1} by */
  go(by) {
    const root = document.querySelector(`${STAGE} > .tk-root`);
    if (this.blank) this.overlays.blank(false);
    else if (root) root.dispatchEvent(new KeyboardEvent("keydown", { key: by > 0 ? "PageDown" : "PageUp", bubbles: true }));
    else void (by > 0 ? this.lesson?.forward() : this.lesson?.back());
  }

  /** What forward will do. @returns {{ text: string, notes: string } | null} */
  ahead() {
    if (!this.staged) return this.lesson?.ahead() ?? null;
    const { scenes, notes, scene, step, steps } = this.staged.detail;
    if (scenes[scene + 1] !== undefined) return { text: `Scene: ${scenes[scene + 1]}`, notes: notes[scene + 1] ?? "" };
    if (!scenes.length && steps !== 0 && (steps === null || step < steps)) return { text: "One step on.", notes: "" };
    const { lesson } = this;
    const next = lesson?.cells[lesson.neighbour(1)];
    return { text: "Leaves the stage, and goes on.", notes: notesOf(next?.model) };
  }

  tell() {
    const { lesson } = this;
    document.body.dataset.tensorkitTalk = lesson && this.resumed && !lesson.busy && !this.comesBack ? "ready" : "busy"; // for tests
    const id = this.staged?.id ?? lesson?.cell?.model.id;
    if (!lesson || !id || !this.resumed) return;
    this.audience?.follow(lesson.cells.find(({ model }) => model.id === id)?.node, this.staged);
    this.channel.postMessage({ from: "lesson", path: this.path, cell: lesson.indexOf(id), id, stage: this.staged?.detail ?? null, blank: this.blank, next: this.ahead() });
  }
}
