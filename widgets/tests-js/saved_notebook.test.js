import { describe, expect, it, vi } from "vitest";
import { lookAfterFile, putBack, withoutViews } from "../tensorkit_widgets/static/saved_notebook.js";

const VIEW = "application/vnd.jupyter.widget-view+json";
const STATE = "application/vnd.jupyter.widget-state+json";
const view = (id) => ({ output_type: "display_data", data: { [VIEW]: { version_major: 2, version_minor: 0, model_id: id } }, metadata: {} });
const picture = (id) => ({ output_type: "display_data", data: { "text/html": "<img>" }, metadata: { tensorkit: { model_id: id } } });
const text = { output_type: "stream", name: "stdout", text: "hello" };
const file = (...cells) => ({ cells: cells.map((outputs) => ({ cell_type: "code", outputs })), metadata: {} });

/** JupyterLab's outputs of a cell. */
function outputs(list) {
  return {
    get length() { return list.length; },
    get: (place) => list[place],
    toJSON: () => list,
    fromJSON: vi.fn((next) => { list = next; }),
  };
}

/** JupyterLab's model of a notebook. */
class Notebook {
  constructor(...cells) {
    this.dirty = false;
    this.cells = Object.assign(cells.map((list) => ({ type: "code", outputs: outputs(list) })), { changed: signal() });
  }
  toJSON() {
    return file(...this.cells.map((cell) => cell.outputs.toJSON()));
  }
}

function signal() {
  const acts = [];
  return { connect: (act) => acts.push(act), emit: (how) => acts.forEach((act) => act(null, how)) };
}

describe("the file of a notebook", () => {
  it("has the pictures without their views, and everything else", () => {
    const book = file([text, view("a"), picture("a"), view("b"), picture("b")], [view("foreign")], [view("x"), picture("y")]);
    expect(withoutViews(book)).toEqual(file([text, picture("a"), picture("b")], [view("foreign")], [view("x"), picture("y")]));
    expect(withoutViews({ cells: [{ cell_type: "markdown", source: "words" }] }).cells).toHaveLength(1);
  });

  it("has none of a view that was taken down", () => {
    expect(withoutViews(file([view(""), picture("a")]))).toEqual(file([picture("a")]));
  });

  it("keeps the views that are saved with their state", () => {
    const book = { ...file([view("a"), picture("a"), view("b"), picture("b")]), metadata: { widgets: { [STATE]: { state: { a: {} } } } } };
    expect(withoutViews(book).cells[0].outputs).toEqual([view("a"), picture("a"), picture("b")]);
  });
});

describe("a notebook that is opened again", () => {
  it("gets back the views whose models its kernel has, and has nothing to save", () => {
    const book = new Notebook([text, picture("a"), picture("b")], [view("c"), picture("c")]);
    const [, whole] = book.cells;
    putBack(book, (id) => id !== "b");
    expect(book.toJSON()).toEqual(file([text, view("a"), picture("a"), picture("b")], [view("c"), picture("c")]));
    expect(whole.outputs.fromJSON).not.toHaveBeenCalled();
    expect(book.dirty).toBe(false);
  });
});

describe("looking after a file", () => {
  it("takes the views out of what is saved, and of nothing else", async () => {
    const model = new Notebook([view("a"), picture("a")]);
    const context = { model, ready: Promise.resolve(), saveState: signal(), isDisposed: false };
    const manager = { context, has_model: () => true };
    lookAfterFile(manager);
    lookAfterFile(manager);
    context.saveState.emit("started");
    expect(model.toJSON()).toEqual(file([picture("a")]));
    context.saveState.emit("completed");
    expect(model.toJSON()).toEqual(file([view("a"), picture("a")]));
  });

  it("puts views back when models arrive, and when the file is read again", async () => {
    const model = new Notebook([picture("a")]);
    const context = { model, ready: Promise.resolve(), saveState: signal(), isDisposed: false };
    lookAfterFile({ context, has_model: () => true });
    await vi.waitFor(() => expect(model.toJSON()).toEqual(file([view("a"), picture("a")])));
    model.cells[0].outputs.fromJSON([picture("a")]);
    model.cells.changed.emit();
    await vi.waitFor(() => expect(model.toJSON()).toEqual(file([view("a"), picture("a")])));
  });

  it("leaves other hosts alone", () => {
    lookAfterFile(undefined);
    lookAfterFile({});
    lookAfterFile({ context: {} });
  });
});
