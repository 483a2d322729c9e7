import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import board from "../tensorkit_widgets/static/board.js";
import { watchKernel } from "../tensorkit_widgets/static/kernel_connection.js";
import { Model } from "./model.js";

/** What the notebook knows of a kernel, as JupyterLab's widget manager gives it. */
function connection() {
  const signal = () => {
    const acts = new Set();
    return { acts, connect: (act) => acts.add(act), disconnect: (act) => acts.delete(act) };
  };
  const kernel = {
    id: "k/1", status: "idle", connectionStatus: "connected", isDisposed: false,
    disposed: signal(), statusChanged: signal(), connectionStatusChanged: signal(),
    serverSettings: { baseUrl: "http://127.0.0.1:8888/", token: "secret", init: { cache: "no-store" } },
  };
  const sessionContext = {
    session: {}, startKernel: vi.fn(async () => {}),
    sessionManager: { refreshRunning: vi.fn(async () => { sessionContext.session = null; }) },
  };
  const set = (name, value, event) => {
    kernel[name] = value;
    for (const act of kernel[event].acts) act();
  };
  return { kernel, sessionContext, context: { sessionContext }, set };
}

describe("the lifeline", () => {
  let manager;
  let answer;
  let heard;
  let stop;

  beforeEach(() => {
    vi.useFakeTimers();
    manager = connection();
    answer = vi.fn(async () => { throw new TypeError("Failed to fetch"); });
    vi.stubGlobal("fetch", answer);
    heard = [];
    stop = watchKernel(manager, (how) => heard.push(how));
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const breaks = () => manager.set("connectionStatus", "connecting", "connectionStatusChanged");

  it("says nothing while all is well, and needs no kernel", async () => {
    expect(heard).toEqual([]);
    watchKernel(undefined, (how) => heard.push(how))();
    watchKernel({ kernel: null }, (how) => heard.push(how))();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard).toEqual([]);
    expect(answer).not.toHaveBeenCalled();
  });

  it("is away while the server is, asks ever less often, and comes back", async () => {
    breaks();
    expect(heard).toEqual(["away"]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(answer.mock.calls.length).toBeGreaterThan(5);
    expect(answer.mock.calls.length).toBeLessThan(12);
    expect(answer.mock.calls[0]).toEqual(["http://127.0.0.1:8888/api/kernels/k%2F1", { cache: "no-store", headers: { Authorization: "token secret" } }]);
    manager.set("connectionStatus", "connected", "connectionStatusChanged");
    expect(heard).toEqual(["away", "live"]);
    const asked = answer.mock.calls.length;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(answer.mock.calls.length).toBe(asked);
    expect(manager.sessionContext.startKernel).not.toHaveBeenCalled();
  });

  it("is gone when the server knows the kernel no more, and the notebook gets another", async () => {
    breaks();
    answer.mockImplementation(async () => ({ status: 404 }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(heard).toEqual(["away", "gone"]);
    expect(manager.sessionContext.startKernel).toHaveBeenCalledOnce();
    manager.set("connectionStatus", "connected", "connectionStatusChanged");
    expect(heard).toEqual(["away", "gone"]);
  });

  it("waits on when the server still knows the kernel, or asks who is there", async () => {
    breaks();
    for (const status of [200, 403, 503]) {
      answer.mockImplementation(async () => ({ status }));
      await vi.advanceTimersByTimeAsync(30_000);
    }
    expect(heard).toEqual(["away"]);
  });

  it("leaves a kernel that was shut down alone", async () => {
    answer.mockImplementation(async () => ({ status: 404 }));
    manager.set("status", "dead", "statusChanged");
    manager.kernel.isDisposed = true;
    manager.set("connectionStatus", "disconnected", "disposed");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard).toEqual(["gone"]);
    expect(manager.sessionContext.startKernel).not.toHaveBeenCalled();
  });

  it("is one for all pictures, and goes with the last", async () => {
    const more = [];
    const done = watchKernel(manager, (how) => more.push(how));
    breaks();
    await vi.advanceTimersByTimeAsync(600);
    expect(answer).toHaveBeenCalledOnce();
    expect(more).toEqual(["away"]);
    expect(manager.kernel.statusChanged.acts.size).toBe(1);
    done();
    stop();
    expect(manager.kernel.statusChanged.acts.size).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answer).toHaveBeenCalledOnce();
  });
});

describe("a picture whose connection breaks", () => {
  it("says so, and waits no longer for the answer that was lost with it", () => {
    const manager = connection();
    const frame = JSON.parse(readFileSync("fixtures/boards.json", "utf-8"));
    const model = Object.assign(new Model(frame), { widget_manager: manager });
    const el = document.createElement("div");
    document.body.replaceChildren(el);
    const dispose = board.render({ model, el });
    const { dataset } = el.querySelector("[data-tk-widget]");
    const back = el.querySelector('[data-role="back"]');
    back.click();
    back.click();
    expect(model.sent.length).toBe(1);
    manager.set("connectionStatus", "connecting", "connectionStatusChanged");
    expect(dataset.kernel).toBe("away");
    expect(el.querySelector('[data-role="kernel"]').textContent).toContain("server cannot be reached");
    manager.set("connectionStatus", "connected", "connectionStatusChanged");
    expect(dataset.kernel).toBe("live");
    expect(model.sent.map((message) => message.kind)).toEqual(["back", "back"]);
    manager.set("status", "dead", "statusChanged");
    expect(dataset.kernel).toBe("gone");
    dispose();
    expect(manager.kernel.disposed.acts.size).toBe(0);
  });
});
