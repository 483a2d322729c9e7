import { beforeEach, describe, expect, it, vi } from "vitest";

const TEXT = "export default { render: ({ el }) => { el.textContent = 'drawn'; globalThis.drawn = (globalThis.drawn ?? 0) + 1; return () => {}; } };";

/** A widget's own copy of the module, as anywidget makes one of each. */
async function fresh() {
  vi.resetModules();
  return (await import("../tensorkit_widgets/static/shared_script.js")).default;
}

/** A widget's model, and the page's models by their names. */
const model = (get_model) => ({ get: () => "IPY_MODEL_script", widget_manager: { get_model } });

describe("the script that widgets share", () => {
  beforeEach(() => {
    // jsdom knows neither.
    URL.createObjectURL = vi.fn(() => `data:text/javascript,${encodeURIComponent(TEXT)}`);
    URL.revokeObjectURL = vi.fn();
  });

  it("is run once for all widgets that name it", async () => {
    const script = { get: () => TEXT };
    const get_model = vi.fn(async () => script);
    for (const widget of [await fresh(), await fresh()]) {
      const el = document.createElement("div");
      expect(await widget.render({ model: model(get_model), el })).toBeTypeOf("function");
      expect(el.textContent).toBe("drawn");
    }
    expect(get_model).toHaveBeenCalledWith("script");
    expect(URL.createObjectURL).toHaveBeenCalledTimes(1);
  });

  it("is waited for where it comes after the widget", async () => {
    let tries = 0;
    const late = async () => {
      tries += 1;
      if (tries < 3) throw new Error("widget model not found");
      return { get: () => TEXT };
    };
    const el = document.createElement("div");
    await (await fresh()).render({ model: model(late), el });
    expect(el.textContent).toBe("drawn");
  });

  it("is missed in words, and nothing else breaks", async () => {
    vi.useFakeTimers();
    vi.spyOn(console, "warn").mockReturnValue(undefined);
    const widget = await fresh();
    const never = model(async () => { throw new Error("widget model not found"); });
    const el = document.createElement("div");
    widget.initialize({ model: never });
    const shown = widget.render({ model: never, el });
    await vi.runAllTimersAsync();
    await shown;
    vi.useRealTimers();
    expect(el.textContent).toContain("Run its cell again");
  });
});
