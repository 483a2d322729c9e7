// @ts-check
/**
 * Shows the card that Python drew and sends back what the learner did with it.
 * The HTML comes escaped from Python; nothing is drawn here.
 *
 * @typedef {{ get(name: string): any, on(event: string, act: () => void): void,
 *             off(event: string, act: () => void): void, send(content: object): void, widget_manager?: import("./saved_notebook.js").Manager }} Model
 */

import { puzzle } from "./practice_parsons.js";
import { lookAfterFile } from "./saved_notebook.js";
import { picture } from "./practice_picture.js";
import { room } from "./practice_room.js";
import { hideStill } from "./static_fallback.js";

const PATIENCE_MS = 4000;
const SILENCE = "No answer from the kernel yet. It is busy, or it was restarted: then run this cell again.";

let views = 0;

const BOXES = "input[type=text]";

/**
 * @param {HTMLElement} root
 * @returns {HTMLInputElement[]}
 */
const inputs = (root) => [...root.querySelectorAll("input")];

/**
 * What the learner has typed or chosen in a part of the card: what a button of that part sends.
 * @param {Element} part
 */
function entered(part) {
  const box = /** @type {HTMLInputElement | null} */ (part.querySelector(BOXES));
  const chosen = /** @type {NodeListOf<HTMLInputElement>} */ (part.querySelectorAll("input:checked"));
  return chosen.length ? [...chosen].map((one) => one.value).join(" ") : box ? box.value : "";
}

/**
 * The part of the card that a control belongs to: a question of several, or the whole card.
 * @param {Element} control
 * @param {HTMLElement} root
 */
function partOf(control, root) {
  return control.closest("[data-part]") ?? root;
}

/**
 * @param {HTMLElement} root
 * @param {string} html
 * @param {string} group a name for this view's radio buttons, so that two views do not share them
 */
function draw(root, html, group) {
  /** @type {Map<string | undefined, HTMLInputElement>} */
  const before = new Map();
  for (const one of inputs(root)) before.set(one.dataset.key, one);
  const active = /** @type {HTMLElement | null} */ (root.contains(document.activeElement) ? document.activeElement : null);
  const key = active ? active.dataset.key : undefined;
  const part = /** @type {HTMLElement | null} */ (active ? active.closest("[data-part]") : null)?.dataset.part;
  root.innerHTML = html;
  for (const one of inputs(root)) {
    if (one.type === "radio") one.name = `${group}-${one.name}`;
    const old = before.get(one.dataset.key);
    if (!old) continue;
    // What Python has drawn again wins over what stands in the browser; else nothing that was entered is lost.
    if (one.type === "text") {
      if (one.defaultValue === old.defaultValue) one.value = old.value;
    } else if (!one.disabled && one.defaultChecked === old.defaultChecked && (old.checked || one.type === "checkbox")) {
      one.checked = old.checked; // of radio buttons the chosen one alone: it unsets the others
    }
  }
  if (active) refocus(root, key, part);
}

/**
 * Keep the keyboard where it was; when that control is gone, go to its question or the card, where the news is.
 * @param {HTMLElement} root
 * @param {string | undefined} key
 * @param {string | undefined} part
 */
function refocus(root, key, part) {
  const again = key ? /** @type {HTMLInputElement | null} */ (root.querySelector(`[data-key="${CSS.escape(key)}"]`)) : null;
  if (again && !again.disabled) return again.focus();
  const own = part ? root.querySelector(`[data-part="${CSS.escape(part)}"]`) : null;
  const card = /** @type {HTMLElement | null} */ (own ?? root.querySelector(".tk-card"));
  if (card) {
    card.tabIndex = -1;
    card.focus({ preventScroll: true });
  }
}

/** Among the cells these keys lead on, and to the stage: where no control has them, they are not the card's. */
const ON = ["ArrowUp", "ArrowDown", "j", "k", "p", "Escape"];

/** @param {KeyboardEvent} event */
function leadsOn({ key, shiftKey, target }) {
  const card = target instanceof Element && target.classList.contains("tk-card");
  return card && (shiftKey ? key === "Enter" : ON.includes(key));
}

/**
 * Tell the document, once the card is on the page, that it was drawn: JupyterLab's extension shows what a prediction answers.
 * @param {HTMLElement} root
 */
function tell(root) {
  let tries = 0;
  const wait = () => {
    tries += 1;
    if (!root.isConnected && tries < 200) requestAnimationFrame(wait);
    else document.dispatchEvent(new Event("tensorkit-card"));
  };
  wait();
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
  /**
   * @param {string} act
   * @param {string} value
   */
  const send = (act, value) => {
    answered();
    waiting = setTimeout(saySilence, PATIENCE_MS);
    try {
      model.send({ do: act, value });
    } catch {
      saySilence(); // the connection went with the old kernel
    }
  };
  const lines = puzzle(root, (order) => send("order", order), (text) => { live.textContent = text; });
  const chosen = picture(root, (text) => { live.textContent = text; });
  const audience = room(root, send, (text) => { live.textContent = text; });
  const redraw = () => {
    if (lines.busy()) return; // a newer order is on its way to Python: its drawing will come
    draw(root, model.get("html"), group);
    lines.dress();
    chosen.dress();
    audience.dress();
    tell(root);
  };
  const heard = () => {
    answered();
    if (lines.heard()) redraw();
  };
  const announce = () => { live.textContent = model.get("announced"); };
  /** @param {Element} button */
  const press = (button) => {
    const act = button instanceof HTMLElement ? button.dataset.do : undefined;
    if (act) send(act, entered(partOf(button, root)));
  };
  root.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest("[data-do]") : null;
    if (target) press(target);
  });
  root.addEventListener("keydown", (event) => {
    if (leadsOn(event)) return;
    // JupyterLab's own shortcuts must not see what is meant for the card.
    if (!(event.ctrlKey || event.metaKey || event.altKey)) event.stopPropagation();
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    const part = partOf(event.target, root);
    const entering = /** @type {HTMLElement | null} */ (part.querySelector("[data-enter]"))?.dataset.enter;
    const first = part.querySelector("[data-do]");
    if (entering) send(entering, entered(part));
    else if (first) press(first);
  });
  model.on("change:html", redraw);
  model.on("change:announced", announce);
  model.on("change:heard", heard);
  redraw();
  const showStill = hideStill(el);
  return () => {
    showStill();
    clearTimeout(waiting);
    model.off("change:heard", heard);
    lines.stop();
    model.off("change:html", redraw);
    model.off("change:announced", announce);
    setTimeout(() => document.dispatchEvent(new Event("tensorkit-card")));
  };
}

/** The model is there, whether it is shown or not. @param {{ model: Model }} context */
function initialize({ model }) {
  lookAfterFile(model.widget_manager);
}

export default { initialize, render };
