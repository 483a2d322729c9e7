// @ts-check
/**
 * JupyterLab ready for a room: presentation mode, one document, side bars folded away, large type. What carries the talk is in
 * talk.js.
 *
 * A module container as JupyterLab loads it, written by hand so that it needs no build step.
 */
(() => {
  const LARGE = `
    body { --jp-content-presentation-font-size1: 22px; --jp-code-presentation-font-size: 21px; }
    .jp-mod-presentationMode .jp-Notebook .jp-Cell :is(.jp-InputPrompt, .jp-OutputPrompt) { flex: 0 0 64px; font-size: 13px; }
    .jp-mod-presentationMode .jp-RenderedHTMLCommon { line-height: 1.5; }
    .jp-mod-presentationMode .tk-root:not(.tk-presenting) { font-size: 1.15rem; }`;

  /** @param {any} app @param {(on: boolean) => void} bareMenus */
  function room(app, bareMenus) {
    const { shell } = app;
    const style = document.createElement("style");
    style.textContent = LARGE;
    document.head.append(style);
    const settle = () => {
      shell.presentationMode = true;
      shell.mode = "single-document";
      shell.collapseLeft();
      shell.collapseRight();
      fold();
      bareMenus(true);
      document.body.dataset.tensorkitPresent = "ready";
    };
    // A bar without tabs is not there yet and cannot be folded: each is folded once, as soon as an extension fills it.
    const open = new Set(["left", "right"]);
    const fold = () => {
      for (const side of open) {
        if (!shell.isSideTabBarVisible(side)) continue;
        open.delete(side);
        shell.toggleSideTabBarVisibility(side);
      }
      if (!open.size) shell.layoutModified.disconnect(fold);
    };
    // JupyterLab puts back what was open, side bars too, before it is restored: after that they are folded.
    return app.restored.then(() => {
      shell.layoutModified.connect(fold);
      settle();
    });
  }

  /** What JupyterLab shares with its extensions. @type {Record<string, Record<string, { get(): Promise<() => any> }>>} */
  let shared = {};

  async function plugin() {
    const [{ Talk }, overlays] = await Promise.all([import("./talk.js"), import("./overlays.js")]);
    /** @param {any} app */
    const activate = (app) => {
      const [version] = Object.values(shared["@jupyterlab/notebook"] ?? {});
      // Each is asked for once the other is there: the application waits for neither.
      void Promise.all([version.get(), room(app, (on) => overlays.bareMenus(app.shell, on))]).then(([made]) => new Talk(app, made().NotebookActions, overlays).begin());
    };
    return { __esModule: true, default: { id: "tensorkit-present:plugin", autoStart: true, activate } };
  }

  const modules = { "./extension": plugin, "./style": async () => ({}) };
  const all = /** @type {any} */ (window);
  all._JUPYTERLAB = all._JUPYTERLAB ?? {};
  all._JUPYTERLAB["tensorkit-present"] = {
    init: (/** @type {typeof shared} */ scope) => { shared = scope; },
    get: async (/** @type {keyof typeof modules} */ name) => {
      const made = await modules[name]();
      return () => made;
    },
  };
})();
