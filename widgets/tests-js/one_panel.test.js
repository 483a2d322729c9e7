import { describe, expect, it, vi } from "vitest";
import { onePanel } from "../tensorkit_widgets/static/one_panel.js";

/** A notebook's widget manager with the models of two panels. */
function manager() {
  const models = { first: { close: vi.fn() }, second: { close: vi.fn() } };
  return { models, has_model: (id) => id in models, get_model: async (id) => models[id] };
}

describe("the panel beside a notebook", () => {
  it("is one: the next closes the one before, without a word to its kernel", async () => {
    const { models, ...book } = manager();
    await onePanel(book, "first");
    await onePanel(book, "first");
    expect(models.first.close).not.toHaveBeenCalled();
    await onePanel(book, "second");
    expect(models.first.close.mock.calls).toEqual([[true]]);
    await onePanel(book, "");
    await onePanel(book, "");
    expect(models.second.close.mock.calls).toEqual([[true]]);
  });

  it("is another one for another notebook", async () => {
    const [one, other] = [manager(), manager()];
    await onePanel(one, "first");
    await onePanel(other, "second");
    expect(one.models.first.close).not.toHaveBeenCalled();
  });

  it("may have been closed by hand", async () => {
    const book = manager();
    await onePanel(book, "first");
    delete book.models.first;
    await onePanel(book, "second");
    expect(book.models.second.close).not.toHaveBeenCalled();
  });
});
