// @ts-check
/**
 * A kernel that died before an audience: JupyterLab starts it again, runs the lesson up to the picture that is on the stage, and
 * the new picture of that cell takes the place of the old one, at the same scene and step. Until then the old one stays.
 *
 * Where to come back to is kept in the window's session storage, so it survives that every view is made again.
 *
 * @typedef {{ path: string, cell: string, place: number, scene: number, step: string, expression: string | undefined, away: boolean, staged: boolean, size: number, at: number }} Moment
 * @typedef {{ root: HTMLElement, open: boolean, chosen: number, place: Comment, script: { scene: number, away: boolean }, enter(): void, hold(): void, release(): void }} Presenter
 */

import { dismiss } from "./kernel_notice.js";
import { presenting } from "./talk_memory.js";

const KEY = "tensorkit-revive";
const PATIENCE = 10 * 60_000;
const FRAMES = 600;
const TAKING_OVER = 15_000;
/** How long a kernel may take to come up on a machine that has much else to do, and how often another is tried. */
const SETTLING = 30_000;
const TRIES = 3;

/** JupyterLab's notebook that is in front; undefined elsewhere. @returns {any} */
function front() {
  const panel = /** @type {any} */ (globalThis).jupyterapp?.shell?.currentWidget;
  return panel?.sessionContext && panel.content?.widgets ? panel : undefined;
}

/** Whether this host can start a kernel again from here, and run the cells up to a picture. @param {Element | null} [root] */
export function canRevive(root) {
  const panel = front();
  return panel !== undefined && (root === undefined || cellOf(panel, root) >= 0);
}

/** @param {any} panel @param {Element | null | undefined} within */
const cellOf = (panel, within) => panel.content.widgets.findIndex((/** @type {any} */ cell) => cell.node === within?.closest(".jp-Cell"));

/** Which picture of its cell it is. @param {any} cell @param {Node} spot */
const among = (cell, spot) => [...cell.node.querySelectorAll("[data-tk-widget]")].filter((one) => one.compareDocumentPosition(spot) & Node.DOCUMENT_POSITION_FOLLOWING).length;

/** What a picture is called while its notebook is open; nothing in a host without cells. @param {Node} spot where it is in its cell */
export function nameOf(spot) {
  const panel = front();
  const cell = panel?.content.widgets[cellOf(panel, spot.parentElement)];
  return cell ? `${cell.model.id} ${among(cell, spot)}` : "";
}

/** @returns {Moment | null} */
function kept() {
  try {
    const moment = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return moment && Date.now() - moment.at < PATIENCE ? moment : null;
  } catch {
    return null;
  }
}

export const forget = () => sessionStorage.removeItem(KEY);

/** Start the kernel again and come back to what a picture shows, on the stage or in its cell; whether it was tried. @param {Presenter} stage */
export async function revive(stage) {
  const panel = front();
  const spot = stage.open ? stage.place : stage.root;
  const number = panel ? cellOf(panel, spot.parentElement) : -1;
  if (number < 0 || kept()) return false;
  const cell = panel.content.widgets[number];
  const place = among(cell, spot);
  const { step, expression } = stage.root.dataset;
  /** @type {Moment} */
  const moment = { path: panel.context.path, cell: cell.model.id, place, scene: stage.script.scene, step: step ?? "", expression, away: stage.script.away, staged: stage.open, size: stage.chosen, at: Date.now() };
  sessionStorage.setItem(KEY, JSON.stringify(moment));
  stage.hold();
  try {
    await runUpTo(panel, number, moment.staged);
  } catch (error) {
    console.error("tensorkit: the kernel could not be started again", error);
    forget();
  }
  setTimeout(() => {
    // A kernel may have died again meanwhile: that moment is not this one's to forget.
    if (kept()?.at === moment.at) forget();
    stage.release();
  }, kept() ? TAKING_OVER : 0);
  return true;
}

/** Whether the kernel came to one of these states in time. @param {any} context @param {string[]} states */
async function reached(context, ...states) {
  const until = Date.now() + SETTLING;
  while (Date.now() < until) {
    if (states.includes(context.session?.kernel?.status)) return true;
    await new Promise((done) => setTimeout(done, 50));
  }
  return false;
}

/**
 * A kernel of the notebook that answers. The server or the notebook may be starting one itself: two at once trip over each
 * other, and JupyterLab tells the console of a restart that failed, but not who asked for it.
 * @param {any} context
 */
async function started(context) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    // Without a session (its server is another one now) there is nothing to start again.
    if (!context.session) await context.startKernel();
    else {
      await reached(context, "idle", "dead");
      const { kernel } = context.session;
      if (kernel && kernel.status !== "dead") await context.restartKernel();
      else await context.changeKernel({ name: kernel?.name ?? context.kernelPreference.name });
    }
    if (await reached(context, "idle")) return;
  }
  throw new Error("no kernel answered");
}

/**
 * In the notebook a kernel that took the dead one's place is good enough: others may have run cells in it already.
 * @param {any} context
 */
async function running(context) {
  await reached(context, "idle", "busy", "dead");
  return ["idle", "busy"].includes(context.session?.kernel?.status);
}

/** @param {any} panel @param {number} number @param {boolean} afresh whether nothing is to be left of what ran before */
async function runUpTo(panel, number, afresh) {
  const { commands } = /** @type {any} */ (globalThis).jupyterapp;
  if (afresh || !panel.sessionContext.session || !(await running(panel.sessionContext))) await started(panel.sessionContext);
  dismiss(); // JupyterLab says that the kernel died, beneath the stage: the speaker knows
  panel.content.deselectAll();
  panel.content.activeCellIndex = number;
  await commands.execute("notebook:run-all-above");
  const { node } = panel.content.widgets[number];
  // In a talk the answers that were in sight come back first: until then the cursor would be led past this cell.
  const end = Date.now() + SETTLING;
  while (presenting() && node.classList.contains("tk-held") && Date.now() < end) await new Promise((done) => setTimeout(done, 50));
  panel.content.activeCellIndex = number;
  await commands.execute("notebook:run-cell");
  // JupyterLab takes the keyboard to the cell that it ran.
  /** @type {HTMLElement | null} */ (document.querySelector('dialog.tk-stage [data-role="present"]'))?.focus();
}

/**
 * A new picture asks whether it is the one that the stage waits for.
 * @param {HTMLElement} root
 * @param {{ chosen: number, enter(): void }} stage
 * @param {(message: import("./message_queue.js").Message) => void} post
 */
export function comeBack(root, stage, post) {
  let frames = 0;
  const look = () => {
    const moment = kept();
    const panel = front();
    if (!moment || !panel) return;
    if (!root.isConnected || !root.closest(".jp-Cell")) {
      frames += 1;
      if (frames < FRAMES) requestAnimationFrame(look);
      return;
    }
    const cell = panel.content.widgets[cellOf(panel, root)];
    if (panel.context.path !== moment.path || cell?.model.id !== moment.cell) return;
    if ([...cell.node.querySelectorAll("[data-tk-widget]")].indexOf(root) !== moment.place) return;
    forget();
    stage.chosen = moment.size;
    if (moment.staged) stage.enter();
    if (moment.scene >= 0) post({ kind: "scene", value: moment.scene });
    if (moment.scene >= 0 && !moment.away) return; // what the scene shows may have been refused: that is neither step nor expression
    if (moment.expression !== undefined) post({ kind: "expression", value: moment.expression });
    else if (moment.step !== "") post({ kind: "goto", value: Number(moment.step), number: Number(moment.step) });
  };
  if (kept()) look();
}
