// @ts-check
/**
 * JupyterLab ready for a room: presentation mode, one document, side bars folded away, large type. P puts the picture of the
 * current cell on the stage, and Escape leads back among the cells, where arrow down goes on. And: the page of the
 * speaker's notes is told which cell is current and which scene is on the stage. It is told through a BroadcastChannel,
 * which joins the windows of one browser and nothing else.
 *
 * A module container as JupyterLab loads it, written by hand so that it needs no build step.
 */
(() => {
  const CHANNEL = "tensorkit-talk";
  const LARGE = `
    body { --jp-content-presentation-font-size1: 22px; --jp-code-presentation-font-size: 21px; }
    .jp-mod-presentationMode .jp-Notebook .jp-Cell :is(.jp-InputPrompt, .jp-OutputPrompt) { flex: 0 0 64px; font-size: 13px; }
    .jp-mod-presentationMode .jp-RenderedHTMLCommon { line-height: 1.5; }
    .jp-mod-presentationMode .tk-root:not(.tk-presenting) { font-size: 1.15rem; }`;

  /** @param {any} app */
  function room(app) {
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
    void app.restored.then(() => {
      shell.layoutModified.connect(fold);
      settle();
    });
  }

  /** @param {any} app */
  function tell(app) {
    const channel = new BroadcastChannel(CHANNEL);
    /** @type {any} */
    let followed = null;
    /** @type {any} */
    let staged = null;

    const here = () => {
      const panel = app.shell.currentWidget;
      const book = panel?.content;
      const path = panel?.context?.path;
      const cell = staged ? book?.widgets?.[staged.cell] : book?.activeCell;
      if (!path || !cell) return;
      const number = staged ? staged.cell : book.activeCellIndex;
      channel.postMessage({ from: "lesson", path, cell: number, id: cell.model?.id ?? "", stage: staged?.detail ?? null });
    };
    const follow = () => {
      const book = app.shell.currentWidget?.content;
      if (book === followed || !book?.activeCellChanged) return;
      followed = book;
      staged = null;
      book.activeCellChanged.connect(here);
      here();
    };
    app.shell.currentChanged.connect(follow);
    void app.restored.then(follow);
    document.addEventListener("tensorkit-stage", (event) => {
      const { detail, target } = /** @type {CustomEvent} */ (event);
      const node = target instanceof Element ? target.closest(".jp-Cell") : null;
      const cells = app.shell.currentWidget?.content?.widgets ?? [];
      const cell = cells.findIndex((/** @type {any} */ one) => one.node === node);
      staged = detail && cell >= 0 ? { cell, detail } : null;
      here();
    });
    channel.addEventListener("message", ({ data }) => {
      if (data?.from === "notes") {
        follow();
        here();
      }
    });
  }

  /** A talk is given from the keyboard: P among the cells, and back among them from the stage. @param {any} app */
  function keys(app) {
    const { commands, shell } = app;
    const book = () => shell.currentWidget?.content;
    const back = () => queueMicrotask(() => book()?.activeCell?.node.focus({ preventScroll: true }));
    const button = () => book()?.activeCell?.node.querySelector('[data-role="present"]');
    commands.addCommand("tensorkit-present:stage", {
      label: "Put the picture of this cell on the stage",
      isEnabled: () => Boolean(button()),
      execute: () => button()?.click(),
    });
    commands.addKeyBinding({ command: "tensorkit-present:stage", keys: ["P"], selector: ".jp-Notebook.jp-mod-commandMode" });
    document.addEventListener("tensorkit-stage", (event) => {
      // Once the stage has given the keyboard back to its button.
      if (/** @type {CustomEvent} */ (event).detail === null) back();
    });
    // From a picture or a card among the cells, and from a button of theirs that is gone.
    document.addEventListener("keydown", ({ key, target }) => {
      if (key !== "Escape" || !(target instanceof Element) || document.querySelector("dialog[open], .jp-Dialog")) return;
      if (target === document.body || target.closest(".jp-OutputArea")) back();
    }, true);
  }

  const plugin = {
    id: "tensorkit-present:plugin",
    autoStart: true,
    activate: (/** @type {any} */ app) => {
      room(app);
      tell(app);
      keys(app);
    },
  };
  const modules = { "./extension": { __esModule: true, default: plugin }, "./style": {} };
  const all = /** @type {any} */ (window);
  all._JUPYTERLAB = all._JUPYTERLAB ?? {};
  all._JUPYTERLAB["tensorkit-present"] = {
    init: () => {},
    get: async (/** @type {keyof typeof modules} */ name) => () => modules[name],
  };
})();
