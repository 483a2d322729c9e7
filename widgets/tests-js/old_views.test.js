import { describe, expect, it, vi } from "vitest";
import oldViews, { readWithoutOldViews, withoutOldViews } from "../../tensorkit/lab/jupyter/labextensions/tensorkit-reveal/static/old_views.js";

const VIEW = "application/vnd.jupyter.widget-view+json";
const STATE = "application/vnd.jupyter.widget-state+json";
const PLAY = '<p class="tk-play" style="margin: 2px 4px">▷ Run this cell to play with the picture.</p>';
const view = (id) => ({ output_type: "display_data", data: { [VIEW]: { version_major: 2, version_minor: 0, model_id: id } }, metadata: {} });
const output = (html, metadata = {}) => ({ output_type: "display_data", data: { "text/html": html, "text/plain": "words" }, metadata });
const picture = (metadata) => output('<img class="tk-still" alt="a tensor">', metadata);
const invited = (id) => output(`<img class="tk-still" alt="a tensor">${PLAY}`, { tensorkit: { model_id: id } });
const text = { output_type: "stream", name: "stdout", text: "hello" };
const file = (cells, metadata = {}) => ({ cells: cells.map((outputs) => ({ cell_type: "code", outputs })), metadata });

describe("a notebook that an earlier version of the kit saved", () => {
  it("is read without the views before its pictures; the pictures invite, and name their models", () => {
    const book = file([[text, view("a"), picture(), view("b"), picture()], [picture()]]);
    expect(withoutOldViews(book)).toEqual(file([[text, invited("a"), invited("b")], [picture()]]));
  });

  it("has its own words for a card, and the invitation once", () => {
    const card = '<div class="tk-still" style="border: 1px">a question</div>';
    const told = withoutOldViews(file([[view("a"), output([card, "<p>more</p>"])], [view("b"), invited("b")]])).cells;
    expect(told[0].outputs[0].data["text/html"]).toBe(`${card}<p>more</p>${PLAY.replace("play with the picture", "answer")}`);
    expect(told[1].outputs).toEqual([invited("b")]);
  });

  it("has none of a view that was taken down, nor its name", () => {
    const [only] = withoutOldViews(file([[view(""), picture({ kept: 1 })]])).cells[0].outputs;
    expect(only.metadata).toEqual({ kept: 1 });
  });

  it("keeps the views that are saved with their state", () => {
    const state = { widgets: { [STATE]: { state: { a: {} } } } };
    expect(withoutOldViews(file([[view("a"), picture()], [view("b"), picture()]], state))).toEqual(
      file([[view("a"), picture()], [invited("b")]], state),
    );
  });

  it("is left as it is where the views are those of other libraries", () => {
    const others = file([[view("a")], [view("b"), text], [view("c"), output('<p>not <img class="tk-still"></p>')], [text, view("d")]]);
    expect(withoutOldViews(others)).toBe(others);
    const words = { cells: [{ cell_type: "markdown", source: "words" }] };
    expect(withoutOldViews(words)).toBe(words);
  });
});

describe("reading", () => {
  it("goes through it each time, however many panels show the notebook", () => {
    const fromJSON = vi.fn();
    const model = { fromJSON };
    let extension;
    oldViews.activate({ docRegistry: { addWidgetExtension: (_, made) => { extension = made; } } });
    extension.createNew({}, { model });
    extension.createNew({}, { model });
    readWithoutOldViews(model);
    const book = file([[view("a"), picture()]]);
    model.fromJSON(book);
    model.fromJSON(book);
    expect(fromJSON.mock.calls).toEqual([[withoutOldViews(book)], [withoutOldViews(book)]]);
  });
});
