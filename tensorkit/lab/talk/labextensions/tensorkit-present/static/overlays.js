// @ts-check
/**
 * What lies over the lesson in a talk: a black screen, a spotlight that follows the mouse, a magnified view, an overview of
 * sections and scenes to jump to; and JupyterLab's menus out of sight. The keys are talk.js's.
 *
 * Each layer is a popover or a dialog, because the stage is a modal dialog: only what is in the browser's top layer can be
 * seen above it. A popover outside that dialog gets neither the keyboard nor the mouse, and these must not have the
 * keyboard. The black screen takes its clicks from the window instead.
 */

/** @typedef {{ title: string, level: number, cell: number, minutes?: number, scenes: string[] }} Entry */

/** Section titles may be this many levels deep in the overview; those below are drawn like these. */
const DEEPEST = 3;
/** A letter after so many milliseconds begins another word. */
const PAUSE = 1000;

const LOOK = `
  .jp-Cell.tk-setup, .tk-bare .jp-cell-toolbar { display: none; }
  .tk-blank, .tk-spotlight { position: fixed; inset: 0; width: auto; height: auto; margin: 0; padding: 0; border: 0; forced-color-adjust: none; }
  .tk-blank { background: #000; }
  .tk-blanked, .tk-blanked * { cursor: none !important; }
  .tk-spotlight { pointer-events: none;
    background: radial-gradient(circle at var(--tk-x, 50%) var(--tk-y, 50%), transparent 14vmin, rgb(0 0 0 / 0.72) calc(14vmin + 2px)); }
  .tk-magnified { transform: scale(2); }
  @media (prefers-reduced-motion: no-preference) { .tk-magnified { transition: transform 0.2s; } }
  .tk-overview { --back: #fff; --words: #1a1d21; --quiet: #555c66; --line: #c9ced6; --lit: #0b5cad; --tint: #e6f0fa; color-scheme: light;
    box-sizing: border-box; width: 100vw; height: 100vh; max-width: none; max-height: none; margin: 0; padding: 24px 48px; border: 0; overflow: auto;
    background: var(--back); color: var(--words); font: 26px/1.3 system-ui, sans-serif; }
  .tk-overview.tk-dark { --back: #14181d; --words: #eceff3; --quiet: #aab2bd; --line: #3b434d; --lit: #7cb8ff; --tint: #1d3046; color-scheme: dark; }
  .tk-overview-head { display: flex; flex-wrap: wrap; gap: 4px 28px; align-items: baseline; margin-bottom: 12px; }
  .tk-overview h2 { margin: 0; font-size: 32px; }
  .tk-overview-head p { margin: 0; flex: 1; font-size: 20px; color: var(--quiet); }
  .tk-overview ol { list-style: none; margin: 0; padding: 0; }
  .tk-overview li { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: baseline; }
  .tk-overview ol ol { display: flex; margin-left: 20px; flex-wrap: wrap; gap: 4px 8px; font-size: 22px; }
  .tk-overview .tk-deep-2 { padding-left: 1.2em; }
  .tk-overview .tk-deep-3 { padding-left: 2.4em; }
  .tk-overview button { margin: 0; padding: 3px 14px; border: 0; border-left: 6px solid transparent; border-radius: 4px; background: none; color: inherit;
    font: inherit; text-align: left; cursor: pointer; scroll-margin: 120px; }
  .tk-overview .tk-deep-1 > button { font-weight: 600; }
  .tk-overview small { margin-left: 0.6em; font-size: 20px; font-weight: 400; color: var(--quiet); }
  .tk-overview ol ol button { padding: 1px 10px; border: 2px solid var(--line); font-size: 22px; }
  .tk-overview-head button { border: 2px solid var(--line); font-size: 20px; }
  .tk-overview [aria-current] { border-color: var(--lit) !important; background: var(--tint); }
  .tk-overview button:focus-visible { outline: 4px solid var(--lit); outline-offset: 1px; }`;

document.head.append(make("style", "", LOOK));

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {string} [name] its class @param {...(Node | string)} inside
 */
function make(tag, name = "", ...inside) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...inside);
  return node;
}

// ---- layers over everything

/** @param {string} name */
function layer(name) {
  const node = make("div", name);
  node.setAttribute("popover", "manual");
  return node;
}

const light = layer("tk-spotlight");
const black = layer("tk-blank");

/** @param {HTMLElement} node @param {boolean} on */
function show(node, on) {
  if (on === node.isConnected) return;
  if (!on) return node.remove();
  document.body.append(node);
  node.showPopover?.();
}

/** Where the mouse was last. */
export const pointer = { x: window.innerWidth / 2, y: window.innerHeight / 2 };

window.addEventListener("pointermove", ({ clientX, clientY }) => {
  Object.assign(pointer, { x: clientX, y: clientY });
  light.style.setProperty("--tk-x", `${clientX}px`);
  light.style.setProperty("--tk-y", `${clientY}px`);
}, { capture: true, passive: true });

/** What takes the clicks from the window while the screen is black. */
let clicks = new AbortController();
const CLICKS = ["pointerdown", "pointerup", "mousedown", "mouseup", "click", "auxclick", "dblclick", "contextmenu", "wheel"];

/** A click on the black screen shows the lesson, and does nothing else to it. @param {Event} event */
function clicked(event) {
  if (!event.isTrusted) return; // a program's click: a key that presses a button
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.type === "click") blank(false);
}

/**
 * Make the screen black, or show the lesson again. The document is told of each change by the event "tensorkit-blank".
 * @param {boolean} [on] without it: the other way round
 * @returns {boolean} whether it is black now
 */
export function blank(on = !black.isConnected) {
  if (on === black.isConnected) return on;
  show(black, on);
  document.documentElement.classList.toggle("tk-blanked", on);
  clicks.abort();
  clicks = new AbortController();
  const { signal } = clicks;
  if (on) for (const type of CLICKS) window.addEventListener(type, clicked, { capture: true, passive: false, signal });
  document.dispatchEvent(new CustomEvent("tensorkit-blank", { detail: on }));
  return on;
}

/**
 * Darken all but a round hole that follows the mouse.
 * @param {boolean} [on] without it: the other way round
 * @returns {boolean} whether it is on now
 */
export function spotlight(on = !light.isConnected) {
  show(light, on);
  return on;
}

// ---- a closer look

/** @type {{ node: HTMLElement, left: number, top: number } | null} */
let lens = null;

/** What is magnified: the stage, or the lesson. */
function surface() {
  return /** @type {HTMLElement | undefined} */ ([...document.querySelectorAll("dialog.tk-stage[open]")].at(-1)) ?? document.getElementById("main");
}

/**
 * Magnify twice, around a point of the window, which stays where it is. Nothing is laid out again.
 * @param {number} [x] the mouse's place if left out @param {number} [y]
 */
export function zoomAt(x = pointer.x, y = pointer.y) {
  const node = surface();
  if (!node) return;
  if (lens?.node !== node) {
    zoomOut();
    const { left, top } = node.getBoundingClientRect();
    lens = { node, left, top };
  }
  node.style.transformOrigin = `${x - lens.left}px ${y - lens.top}px`;
  node.classList.add("tk-magnified");
}

/** Whether anything is magnified. */
export function zoomed() {
  return lens !== null;
}

/** Everything in its own size again. */
export function zoomOut() {
  lens?.node.classList.remove("tk-magnified");
  lens?.node.style.removeProperty("transform-origin");
  lens = null;
}

// A stage that opens is above what was there: the layers go back on top. What was magnified is out of sight, or gone.
document.addEventListener("tensorkit-stage", () => {
  for (const node of [light, black]) {
    if (!node.isConnected) continue;
    node.hidePopover?.();
    node.showPopover?.();
  }
  if (lens && lens.node !== surface()) zoomOut();
});

// ---- the overview

const MOVES = /** @type {const} */ ({ ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity });

/**
 * Sections and scenes to jump to. Up and down go from section to section, left and right also through the scenes, letters
 * find, Enter jumps. Escape or O closes, and the keyboard is back where it was. Called while it is open, it closes.
 * @param {Entry[]} entries in the order of the lesson; the scenes of one without a title are put beside those before
 * @param {(cell: number, scene: number) => void} chosen the scene is -1 where a section was chosen
 * @param {number} at the cell where the talk is @param {number} [on] the scene that is on the stage
 * @returns {boolean} whether it is open now
 */
export function overview(entries, chosen, at, on = -1) {
  const old = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.tk-overview[open]"));
  if (old) {
    old.close();
    return false;
  }
  const title = make("h2", "", "Overview");
  title.id = "tk-overview-title";
  const close = make("button", "", "Back to the lesson (Esc)");
  const told = entries.length ? "Arrows or letters find a place, Enter goes there." : "This notebook has no headings and no scenes to go to.";
  const list = make("ol");
  const dialog = make("dialog", "tk-overview", make("div", "tk-overview-head", title, make("p", "", told), close), list);
  dialog.setAttribute("aria-labelledby", title.id);
  const stage = surface()?.classList;
  const dark = stage?.contains("tk-stage-dark") || (!stage?.contains("tk-stage-light") && document.body.dataset.jpThemeLight === "false");
  dialog.classList.toggle("tk-dark", dark);

  /** @type {{ button: HTMLButtonElement, name: string, section: boolean }[]} */
  const places = [];
  /** @param {string} words @param {string} name @param {number} cell @param {number} scene */
  const place = (words, name, cell, scene) => {
    const button = make("button", "", words);
    button.type = "button";
    button.tabIndex = -1;
    button.addEventListener("click", () => {
      dialog.close(); // the keyboard goes back first: where it goes from there is the talk's
      chosen(cell, scene);
    });
    places.push({ button, name: ` ${name.toLowerCase()}`, section: scene < 0 });
    return button;
  };
  const highest = Math.min(...entries.map(({ level }) => level));
  const current = entries.filter(({ cell }) => cell <= at).at(-1) ?? entries[0];
  let row = make("li");
  let under = "";
  for (const entry of entries) {
    const { title: name, level, cell, minutes, scenes } = entry;
    if (name || !list.children.length) {
      row = make("li", `tk-deep-${Math.min(level - highest + 1, DEEPEST)}`);
      under = name;
      list.append(row);
    }
    if (name) {
      const button = place(name, name, cell, -1);
      if (minutes) button.append(make("small", "", `${minutes} min`));
      row.append(button);
    }
    const buttons = scenes.map((scene, k) => place(`${k + 1}. ${scene}`, scene, cell, k));
    if (entry === current) {
      row.querySelector("button")?.setAttribute("aria-current", "true");
      buttons[on]?.setAttribute("aria-current", "step");
    }
    if (!buttons.length) continue;
    const inner = make("ol", "", ...buttons.map((button) => make("li", "", button)));
    inner.setAttribute("aria-label", under ? `scenes of ${under}` : "scenes");
    row.append(inner);
  }

  const sections = [...places.keys()].filter((k) => places[k].section);
  const here = () => places.findIndex(({ button }) => button === document.activeElement);
  /** @param {number} to */
  const go = (to) => {
    const { button } = places[Math.max(0, Math.min(to, places.length - 1))] ?? { button: close };
    for (const one of places) one.button.tabIndex = -1;
    button.tabIndex = 0;
    button.focus({ preventScroll: true });
    button.scrollIntoView({ block: "nearest" });
  };
  let typed = "";
  let last = 0;
  /** @param {string} letter */
  const find = (letter) => {
    typed = (Date.now() - last > PAUSE ? "" : typed) + letter.toLowerCase();
    last = Date.now();
    const from = here() + (typed.length === 1 ? 1 : 0); // what is here may go on matching a longer word
    const order = [...places.keys()].map((k) => (k + from) % places.length);
    const found = order.find((k) => places[k].name.includes(` ${typed}`));
    if (found !== undefined) go(found);
  };
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the stage below has keys of its own
    const { key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const now = here();
    const typing = typed && Date.now() - last <= PAUSE;
    if (key === "Escape" || (key.toLowerCase() === "o" && !typing)) dialog.close();
    else if (key === "ArrowDown") go(sections.find((k) => k > now) ?? now);
    else if (key === "ArrowUp") go(sections.filter((k) => k < now).at(-1) ?? now);
    else if (key in MOVES) go(now + MOVES[/** @type {keyof typeof MOVES} */ (key)]);
    else if (/^[\p{L}\p{N}]$/u.test(key)) find(key);
    else return;
    event.preventDefault();
  });
  close.type = "button";
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  const marked = places.map(({ button }) => button.hasAttribute("aria-current")).lastIndexOf(true);
  go(marked);
  places[marked]?.button.scrollIntoView({ block: "center" });
  return true;
}

// ---- less on the screen

/** Whether menus are out of sight. */
let bare = false;

/** The toolbars of documents, also of those opened later. @param {any} shell */
function toolbars(shell) {
  for (const { toolbar } of shell.widgets("main")) toolbar?.setHidden(bare);
}

/**
 * Hide JupyterLab's menus, the title above them and the toolbars of documents, or show them: as JupyterLab hides them itself,
 * so that the lesson gets their room. The toolbar in a cell goes too; its own setting comes too late for a notebook that is
 * open already.
 * @param {any} shell JupyterLab's, in single-document mode @param {boolean} on whether they are hidden
 */
export function bareMenus(shell, on) {
  bare = on;
  document.body.classList.toggle("tk-bare", on);
  if (shell.isTopInSimpleModeVisible() === on) shell.toggleTopInSimpleModeVisibility();
  for (const { parent } of shell.widgets("menu")) parent?.setHidden(on);
  toolbars(shell);
  shell.currentChanged.connect(toolbars); // once: a slot that is connected stays so
}

/**
 * Whether a code cell only imports, or loads an extension: a room need not see it. A lesson's other cells have something to say.
 * @param {string} source
 */
export function isSetup(source) {
  const plain = source.replace(/#.*/g, "").replace(/\\\n/g, " ").replace(/\([^()]*\)/g, "()");
  const lines = plain.split("\n").filter((line) => line.trim());
  return lines.length > 0 && lines.every((line) => /^(import|from)\s[^;]*$|^%(load_ext|reload_ext|autoreload|matplotlib|config)\b/.test(line));
}
