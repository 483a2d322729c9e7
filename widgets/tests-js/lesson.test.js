import { beforeEach, describe, expect, it } from "vitest";
import { Lesson } from "../../tensorkit/lab/talk/labextensions/tensorkit-present/static/lesson.js";

const HIGH = 700;
/** What happened, in order. */
let log;
let lesson;
/** Where each cell begins and how high it is, by its id. */
let places;

/** A cell: `html` is what it shows once it has run, `tensorkit` its metadata. */
function cellOf(id, { type = "code", html = "", source = id, held = false, tensorkit = undefined } = {}) {
  const node = document.createElement("div");
  node.tabIndex = -1;
  node.classList.toggle("tk-held", held);
  node.getBoundingClientRect = () => {
    const [top, height] = places[id] ?? [0, 100];
    return { top, height, bottom: top + height };
  };
  document.body.append(node);
  const model = { id, type, outputs: null, sharedModel: { getSource: () => source }, getMetadata: () => tensorkit };
  return { node, model, html };
}

function begin(...cells) {
  const ran = (cell) => {
    log.push(`run ${cell.model.id}`);
    lesson.ran.add(cell.model.id);
    cell.model.executionCount = 1;
    cell.node.innerHTML = cell.html;
  };
  const book = {
    widgets: cells, activeCellIndex: 0, mode: "edit", deselectAll() {}, get activeCell() { return cells[this.activeCellIndex]; },
    outerNode: { clientHeight: HIGH, getBoundingClientRect: () => ({ top: 0, bottom: HIGH }), set scrollTop(to) { log.push(`scroll ${to}`); }, get scrollTop() { return 0; } },
  };
  const actions = {
    run: async () => ran(book.activeCell),
    runCells: async (_, some) => some.forEach(ran),
  };
  const panel = { content: book, sessionContext: {}, context: { model: { dirty: false } } };
  lesson = new Lesson(panel, actions, { setup: (source) => source.startsWith("import"), changed: () => {} });
}

const PICTURE = '<div data-tk-widget="board"><button data-role="present"></button></div>';
const question = (name) => `<div><div class="tk-card" data-kind="predict" data-card="${name}" data-revealed="false"><button data-do="skip"></button></div></div>`;

/** Press forward; what it did, and where the talk is. */
async function forward() {
  log.length = 0;
  await lesson.forward();
  return [...log, lesson.cell.model.id].join(", ");
}

beforeEach(() => {
  document.body.replaceChildren();
  log = [];
  places = {};
  document.onclick = ({ target }) => {
    log.push(target.dataset.role ?? "reveal");
    const card = target.closest(".tk-card");
    if (card) card.dataset.revealed = "true";
    for (const cell of card ? lesson.cells : []) if (cell.model.getMetadata()?.after === card.dataset.card) cell.node.classList.remove("tk-held");
    if (target.dataset.role) lesson.enters(lesson.cell, target);
  };
});

describe("one key through a lesson", () => {
  it("runs each cell as it comes, puts its pictures on the stage one by one, and goes on", async () => {
    begin(cellOf("title", { type: "markdown" }), cellOf("import tk"), cellOf("two", { html: PICTURE + PICTURE }), cellOf("end", { type: "markdown" }));
    expect(lesson.cells[1].node.className).toBe("tk-setup");
    expect(lesson.ahead().text).toBe("two");
    expect(await forward()).toBe("run import tk, run two, two");
    expect(await forward()).toBe("present, two");
    expect(await forward()).toBe("present, two");
    expect(await forward()).toBe("end");
    expect(lesson.ahead()).toBe(null);
    expect(await forward()).toBe("end");
  });

  it("shows an answer after its question, and never a cell that waits", async () => {
    begin(cellOf("ask", { html: question("q") }), cellOf("answer", { held: true, tensorkit: { after: "q" } }), cellOf("on"));
    expect(await forward()).toBe("run ask, ask");
    expect(lesson.ahead().text).toBe("Shows the answer.");
    expect(await forward()).toBe("reveal, ask");
    expect(await forward()).toBe("run answer, answer");
    begin(cellOf("ask", { html: question("q") }), cellOf("answer", { held: true, tensorkit: { after: "q" } }), cellOf("on"));
    await lesson.goto(0, true);
    expect(lesson.neighbour(1), "past what waits").toBe(2);
  });

  it("reads what is taller than the window to its end before it shows an answer", async () => {
    begin(cellOf("ask", { html: question("q") }), cellOf("on"));
    places = { ask: [0, 1000] };
    await forward();
    expect(await forward()).toBe("scroll 324, ask");
    places = { ask: [-324, 1000] };
    expect(await forward()).toBe("reveal, ask");
  });

  it("shows nothing where the room does not look", async () => {
    begin(cellOf("ask", { html: question("q") }));
    await forward();
    places = { ask: [-900, 300] };
    expect(await forward()).toMatch(/^scroll -924.*, ask$/);
  });

  it("jumps to a cell that answers a question: what it needs is run, and the question is answered", async () => {
    begin(cellOf("one"), cellOf("ask", { html: question("q") }), cellOf("answer", { held: true, tensorkit: { after: ["q"] } }));
    lesson.cells[2].model.getMetadata = () => ({ after: "q" });
    await lesson.goto(2, true);
    expect([...log, lesson.cell.model.id].join(", ")).toBe("run one, run ask, reveal, run answer, answer");
  });

  it("goes back over the same cells, and runs nothing", async () => {
    begin(cellOf("one"), cellOf("two", { held: true }), cellOf("three"));
    await lesson.goto(2, false);
    await lesson.back();
    expect([...log, lesson.cell.model.id].join(", ")).toBe("one");
  });

  it("goes back into the pictures of a cell, the last one first, and forward again from where it is", async () => {
    begin(cellOf("two", { html: PICTURE + PICTURE }), cellOf("end", { type: "markdown" }));
    for (let presses = 0; presses < 4; presses += 1) await lesson.forward();
    expect(lesson.cell.model.id).toBe("end");
    for (const left of [1, 0]) {
      log.length = 0;
      await lesson.back();
      expect([...log, lesson.cell.model.id, lesson.shown.count], "on the stage").toEqual(["present", "two", left + 1]);
      lesson.leavesBack();
    }
    expect(await forward()).toBe("present, two");
    expect(lesson.shown.count).toBe(1);
  });

  it("runs again what a page has lost that was loaded again before it was saved", async () => {
    begin(cellOf("one"), cellOf("two"));
    await forward();
    lesson.cells[0].model.executionCount = null;
    expect(await forward()).toBe("run one, one");
    expect(await forward()).toBe("run two, two");
  });

  it("takes one press at a time", async () => {
    begin(cellOf("one"), cellOf("two"), cellOf("three"));
    await Promise.all([lesson.forward(), lesson.forward(), lesson.forward()]);
    expect(log).toEqual(["run one"]);
  });
});
