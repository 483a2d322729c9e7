// @ts-check
/**
 * The notebook's cursor stays among the cells that are in sight. JupyterLab would make a cell that is out of sight the active one and
 * scroll to it: to the top of the page, for it has no place there.
 *
 * "Run and go on" stays at a question that is open, and the keyboard goes into its card as soon as that is drawn: what is typed there
 * is the answer, and among the cells it would be a shortcut. Whatever else leads to a cell out of sight leads past it.
 *
 * @typedef {{ node: HTMLElement }} Cell
 * @typedef {{ activeCellIndex: number, activeCell: Cell | null, widgets: readonly Cell[],
 *             extendContiguousSelectionTo(index: number): void }} Book the notebook on a page
 * @typedef {{ hides(cell: Cell): boolean, asks(cell: Cell): boolean, draws(cell: Cell): boolean, cardsIn(cell: Cell): HTMLElement[] }} Sight
 *   which cells are out of sight, have an open question, run or have a view that comes; and the cards that a cell shows
 */

/** @type {WeakMap<object, Cursor>} */
const cursors = new WeakMap();

/** The cursor of one notebook. */
export class Cursor {
  /** @param {Book} book @param {Sight} sight */
  constructor(book, sight) {
    this.book = book;
    this.sight = sight;
    /** Whether a cell was run that moment, and the cursor is on its way to the next one. */
    this.runs = false;
    /** The question that the cursor stays at, and the cards that were there before it was run. @type {{ cell: Cell, before: Set<HTMLElement> } | null} */
    this.awaited = null;
    /** The cell that was run and left behind, the cards that it showed before, and where the page was: a new card is brought into sight. @type {{ cell: Cell, before: Set<Element>, top: number } | null} */
    this.left = null;
    cursors.set(book, this);
    this.guard();
  }

  guard() {
    const { book } = this;
    const own = described(book, "activeCellIndex");
    Object.defineProperty(book, "activeCellIndex", {
      configurable: true,
      get: () => own.get?.call(book),
      set: (index) => own.set?.call(book, this.led(index)),
    });
    const extend = book.extendContiguousSelectionTo;
    book.extendContiguousSelectionTo = (index) => extend.call(book, this.past(index));
  }

  /** Where the cursor goes that was sent to a cell. @param {number} index @returns {number} */
  led(index) {
    const { activeCellIndex: from, widgets } = this.book;
    const cell = widgets[from];
    if (!this.runs || index !== from + 1 || !this.sight.asks(cell)) return this.past(index);
    this.awaited = { cell, before: new Set(this.sight.cardsIn(cell)) };
    return from;
  }

  /** The cell itself, or the next one in sight on the way there; at the end of the notebook the last one in sight. @param {number} index @returns {number} */
  past(index) {
    const { activeCellIndex: from, widgets } = this.book;
    const last = Math.min(index, widgets.length - 1);
    const next = (/** @type {number} */ step) => {
      let at = last;
      while (widgets[at] && this.sight.hides(widgets[at])) at += step;
      return widgets[at] ? at : -1;
    };
    const below = index > from ? next(1) : -1;
    const found = below >= 0 ? below : next(-1);
    return found >= 0 ? found : index;
  }

  /** What is in sight has changed: the cursor is not left on a cell that is not, and goes into the card that it has waited for. */
  look() {
    const { book, awaited } = this;
    const active = book.activeCell;
    if (active && this.sight.hides(active)) {
      const at = document.activeElement;
      book.activeCellIndex = book.activeCellIndex; // led to where it can be seen
      book.activeCell?.node.scrollIntoView({ block: "nearest" });
      if (!at || at === document.body || active.node.contains(at)) book.activeCell?.node.focus({ preventScroll: true });
    }
    this.bringLeft();
    if (!awaited) return;
    const card = this.sight.cardsIn(awaited.cell).find((one) => !awaited.before.has(one));
    if (book.activeCell !== awaited.cell) this.awaited = null;
    else if (card) {
      this.awaited = null;
      enter(card, awaited.cell);
    }
  }

  /**
   * A cell was run: a card that it comes to show is brought into sight, unless somebody does something before that.
   * @param {Cell} cell @param {Set<Element>} before @param {number} top
   */
  leaves(cell, before, top) {
    this.left = this.awaited?.cell === cell ? null : { cell, before, top };
    if (this.left) onceLetGo(() => { this.left = null; });
  }

  /** Bring the card of the cell that was run into sight, once it is there. */
  bringLeft() {
    const { left } = this;
    const card = left && cardsShown(left.cell).find((one) => !left.before.has(one));
    if (!card) return;
    this.left = null;
    keepInSight(card, left.top);
  }

  /** A prediction was answered, and these cells tell more: what is said of it comes into sight, and before a room they do. @param {HTMLElement} card @param {Cell[]} cells */
  answered(card, cells) {
    bringAnswer(card, (presenting() && cells.at(-1)?.node) || card);
  }

  /** A cell was run to its end: where it shows no card, the cursor goes on, if it stays for one. @param {boolean} well */
  ran(well) {
    const { book, awaited } = this;
    if (!well || !awaited || awaited.cell !== book.activeCell || this.sight.draws(awaited.cell)) return;
    this.awaited = null;
    book.activeCellIndex += 1;
    book.activeCell?.node.scrollIntoView({ block: "nearest" });
    book.activeCell?.node.focus({ preventScroll: true });
  }
}

/** Whether a room looks on. */
const presenting = () => document.body.dataset.tensorkitPresent !== undefined;

/** The keyboard goes into a card, which is brought into sight; not away from where somebody has gone meanwhile. @param {HTMLElement} card @param {Cell} cell */
function enter(card, cell) {
  keepInSight(card);
  const at = document.activeElement;
  if (at && at !== document.body && !cell.node.contains(at)) return;
  // In front of a room the card itself is the place: its keys are the presenter's. A learner begins to answer.
  const part = presenting() ? null : /** @type {HTMLElement | null} */ (card.querySelector("input:not([disabled])"));
  if (!part && card.tabIndex < 0) card.tabIndex = -1;
  (part ?? card).focus({ preventScroll: true });
}

/** What lets go of a card: from then on the page is where somebody has put it. */
const LET_GO = ["keydown", "pointerdown", "wheel", "tensorkit-moves"]; // the last: a talk goes on, its keys are heard here no more

/** Once, as soon as somebody does something. @param {() => void} act */
function onceLetGo(act) {
  const gone = new AbortController();
  const letGo = () => {
    act();
    gone.abort();
  };
  for (const name of LET_GO) document.addEventListener(name, letGo, { capture: true, passive: true, signal: gone.signal });
}

/** @param {Cell} cell @returns {HTMLElement[]} the cards on the page */
function cardsShown(cell) {
  return [...cell.node.querySelectorAll(".tk-practice .tk-card")].map((card) => /** @type {HTMLElement} */ (card));
}

/** @param {Cell | null} cell @returns {number} where its page is */
function topOf(cell) {
  return cell?.node.closest(".jp-WindowedPanel-outer")?.scrollTop ?? 0;
}

/** Bring a card into sight, and again where the cells above it grow: what they show may come later. @param {HTMLElement} card @param {number} [from] never further up the page than this */
function keepInSight(card, from = 0) {
  const page = card.closest(".jp-WindowedPanel-viewport");
  const outer = card.closest(".jp-WindowedPanel-outer");
  const bring = () => {
    bringIn(card, outer?.clientHeight ?? Infinity);
    if (outer && outer.scrollTop < from) outer.scrollTop = from;
  };
  bring();
  if (!page) return;
  const grown = new ResizeObserver(bring);
  grown.observe(page);
  onceLetGo(() => grown.disconnect());
}

/** What is left above and below an answer. */
const AIR = 12;

/** Bring what is said of a prediction into sight, down to this end where there is room, until somebody does something. @param {HTMLElement} card @param {HTMLElement} end */
function bringAnswer(card, end) {
  const page = card.closest(".jp-WindowedPanel-viewport");
  const outer = card.closest(".jp-WindowedPanel-outer");
  const said = card.querySelector(".tk-verdict") ?? card;
  if (!page || !outer) return;
  const bring = () => {
    const room = outer.getBoundingClientRect();
    const below = end.getBoundingClientRect().bottom + AIR - room.bottom;
    const above = said.getBoundingClientRect().top - AIR - room.top;
    outer.scrollTop += Math.max(0, Math.min(below, above));
  };
  bring();
  const grown = new ResizeObserver(bring);
  grown.observe(page);
  onceLetGo(() => grown.disconnect());
}

/** A cell stays where it is in the window while others run and grow, until somebody does something. @param {HTMLElement} node */
function holdStill(node) {
  const page = node.closest(".jp-WindowedPanel-viewport");
  const outer = node.closest(".jp-WindowedPanel-outer");
  if (!page || !outer) return;
  const top = node.getBoundingClientRect().top;
  const hold = () => { outer.scrollTop += node.getBoundingClientRect().top - top; };
  const grown = new ResizeObserver(hold);
  grown.observe(page);
  outer.addEventListener("scroll", hold);
  onceLetGo(() => {
    grown.disconnect();
    outer.removeEventListener("scroll", hold);
  });
}

/** Bring a card into sight: where it is taller than the window its beginning, but with the buttons of what is asked first. @param {HTMLElement} card @param {number} room */
function bringIn(card, room) {
  card.scrollIntoView({ block: card.offsetHeight > room ? "start" : "nearest" });
  bringButtons(card.querySelector('[data-part][data-state="open"]') ?? card);
}

/** Bring the buttons of a card, or of one of its questions, into sight. @param {Element} part */
function bringButtons(part) {
  [...part.querySelectorAll("button[data-do]")].at(-1)?.scrollIntoView({ block: "nearest" });
}

/** Where the keyboard comes to a question, or the mouse has chosen an answer, the buttons are in sight, if there is room for both. @param {Event} event */
function followsFocus({ target }) {
  const card = target instanceof HTMLInputElement ? target.closest(".jp-Notebook .tk-practice .tk-card") : null;
  if (!card || !(target instanceof HTMLInputElement)) return;
  const part = target.closest("[data-part]") ?? card;
  const button = [...part.querySelectorAll("button[data-do]")].at(-1);
  const room = card.closest(".jp-WindowedPanel-outer")?.clientHeight ?? 0;
  if (button && button.getBoundingClientRect().bottom - target.getBoundingClientRect().top < room - 40) bringButtons(part);
}

let pressed = false;
document.addEventListener("pointerdown", () => { pressed = true; }, true);
for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => { pressed = false; }, true);
// Nothing moves under a pointer that is down: its click would miss.
document.addEventListener("focusin", (event) => { if (!pressed) followsFocus(event); });
document.addEventListener("click", followsFocus);

/** @param {object} one @param {string} name @returns {PropertyDescriptor} how its class says that this property is read and set */
function described(one, name) {
  for (let kind = one; kind; kind = Object.getPrototypeOf(kind)) {
    const found = Object.getOwnPropertyDescriptor(kind, name);
    if (found) return found;
  }
  return {};
}

/** @type {WeakSet<object>} */
const told = new WeakSet();

/** Let JupyterLab's own action say when it has run a cell and goes on. @param {Record<string, any>} actions */
export function tellsOfRuns(actions) {
  if (told.has(actions)) return;
  told.add(actions);
  const inPlace = actions.run;
  actions.run = (/** @type {Book} */ book, /** @type {any[]} */ ...rest) => {
    const cell = book.activeCell;
    const before = new Set(cell ? cardsShown(cell) : []);
    const top = topOf(cell);
    const over = inPlace(book, ...rest);
    if (cell) cursors.get(book)?.leaves(cell, before, top);
    return over;
  };
  const all = actions.runAll;
  actions.runAll = (/** @type {Book} */ book, /** @type {any[]} */ ...rest) => {
    const { activeCell, activeCellIndex } = book;
    const over = all(book, ...rest); // it goes to the last cell: what is shown to a room stays where it is
    if (activeCell && presenting()) {
      book.activeCellIndex = activeCellIndex;
      holdStill(activeCell.node);
    }
    return over;
  };
  const run = actions.runAndAdvance;
  actions.runAndAdvance = (/** @type {Book} */ book, /** @type {any[]} */ ...rest) => {
    const cursor = cursors.get(book);
    if (!cursor) return run(book, ...rest);
    // Below the last cell it makes another one, for what is to be written next.
    cursor.runs = book.activeCellIndex < book.widgets.length - 1;
    const cell = book.activeCell;
    const before = new Set(cell ? cardsShown(cell) : []);
    const top = topOf(cell);
    const over = run(book, ...rest); // it moves the cursor before it first waits
    cursor.runs = false;
    if (cell) cursor.leaves(cell, before, top);
    over.then((/** @type {boolean} */ well) => cursor.ran(well), () => {});
    return over;
  };
}
