// @ts-check
/**
 * A lesson that is given as a talk: what comes next, and what came before. Forward runs a cell that was not run yet, shows the rest of
 * what is taller than the window, puts a picture on the stage (where presenter.js goes from scene to scene), shows the answer of
 * a question, and comes to the next cell. Whatever a cell needs is run first, in order: nothing has to be run before the talk.
 *
 * @typedef {{ id: string, type: string, executionState?: string, executionCount?: number | null, outputs?: { length: number, get(k: number): { data: Record<string, unknown> } },
 *             trusted?: boolean, getMetadata(name: string): any, sharedModel: { getSource(): string } }} Model
 * @typedef {{ node: HTMLElement, model: Model }} Cell
 * @typedef {{ run(book: any, session: any): Promise<boolean>, runCells(book: any, cells: Cell[], session: any): Promise<boolean> }} Actions
 */

const VIEW = "application/vnd.jupyter.widget-view+json";
const DRAWN = "[data-tk-widget], .tk-card, .jupyter-widgets";
const PICTURES = '[data-tk-widget]:not([data-kernel="starting"]) [data-role="present"]';
const QUESTION = '.tk-card[data-kind="predict"][data-revealed="false"]';
/** What is not in sight for want of less than this is in sight, in pixels. */
const SLACK = 24;
/** How long a press waits for what a cell draws, once it has run, in milliseconds. */
export const PATIENCE = 8000;

/** @param {() => boolean} isSo @param {number} most in milliseconds */
export async function until(isSo, most) {
  const end = Date.now() + most;
  while (!isSo() && Date.now() < end) await new Promise((done) => setTimeout(done, 30));
}

/** What a speaker is to say at a cell. @param {Model | undefined} model @returns {string} */
export const notesOf = (model) => [model?.getMetadata("tensorkit")?.notes ?? ""].flat().join("");

export class Lesson {
  /** @param {any} panel JupyterLab's @param {Actions} actions its NotebookActions @param {{ setup(source: string): boolean, changed(): void }} how */
  constructor(panel, actions, { setup, changed }) {
    this.panel = panel;
    this.book = panel.content;
    this.actions = actions;
    this.setup = setup;
    this.changed = changed;
    /** The cells that this kernel has run. @type {Set<string>} */
    this.ran = new Set();
    /** How many pictures of which cell have been on the stage since the talk came to it. */
    this.shown = { id: "", count: 0 };
    /** Whether an earlier press is still at work. */
    this.busy = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.saving = undefined;
    this.hideSetup = () => {
      for (const { node, model } of this.cells) node.classList.toggle("tk-setup", model.type === "code" && !model.outputs?.length && setup(model.sharedModel.getSource()));
    };
    this.book.modelContentChanged?.connect(this.hideSetup);
    this.hideSetup();
  }

  /** @returns {Cell[]} */
  get cells() {
    return this.book.widgets;
  }

  /** @returns {Cell | undefined} */
  get cell() {
    return this.book.activeCell ?? undefined;
  }

  /** @param {string} id */
  indexOf(id) {
    return this.cells.findIndex(({ model }) => model.id === id);
  }

  /** Who presents a notebook runs its cells: what they show is as good as what they do. Untrusted pictures would not come back to life. */
  trust() {
    for (const { model } of this.cells) if (model.type === "code") model.trusted = true;
  }

  // ---- what there is

  /** Whether a cell is still to be run: what ran and was not saved before the page was loaded again shows nothing. @param {Cell} cell */
  todo = ({ model }) => model.type === "code" && !(this.ran.has(model.id) && model.executionCount) && model.sharedModel.getSource().trim() !== "";

  /** @param {Cell} cell */
  inSight = ({ node }) => !node.classList.contains("tk-held") && !node.classList.contains("tk-setup");

  /** The next cell that a room sees, or the one before; -1 where there is none. @param {1 | -1} by */
  neighbour(by) {
    let at = this.book.activeCellIndex + by;
    while (this.cells[at] && !this.inSight(this.cells[at])) at += by;
    return this.cells[at] ? at : -1;
  }

  /** @param {Cell} cell @param {1 | -1} by @returns {HTMLElement | undefined} what puts its next picture on the stage, or the one before */
  picture({ node, model }, by = 1) {
    const count = this.shown.id === model.id ? this.shown.count : 0;
    return /** @type {HTMLElement[]} */ ([...node.querySelectorAll(PICTURES)])[by > 0 ? count : count - 1];
  }

  /** @param {Cell} cell @returns {HTMLElement | null} */
  question = ({ node }) => node.querySelector(QUESTION);

  /** By how many pixels a cell goes on below the window, or above it. @param {Cell} cell @param {1 | -1} by */
  hidden({ node, model }, by) {
    if (this.shown.id === model.id && this.shown.count) return 0; // all of it was on the stage
    const [cell, page] = [node.getBoundingClientRect(), this.book.outerNode.getBoundingClientRect()];
    return by > 0 ? cell.bottom - page.bottom : page.top - cell.top;
  }

  /** What forward will do, for the speaker's notes. @returns {{ text: string, notes: string } | null} null at the end */
  ahead() {
    const { cell } = this;
    if (!cell) return null;
    if (this.todo(cell)) return { text: "Runs this cell.", notes: "" };
    if (this.question(cell)) return { text: "Shows the answer.", notes: "" };
    if (this.picture(cell)) return { text: "Puts the picture on the stage.", notes: "" };
    if (this.hidden(cell, 1) > SLACK) return { text: "Shows the rest of this cell.", notes: "" };
    const { model } = this.cells[this.neighbour(1)] ?? {};
    if (!model) return null;
    const line = model.sharedModel.getSource().split("\n").find((one) => one.trim()) ?? "";
    return { text: line.replace(/^#+\s*/, "").slice(0, 100), notes: notesOf(model) };
  }

  // ---- going on

  /** One press. @param {() => Promise<void>} act */
  async press(act) {
    if (this.busy) return;
    this.busy = true;
    this.changed();
    document.dispatchEvent(new Event("tensorkit-moves")); // who holds the page where it was lets go
    try {
      await act();
    } finally {
      this.busy = false;
      this.changed();
    }
  }

  forward() {
    return this.press(async () => {
      const { cell } = this;
      if (!cell) return;
      if (this.todo(cell)) {
        await this.run(this.book.activeCellIndex);
        if (this.inSight(cell)) return;
      }
      await this.drawn(cell);
      // Somebody has scrolled away from it: nothing is shown where the room does not look.
      if (this.hidden(cell, -1) > cell.node.getBoundingClientRect().height - SLACK) return this.bring(cell, this.book.activeCellIndex);
      const card = this.question(cell);
      const picture = this.picture(cell);
      const below = this.hidden(cell, 1);
      if (below > SLACK && (card || !picture)) this.scroll(Math.min(below + SLACK, 0.8 * this.book.outerNode.clientHeight));
      else if (card) await this.reveal(card);
      else if (picture) picture.click();
      else if (this.neighbour(1) >= 0) await this.come(this.neighbour(1), true);
    });
  }

  /** The way that forward came: from its end into a cell, and onto the stage with its last picture. */
  back() {
    return this.press(async () => {
      const { cell } = this;
      const above = cell ? this.hidden(cell, -1) : 0;
      const picture = cell && this.picture(cell, -1);
      if (above > SLACK) return this.scroll(-Math.min(above + SLACK, 0.8 * this.book.outerNode.clientHeight));
      if (picture) return picture.click();
      if (this.neighbour(-1) < 0) return;
      await this.come(this.neighbour(-1), false);
      const before = /** @type {Cell} */ (this.cell);
      this.shown = { id: before.model.id, count: before.node.querySelectorAll(PICTURES).length };
      this.picture(before, -1)?.click();
    });
  }

  /** To a cell, as the arrow keys go; and to a section or a scene, with all that it needs. @param {number} index @param {boolean} run */
  goto(index, run) {
    return this.press(() => this.come(index, run));
  }

  /** @param {number} index @param {boolean} run */
  async come(index, run) {
    const cell = this.cells[index];
    if (!cell) return;
    this.shown = { id: "", count: 0 };
    if (run) await this.uncover(cell, index);
    this.book.deselectAll();
    this.book.mode = "command";
    this.book.activeCellIndex = index;
    await this.bring(cell, index);
    if (!run || !this.todo(cell)) return;
    await this.run(index);
    await this.drawn(cell);
    await this.bring(cell, index);
  }

  /** Who jumps to a cell that answers a question has had the question: its answer is shown. @param {Cell} cell @param {number} index */
  async uncover(cell, index) {
    if (this.inSight(cell)) return;
    await this.actions.runCells(this.book, this.cells.slice(0, index).filter(this.todo), this.panel.sessionContext);
    for (const name of [cell.model.getMetadata("tensorkit")?.after ?? []].flat()) {
      const card = () => /** @type {HTMLElement | null} */ (document.querySelector(`.tk-card[data-card="${CSS.escape(name)}"][data-revealed]`));
      await until(() => card() !== null, PATIENCE);
      const open = card();
      if (open?.dataset.revealed === "false") await this.reveal(open);
    }
    await until(() => this.inSight(cell), PATIENCE);
  }

  /** Run a cell, after all before it that were not run yet. @param {number} index */
  async run(index) {
    const before = this.cells.slice(0, index).filter(this.todo);
    const session = this.panel.sessionContext;
    const cell = this.cells[index];
    if (before.length) await this.actions.runCells(this.book, before, session);
    if (cell?.model.type !== "code") return;
    // After a restart it waits for the answer of its question: the cursor would be led past it.
    await until(() => !cell.node.classList.contains("tk-held"), PATIENCE);
    this.book.deselectAll();
    this.book.activeCellIndex = index;
    await this.actions.run(this.book, session);
    this.save();
  }

  /** What has run is saved a little later: a page that is loaded again shows it, and finds its pictures in the kernel. */
  save() {
    const { context, sessionContext } = this.panel;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => {
      if (sessionContext.session?.kernel?.connectionStatus === "connected" && context.model.dirty) void context.save();
    }, 400);
  }

  /** Wait until what a cell shows is on the page. @param {Cell} cell */
  async drawn({ node, model }) {
    await until(() => !model.executionState || model.executionState === "idle", 60 * PATIENCE);
    const { outputs } = model;
    const views = outputs ? Array.from({ length: outputs.length }, (_, k) => outputs.get(k)).filter(({ data }) => VIEW in data) : [];
    if (views.length) await until(() => node.querySelector(DRAWN) !== null, PATIENCE);
  }

  /** Bring a cell into sight: its beginning where it is taller than the window. @param {Cell} cell @param {number} index */
  async bring(cell, index) {
    // What stands above it may still grow, as after the page was loaded: it is looked at again.
    for (let calm = 0, tries = 0; calm < 3 && tries < 60; tries += 1) {
      if (!cell.node.isConnected) await this.book.scrollToItem?.(index, "smart", 0);
      const [below, above] = [this.hidden(cell, 1), this.hidden(cell, -1)];
      const away = (below > 1 || above > 1) && Math.abs(above + SLACK) > 2;
      if (away) this.scroll(-above - SLACK);
      calm = away ? 0 : calm + 1;
      await new Promise((done) => setTimeout(done, 30));
    }
    const at = document.activeElement;
    if (!at || at === document.body || !cell.node.contains(at)) cell.node.focus({ preventScroll: true });
  }

  /** @param {number} by */
  scroll(by) {
    this.book.outerNode.scrollTop += by;
  }

  /** A picture comes onto the stage: the talk is there, and goes on behind it. @param {Cell} cell @param {Element} place where the picture was */
  enters(cell, place) {
    const before = [...cell.node.querySelectorAll(PICTURES)].filter((one) => place.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING);
    this.book.activeCellIndex = this.cells.indexOf(cell);
    this.shown = { id: cell.model.id, count: before.length + 1 };
  }

  /** The stage was left at its beginning: its picture is still to come. */
  leavesBack() {
    this.shown.count -= 1;
  }

  /** @param {HTMLElement} card */
  async reveal(card) {
    const root = card.parentElement;
    /** @type {HTMLElement | null} */ (card.querySelector('[data-do="skip"]'))?.click();
    await until(() => !root?.querySelector(QUESTION), PATIENCE);
  }
}
