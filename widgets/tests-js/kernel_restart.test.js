import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forget, revive } from "../tensorkit_widgets/static/kernel_restart.js";

const CELL = '<div class="jp-Cell"><div data-tk-widget data-step="2"></div><div class="now on the stage"></div></div>';

/** A notebook whose second cell shows a picture, and what its kernel does when it is asked to start again. */
function notebook() {
  document.body.innerHTML = CELL.replace('data-tk-widget data-step="2"', "") + CELL;
  const nodes = [...document.querySelectorAll(".jp-Cell")];
  const kernel = { name: "python3", status: "idle" };
  const sessionContext = {
    session: { kernel },
    kernelPreference: { name: "python3" },
    startKernel: vi.fn(async () => { sessionContext.session = { kernel: { name: "python3", status: "idle" } }; }),
    restartKernel: vi.fn(async () => { kernel.status = "idle"; }),
    changeKernel: vi.fn(async () => { sessionContext.session = { kernel: { name: "python3", status: "idle" } }; }),
  };
  const widgets = nodes.map((node, k) => ({ node, model: { id: `cell ${k}` } }));
  const panel = { sessionContext, context: { path: "talk.ipynb" }, content: { widgets, deselectAll: vi.fn(), activeCellIndex: 0 } };
  const execute = vi.fn(async () => {});
  globalThis.jupyterapp = { shell: { currentWidget: panel }, commands: { execute } };
  const root = nodes[1].querySelector("[data-tk-widget]");
  const place = document.createComment("the picture is on the stage");
  root.after(place);
  const stage = { root, open: true, place, script: { scene: 1 }, enter: vi.fn(), hold: vi.fn(), release: vi.fn() };
  return { kernel, sessionContext, execute, panel, stage };
}

describe("a kernel that is started again", () => {
  let book;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, "error").mockImplementation(() => {});
    book = notebook();
  });
  afterEach(() => {
    forget();
    delete globalThis.jupyterapp;
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const ran = () => book.execute.mock.calls.map(([command]) => command);
  const LESSON = ["notebook:run-all-above", "notebook:run-cell"];

  it("runs the lesson up to the cell of the picture, and remembers where the talk was", async () => {
    expect(await revive(book.stage)).toBe(true);
    expect(book.sessionContext.restartKernel).toHaveBeenCalledTimes(1);
    expect(ran()).toEqual(LESSON);
    expect(book.panel.content.activeCellIndex).toBe(1);
    expect(JSON.parse(sessionStorage.getItem("tensorkit-revive"))).toMatchObject({ path: "talk.ipynb", cell: "cell 1", place: 1, scene: 1, step: "2" });
    expect(book.stage.release).not.toHaveBeenCalled();
  });

  it("waits for the kernel that the server is starting itself, on a slow machine too", async () => {
    book.kernel.status = "autorestarting";
    const done = revive(book.stage);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(book.sessionContext.restartKernel).not.toHaveBeenCalled();
    book.kernel.status = "idle";
    await vi.advanceTimersByTimeAsync(100);
    await done;
    expect(book.sessionContext.restartKernel).toHaveBeenCalledTimes(1);
    expect(ran()).toEqual(LESSON);
  });

  it("starts no kernel for a picture in the notebook when another one has taken the dead one's place", async () => {
    book.stage.open = false;
    expect(await revive(book.stage)).toBe(true);
    expect(book.sessionContext.restartKernel).not.toHaveBeenCalled();
    expect(ran()).toEqual(LESSON);
    expect(JSON.parse(sessionStorage.getItem("tensorkit-revive"))).toMatchObject({ cell: "cell 1", place: 0, step: "2", staged: false });
  });

  it("starts one for a picture in the notebook when there is none", async () => {
    book.stage.open = false;
    book.sessionContext.session = null;
    expect(await revive(book.stage)).toBe(true);
    expect(book.sessionContext.startKernel).toHaveBeenCalledTimes(1);
    expect(ran()).toEqual(LESSON);
  });

  it("tries again when a restart comes to nothing", async () => {
    book.sessionContext.restartKernel
      .mockImplementationOnce(async () => { book.kernel.status = "unknown"; });
    const done = revive(book.stage);
    await vi.advanceTimersByTimeAsync(60_000);
    await vi.advanceTimersByTimeAsync(30_000);
    await done;
    expect(book.sessionContext.restartKernel).toHaveBeenCalledTimes(2);
    expect(ran()).toEqual(LESSON);
  });

  it("takes another kernel for one that is dead, and starts one where the session is lost", async () => {
    book.kernel.status = "dead";
    await revive(book.stage);
    expect(book.sessionContext.changeKernel).toHaveBeenCalledWith({ name: "python3" });
    expect(ran()).toEqual(LESSON);
    forget();
    book = notebook();
    book.sessionContext.session = null;
    await revive(book.stage);
    expect(book.sessionContext.startKernel).toHaveBeenCalledTimes(1);
    expect(ran()).toEqual(LESSON);
  });

  it("keeps the moment of a kernel that died again soon after", async () => {
    await revive(book.stage);
    forget(); // the new picture is on the stage
    await vi.advanceTimersByTimeAsync(10_000);
    book.sessionContext.restartKernel.mockImplementation(() => new Promise((done) => setTimeout(done, 12_000)));
    const done = revive(book.stage);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(sessionStorage.getItem("tensorkit-revive")).not.toBe(null);
    await vi.advanceTimersByTimeAsync(5_000);
    await done;
    expect(JSON.parse(sessionStorage.getItem("tensorkit-revive"))).toMatchObject({ cell: "cell 1" });
  });

  it("gives the notebook back when no kernel comes up", async () => {
    book.sessionContext.restartKernel.mockImplementation(async () => { book.kernel.status = "unknown"; });
    const done = revive(book.stage);
    await vi.advanceTimersByTimeAsync(200_000);
    await done;
    expect(ran()).toEqual([]);
    expect(book.stage.release).toHaveBeenCalledTimes(1);
    expect(sessionStorage.getItem("tensorkit-revive")).toBe(null);
  });
});
