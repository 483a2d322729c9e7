// @ts-check
/** Tabs by the ARIA pattern: arrow keys move between them, one panel is shown. */

import { make, nearest } from "./dom.js";

let count = 0;

/**
 * @param {[string, string, HTMLElement][]} panels name, label, content
 * @param {Node} [beside] what stands in the line of the tabs
 * @returns {HTMLElement}
 */
export function tabs(panels, beside) {
  count += 1;
  const id = (/** @type {string} */ name, /** @type {string} */ part) => `tk-tabs-${count}-${name}-${part}`;
  const list = make("div", { class: "tk-tabs", role: "tablist", "aria-label": "controls" });
  const root = make("div", { class: "tk-controls" }, make("div", { class: "tk-tab-line" }, list, ...(beside ? [beside] : [])));
  for (const [name, label, content] of panels) {
    list.append(make("button", { type: "button", role: "tab", "data-role": "tab", "data-tab": name, id: id(name, "tab"), "aria-controls": id(name, "panel") }, label));
    root.append(make("div", { role: "tabpanel", class: "tk-panel-body", "data-panel": name, id: id(name, "panel"), "aria-labelledby": id(name, "tab") }, content));
  }
  const all = /** @type {HTMLButtonElement[]} */ ([...list.children]);
  const choose = (/** @type {HTMLButtonElement} */ tab) => {
    for (const other of all) {
      const on = other === tab;
      other.setAttribute("aria-selected", String(on));
      other.tabIndex = on ? 0 : -1;
      const panel = /** @type {HTMLElement | null} */ (root.querySelector(`[data-panel="${other.dataset.tab}"]`));
      if (panel) panel.hidden = !on;
    }
  };
  list.addEventListener("click", (event) => {
    const tab = /** @type {HTMLButtonElement | null} */ (nearest(event, '[role="tab"]'));
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || by === undefined) return;
    const next = all[(at + by + all.length) % all.length];
    choose(next);
    next.focus();
    event.preventDefault();
  });
  choose(all[0]);
  return root;
}
