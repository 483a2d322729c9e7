// @ts-check
/**
 * Shows the card that Python drew and sends back what the learner did with it.
 * The HTML comes escaped from Python; nothing is drawn here.
 *
 * @typedef {{ get(name: string): any, on(event: string, act: () => void): void,
 *             off(event: string, act: () => void): void, send(content: object): void }} Model
 */

import { hideStill } from "./still.js";

const PATIENCE_MS = 4000;
const SILENCE = "No answer from the kernel yet. It is busy, or it was restarted: then run this cell again.";

let views = 0;

/**
 * What the learner has typed or chosen in this view, so that a new drawing does not lose it.
 * @param {HTMLElement} root
 */
function entered(root) {
  const box = /** @type {HTMLInputElement | null} */ (root.querySelector("input[type=text]"));
  const radio = /** @type {HTMLInputElement | null} */ (root.querySelector("input[type=radio]:checked"));
  return { text: box ? box.value : "", choice: radio ? radio.value : "" };
}

/**
 * @param {HTMLElement} root
 * @param {string} html
 * @param {string} group a name for this view's radio buttons, so that two views do not share them
 */
function draw(root, html, group) {
  const before = entered(root);
  const active = /** @type {HTMLElement | null} */ (root.contains(document.activeElement) ? document.activeElement : null);
  const key = active ? active.dataset.key : undefined;
  root.innerHTML = html;
  for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("input[type=radio]"))) {
    radio.name = group;
    if (!radio.disabled && radio.value === before.choice) radio.checked = true;
  }
  const box = /** @type {HTMLInputElement | null} */ (root.querySelector("input[type=text]"));
  if (box) box.value = before.text;
  if (active) refocus(root, key);
}

/**
 * Keep the keyboard where it was; when that control is gone, go to the card, where the news is.
 * @param {HTMLElement} root
 * @param {string | undefined} key
 */
function refocus(root, key) {
  const again = key ? /** @type {HTMLInputElement | null} */ (root.querySelector(`[data-key="${CSS.escape(key)}"]`)) : null;
  if (again && !again.disabled) return again.focus();
  const card = /** @type {HTMLElement | null} */ (root.querySelector(".tk-card"));
  if (card) {
    card.tabIndex = -1;
    card.focus({ preventScroll: true });
  }
}

/** @param {{ model: Model, el: HTMLElement }} context */
function render({ model, el }) {
  const group = `tk-practice-${(views += 1)}`;
  const root = document.createElement("div");
  const live = document.createElement("div");
  root.className = "tk-practice";
  live.className = "tk-unseen";
  live.setAttribute("role", "status");
  live.setAttribute("aria-live", "polite");
  el.append(root, live);

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  const silence = document.createElement("p");
  silence.className = "tk-note tk-silence";
  const answered = () => {
    clearTimeout(waiting);
    silence.remove();
  };
  const saySilence = () => {
    silence.textContent = live.textContent = SILENCE;
    root.append(silence);
  };
  const redraw = () => draw(root, model.get("html"), group);
  const announce = () => { live.textContent = model.get("announced"); };
  /** @param {string} act */
  const send = (act) => {
    const { text, choice } = entered(root);
    answered();
    waiting = setTimeout(saySilence, PATIENCE_MS);
    try {
      model.send({ do: act, value: choice || text });
    } catch {
      saySilence(); // the connection went with the old kernel
    }
  };
  root.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest("[data-do]") : null;
    if (target instanceof HTMLElement && target.dataset.do) send(target.dataset.do);
  });
  root.addEventListener("keydown", (event) => {
    // JupyterLab's own shortcuts must not see what is meant for the card.
    if (!(event.ctrlKey || event.metaKey || event.altKey)) event.stopPropagation();
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    const first = root.querySelector("[data-do]");
    if (first instanceof HTMLElement && first.dataset.do) send(first.dataset.do);
  });
  model.on("change:html", redraw);
  model.on("change:announced", announce);
  model.on("change:heard", answered);
  redraw();
  const showStill = hideStill(el);
  return () => {
    showStill();
    clearTimeout(waiting);
    model.off("change:heard", answered);
    model.off("change:html", redraw);
    model.off("change:announced", announce);
  };
}

export default { render };
