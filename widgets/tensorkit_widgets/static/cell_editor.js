// @ts-check
/** An input over a cell of the picture: Enter writes, Escape leaves it as it was. What was refused is said under it. */

import { magnified, make } from "./dom.js";

/** Whether this is an input over a cell. @param {Element} part */
export function isEditor(part) {
  return part instanceof HTMLElement && (part.dataset.role ?? "").startsWith("editor");
}

/**
 * @param {HTMLElement} host the positioned element around the picture
 * @param {SVGGElement} cell
 * @param {(text: string) => void} write
 * @param {string} [typed] what was typed on the cell already
 * @param {string} [refused] why that is not what it may hold
 */
export function editCell(host, cell, write, typed, refused) {
  for (const part of [...host.children].filter(isEditor)) part.remove();
  const box = (cell.querySelector("rect") ?? cell).getBoundingClientRect();
  const around = host.getBoundingClientRect();
  const scale = magnified(host);
  const before = cell.dataset.full ?? "";
  const editor = make("input", {
    type: "text", "data-role": "editor", class: "tk-editor", value: before, maxlength: 60, inputmode: "decimal",
    "aria-label": `new value of ${cell.getAttribute("aria-label")}`,
  });
  editor.style.left = `${(box.left - around.left) / scale + host.scrollLeft}px`;
  editor.style.top = `${(box.top - around.top) / scale + host.scrollTop}px`;
  editor.style.width = `${Math.max(box.width / scale, 64)}px`;
  editor.style.height = `${box.height / scale}px`;
  const words = make("p", { class: "tk-editor-words", "data-role": "editor-words", role: "alert" }, refused ?? "");
  if (refused) {
    words.style.left = editor.style.left;
    words.style.top = `${(box.bottom - around.top) / scale + host.scrollTop + 4}px`;
    editor.setAttribute("aria-invalid", "true");
    editor.addEventListener("input", () => {
      words.remove();
      editor.removeAttribute("aria-invalid");
    });
    host.append(words);
  }
  let open = true;
  const close = (/** @type {boolean} */ keep) => {
    if (!open) return;
    open = false;
    const text = editor.value.trim();
    const held = document.activeElement === editor;
    editor.remove();
    words.remove();
    if (held) now(host, cell)?.focus({ preventScroll: true });
    if (keep && text !== before) write(text);
  };
  editor.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") close(true);
    else if (event.key === "Escape") close(false);
  });
  editor.addEventListener("blur", () => close(!refused || editor.value !== typed));
  host.append(editor);
  editor.focus();
  if (typed !== undefined) editor.value = typed;
  if (typed === undefined || refused) editor.select();
}

/** The cell, or the one in its place when the picture was drawn again meanwhile. @param {HTMLElement} host @param {SVGGElement} cell */
function now(host, cell) {
  if (cell.isConnected) return cell;
  const tiles = /** @type {NodeListOf<SVGGElement>} */ (host.querySelectorAll(".tk-tile"));
  return [...tiles].find((tile) => tile.dataset.key === cell.dataset.key);
}
