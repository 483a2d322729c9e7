// @ts-check
/**
 * Predict, commit, reveal: the cells that answer a prediction stay out of sight until the learner has predicted, or skipped.
 *
 * A cell says in its metadata which card it waits for: {"tensorkit": {"after": "04.minus_one"}}, or a list of cards. The card
 * says in its HTML whether its answer may be seen (data-card, data-revealed), and tells the document when it was drawn
 * ("tensorkit-card"). Where no card is alive, a button shows the cells to whoever reads without a kernel; and cells that are
 * not right below their cards, as the list of what to keep, have that button always.
 * Only the view changes: the notebook's file is never written to, and a cell that is out of sight runs as any other.
 *
 * A module container as JupyterLab and Notebook 7 load it, written by hand so that it needs no build step.
 */
(() => {
  const HELD = "tk-held";
  const TOLD = "tk-told";
  const VIEW = "application/vnd.jupyter.widget-view+json";
  const CARD = /\bPredict\(\s*(["'])(.+?)\1/g;
  const LOOK = `
    .jp-Cell.${HELD} { display: none !important; }
    .${TOLD} .jp-RenderedMarkdown > details.tk-opened > summary { display: none; }
    .jp-Notebook .tk-card { scroll-margin: 12px 0 64px; }
    .jp-Notebook .tk-card button { scroll-margin: 8px 0 24px; }
    .tk-waits { align-items: center; border-left: 3px dashed var(--jp-border-color1); color: var(--jp-content-font-color1);
      display: flex; flex-wrap: wrap; font-family: var(--jp-content-font-family); font-size: var(--jp-content-font-size1);
      gap: 0.6em; margin: 10px 0 6px calc(var(--jp-cell-prompt-width) + 5px); padding: 4px 14px; }
    .tk-waits button { background: none; border: 1px solid var(--jp-border-color1); border-radius: 6px; color: inherit; cursor: pointer;
      font: inherit; padding: 2px 10px; }
    .tk-waits button:hover { border-color: var(--jp-brand-color1); }
    .tk-waits button:focus-visible { outline: 2px solid var(--jp-brand-color1); outline-offset: 2px; }
    .tk-reveal-news { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }`;

  /** @param {any} cell @returns {string[]} the cards that a cell waits for */
  function waitsFor(cell) {
    const after = cell.model?.getMetadata?.("tensorkit")?.after;
    const names = Array.isArray(after) ? after : [after];
    return names.filter((name) => typeof name === "string");
  }

  /** @param {any} cell @returns {string[]} the cards that a cell shows */
  function cardsOf(cell) {
    if (cell.model?.type !== "code") return [];
    return [...cell.model.sharedModel.getSource().matchAll(CARD)].map((found) => found[2]);
  }

  /** Is the cell at work, or has it a live view that is not on the page yet? @param {any} cell */
  function drawing(cell) {
    const { executionState, outputs } = cell.model;
    if (executionState && executionState !== "idle") return true;
    for (let k = 0; k < (outputs?.length ?? 0); k += 1) if (VIEW in outputs.get(k).data) return true;
    return false;
  }

  /** One notebook on the page. */
  class Curtain {
    /** @param {any} panel @param {(text: string) => void} say @param {any} Cursor */
    constructor(panel, say, Cursor) {
      this.panel = panel;
      this.say = say;
      this.book = panel.content;
      /** The cells whose cards' answers were asked for without a kernel. @type {WeakSet<object>} */
      this.shown = new WeakSet();
      /** The cells that were asked for themselves, far below their cards. @type {WeakSet<object>} */
      this.wanted = new WeakSet();
      /** What each cell's cards said last: it holds while the cell runs again. @type {WeakMap<object, Map<string, boolean>>} */
      this.known = new WeakMap();
      /** The card that each cell showed last: it is another one when something was answered. @type {WeakMap<object, HTMLElement>} */
      this.drawn = new WeakMap();
      /** @type {WeakMap<object, MutationObserver>} */
      this.rendered = new WeakMap();
      /** @type {Map<any, HTMLElement>} */
      this.lines = new Map();
      this.cursor = new Cursor(this.book, {
        hides: (/** @type {any} */ cell) => cell.node.classList.contains(HELD),
        asks: (/** @type {any} */ cell) => cardsOf(cell).some((name) => !this.revealed(cell, name)),
        draws: drawing,
        cardsIn: (/** @type {any} */ cell) => [...cell.node.querySelectorAll("[data-card]")],
      });
      this.due = false;
      this.soon = () => {
        if (this.due) return;
        this.due = true;
        queueMicrotask(() => {
          this.due = false;
          if (!panel.isDisposed) this.look();
        });
      };
      document.addEventListener("tensorkit-card", this.soon);
      this.book.modelChanged?.connect(this.soon);
      this.book.modelContentChanged?.connect(this.soon);
      this.soon();
    }

    /** @param {any} cell @param {string} name @returns {HTMLElement | undefined} */
    live(cell, name) {
      const cards = /** @type {HTMLElement[]} */ ([...cell.node.querySelectorAll("[data-card]")]);
      return cards.find((card) => card.dataset.card === name);
    }

    /** Which cells are out of sight now, and what stands in their place. */
    look() {
      const cells = [...(this.book.widgets ?? [])];
      /** @type {Map<string, any>} */
      const cards = new Map();
      /** @type {Map<any, { open: Set<string>, still: any[], cells: any[] }>} */
      const lines = new Map();
      let last = null;
      /** @type {any[]} the cells that come into sight */
      const told = [];
      /** @type {Map<string, HTMLElement>} the cards that were open the last time */
      const answered = new Map();
      for (const cell of cells) {
        const waits = this.wanted.has(cell.model) ? [] : waitsFor(cell);
        const open = waits.filter((name) => cards.has(name) && !this.revealed(cards.get(name), name));
        if (open.length && last) {
          cell.node.classList.add(HELD);
          cell.node.classList.remove(TOLD);
          const line = lines.get(last) ?? { open: new Set(), still: [], cells: [] };
          for (const name of open) {
            line.open.add(name);
            if (!this.live(cards.get(name), name)) line.still.push(cards.get(name).model);
          }
          line.cells.push(cell);
          lines.set(last, line);
        } else {
          if (waitsFor(cell).length && this.tell(cell)) told.push(cell);
          else if (cell.node.classList.contains(HELD)) cell.node.classList.remove(HELD, TOLD);
          last = cell;
        }
        for (const name of cardsOf(cell)) {
          if (!cards.has(name)) cards.set(name, cell);
          const open = this.known.get(cell.model)?.get(name) === false;
          const card = this.live(cell, name);
          // It is remembered, whether something waits for it or not.
          if (this.revealed(cell, name) && open && card) answered.set(name, card);
          const before = this.drawn.get(cell.model);
          // Asked for another try: what is said of the first one is in sight too.
          if (card && before && before !== card && card.contains(document.activeElement)) answered.set(name, card);
          if (card) this.drawn.set(cell.model, card);
        }
      }
      for (const [cell, line] of this.lines) {
        if (lines.has(cell)) continue;
        line.remove();
        this.lines.delete(cell);
      }
      for (const [cell, line] of lines) this.write(cell, line);
      this.cursor.look();
      for (const [name, card] of answered) this.cursor.answered(card, told.filter((cell) => waitsFor(cell).includes(name)));
      if (told.length) this.say("The answer is in sight, below the question.");
    }

    /** @param {any} cell @param {string} name */
    revealed(cell, name) {
      const card = this.live(cell, name);
      const known = this.known.get(cell.model) ?? new Map();
      this.known.set(cell.model, known);
      if (card) known.set(name, card.dataset.revealed !== "false");
      else if (!known.has(name) || !drawing(cell)) return this.shown.has(cell.model);
      return known.get(name) ?? false;
    }

    /** Show a cell. @param {any} cell @returns {boolean} whether it was out of sight until now */
    tell(cell) {
      const was = cell.node.classList.contains(HELD);
      cell.node.classList.remove(HELD);
      cell.node.classList.add(TOLD);
      if (cell.model.type === "code") {
        // The stored output is unfolded in the view alone: the file keeps it folded for hosts without this extension.
        if (was && cell.outputHidden && cell.model.getMetadata("jupyter")?.outputs_hidden) {
          cell.syncCollapse = false;
          cell.outputHidden = false;
        }
      } else this.unwrap(cell);
      return was;
    }

    /** The text stands in a <details> for hosts without this extension: here it is open as soon as it is rendered. @param {any} cell */
    unwrap(cell) {
      const open = () => {
        if (!cell.node.classList.contains(TOLD)) return;
        for (const part of cell.node.querySelectorAll(".jp-RenderedMarkdown > details:not(.tk-opened)")) {
          part.open = true;
          part.classList.add("tk-opened");
        }
      };
      open();
      if (this.rendered.has(cell)) return;
      const observer = new MutationObserver(open);
      observer.observe(cell.node, { childList: true, subtree: true });
      this.rendered.set(cell, observer);
    }

    /**
     * The quiet line below the question, or in the place of what waits for questions further up. @param {any} cell
     * @param {{ open: Set<string>, still: any[], cells: any[] }} waiting the cards, the cells of those that are not alive, the answer
     */
    write(cell, { open, still, cells }) {
      const line = /** @type {any} */ (this.lines.get(cell) ?? document.createElement("div"));
      line.className = "tk-waits";
      line.tkCells = cells;
      line.tkStill = still;
      const far = cardsOf(cell).length === 0;
      const state = JSON.stringify([...open, still.length > 0, far]);
      if (line.dataset.state !== state) {
        line.dataset.state = state;
        const words = document.createElement("span");
        const told = open.size === 1 ? "the answer to a prediction" : `the answers to ${open.size} predictions`;
        if (far) words.textContent = `This part gives away ${told} above. Predict first, or`;
        else words.textContent = still.length ? "The answer is below. Run the question and predict first, or" : "The answer is below. Predict first, or skip.";
        line.replaceChildren(words);
        if (still.length || far) line.append(this.button(line, far));
      }
      this.lines.set(cell, line);
      if (line.parentElement !== cell.node || line !== cell.node.lastElementChild) cell.node.append(line);
    }

    /** @param {any} line @param {boolean} far */
    button(line, far) {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = "Show";
      made.title = "show the cells that answer the question";
      made.addEventListener("click", () => {
        const [first] = line.tkCells;
        if (far) for (const cell of line.tkCells) this.wanted.add(cell.model);
        else for (const model of line.tkStill) this.shown.add(model);
        this.look();
        // The button is gone: the keyboard goes on where the answer begins.
        this.book.activeCellIndex = this.book.widgets.indexOf(first);
        this.book.activate();
      });
      return made;
    }

    dispose() {
      if (this.isDisposed) return;
      this.isDisposed = true;
      document.removeEventListener("tensorkit-card", this.soon);
      for (const line of this.lines.values()) line.remove();
    }
  }

  /** @param {any} app @param {any} Cursor */
  function activate(app, Cursor) {
    const style = document.createElement("style");
    style.textContent = LOOK;
    document.head.append(style);
    const news = document.createElement("div");
    news.className = "tk-reveal-news";
    news.setAttribute("role", "status");
    document.body.append(news);
    const say = (/** @type {string} */ text) => {
      news.textContent = news.textContent === text ? `${text}\u00a0` : text;
    };
    app.docRegistry.addWidgetExtension("Notebook", { createNew: (/** @type {any} */ panel) => new Curtain(panel, say, Cursor) });
    document.body.dataset.tensorkitReveal = "ready";
  }

  /** What JupyterLab shares with its extensions. @type {Record<string, Record<string, { get(): Promise<() => any> }>>} */
  let shared = {};

  async function plugins() {
    const [{ Cursor, tellsOfRuns }, oldViews] = await Promise.all([import("./cursor.js"), import("./old_views.js")]);
    for (const version of Object.values(shared["@jupyterlab/notebook"] ?? {})) {
      void version.get().then((made) => tellsOfRuns(made().NotebookActions));
    }
    const plugin = { id: "tensorkit-reveal:plugin", autoStart: true, activate: (/** @type {any} */ app) => activate(app, Cursor) };
    return { __esModule: true, default: [plugin, oldViews.default] };
  }

  const modules = { "./extension": plugins, "./style": async () => ({}) };
  const all = /** @type {any} */ (window);
  all._JUPYTERLAB = all._JUPYTERLAB ?? {};
  all._JUPYTERLAB["tensorkit-reveal"] = {
    init: (/** @type {typeof shared} */ scope) => { shared = scope; },
    get: async (/** @type {keyof typeof modules} */ name) => {
      const made = await modules[name]();
      return () => made;
    },
  };
})();
