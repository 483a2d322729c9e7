// @ts-check
/**
 * A phone in the room: it follows the stage, looks back, and answers the questions that are asked. All text is set as text, and the
 * picture is an image: whatever is in it, nothing of it runs here.
 *
 * The phone keeps a random number for this talk, so that its answer is counted once, and what it has answered.
 *
 * For tests the body carries: data-state = loading | ready | lost, data-scene (the number of the picture that is shown),
 * data-following.
 *
 * @typedef {{ id: number, title: string, name: string, drawn: boolean }} Scene
 * @typedef {{ id: number, ask: string, options: string[], open: boolean, right: number | null, counts: number[] | null }} Question
 * @typedef {{ revision: number, lesson: string, onStage: boolean, scenes: Scene[], questions: Question[], play: boolean }} State
 */

const EVERY = 1200; // milliseconds
const PATIENCE = 8000;
const SLOWEST = 10_000;
const KEPT = `tensorkit-room ${location.pathname}`;
const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const picture = /** @type {HTMLImageElement} */ (part("picture"));

/** @type {State | null} */
let state = null;
/** @type {number | null} the picture that is looked back at; null follows the stage */
let looking = null;
/** @type {number | null} the picture that is shown */
let shown = null;
let failed = 0;
const mine = remembered();

/** @returns {{ phone: string, answers: Record<string, number> }} */
function remembered() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null");
    if (/^[0-9a-f]{32}$/.test(kept?.phone) && typeof kept.answers === "object") return kept;
  } catch { /* private browsing keeps nothing: the number lasts as long as the page */ }
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { phone: [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""), answers: {} };
}

function remember() {
  try {
    localStorage.setItem(KEPT, JSON.stringify(mine));
  } catch { /* as above */ }
}

/** @param {string} tag @param {string} [name] @param {...(Node | string)} inside */
function make(tag, name = "", ...inside) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...inside);
  return node;
}

/** Text in which code is between backticks. @param {string} text */
const marked = (text) => text.split("`").map((piece, k) => (k % 2 ? make("code", "", piece) : piece));

// ---- following

async function ask() {
  try {
    const answer = await fetch(`state${state ? `/${state.revision}` : ""}`, { signal: AbortSignal.timeout(PATIENCE) });
    if (answer.status === 200) state = await answer.json();
    else if (answer.status !== 204) throw new Error(await answer.text());
    failed = 0;
    document.body.dataset.state = "ready";
    trouble("");
    if (answer.status === 200) show();
  } catch (error) {
    failed += 1;
    if (failed > 1) {
      document.body.dataset.state = "lost";
      trouble("The talk does not answer. It is over, or this phone has left the room’s network. Trying again…");
    }
  }
}

/** Ask as long as the page is in sight; less often where nothing answers. */
async function follow() {
  if (!document.hidden) await ask();
  setTimeout(follow, Math.min(SLOWEST, EVERY * 2 ** Math.min(failed, 4)) * (0.9 + 0.2 * Math.random()));
}

/** @param {string} words */
function trouble(words) {
  if (part("trouble").textContent !== words) part("trouble").textContent = words;
}

function show() {
  if (!state) return;
  const { scenes, lesson } = state;
  part("lesson").textContent = lesson;
  document.title = lesson;
  part("waiting").hidden = scenes.length > 0 || state.questions.length > 0;
  questions(state.questions);
  if (looking !== null && !scenes.some(({ id }) => id === looking)) looking = null;
  const at = looking === null ? scenes.length - 1 : scenes.findIndex(({ id }) => id === looking);
  part("scene").hidden = at < 0;
  if (at < 0) return;
  const scene = scenes[at];
  const last = at === scenes.length - 1;
  const where = last ? (state.onStage ? "On the stage now" : "The picture that was on the stage last") : `Looking back: ${at + 1} of ${scenes.length}`;
  if (part("where").textContent !== where) part("where").textContent = where;
  const buttons = { earlier: at === 0, later: last, now: last };
  for (const [id, off] of Object.entries(buttons)) /** @type {HTMLButtonElement} */ (part(id)).disabled = off;
  document.body.dataset.following = String(looking === null);
  if (shown !== scene.id) void draw(scene);
}

/** @param {Scene} scene */
async function draw(scene) {
  shown = scene.id;
  const answer = await fetch(`scene/${scene.id}.json`, { signal: AbortSignal.timeout(PATIENCE) }).catch(() => null);
  if (shown !== scene.id) return; // the talk went on meanwhile
  if (!answer?.ok) {
    shown = null; // it was drawn again, or the network is slow: the next state shows it
    return;
  }
  const { said, text, cell, scene: which, step } = await answer.json();
  if (scene.drawn) {
    // The old picture stays until the new one is there: nothing jumps.
    const next = new Image();
    next.src = `scene/${scene.id}.svg`;
    await next.decode().catch(() => {});
    if (shown !== scene.id) return;
    picture.src = next.src;
  }
  picture.hidden = part("larger").hidden = !scene.drawn;
  picture.alt = said || scene.title;
  part("title").textContent = scene.name || scene.title;
  part("said").textContent = said;
  part("text").textContent = text;
  part("play").hidden = !state?.play;
  const place = Object.entries({ scene: which, step }).filter(([, value]) => value !== null).map(([name, value]) => `${name}=${Number(value)}`);
  /** @type {HTMLAnchorElement} */ (part("play-link")).href = `play/index.html?${place.join("&")}#${encodeURIComponent(cell)}`;
  document.body.dataset.scene = String(scene.id);
}

// ---- looking back

/** @param {-1 | 1} by */
function leaf(by) {
  const scenes = state?.scenes ?? [];
  const at = looking === null ? scenes.length - 1 : scenes.findIndex(({ id }) => id === looking);
  const to = scenes[at + by];
  looking = to && at + by < scenes.length - 1 ? to.id : null;
  show();
}

part("earlier").addEventListener("click", () => leaf(-1));
part("later").addEventListener("click", () => leaf(1));
part("now").addEventListener("click", () => {
  looking = null;
  show();
});
part("larger").addEventListener("click", () => {
  const on = part("frame").classList.toggle("larger");
  part("larger").setAttribute("aria-pressed", String(on));
});

// ---- the questions

/** @type {Map<number, HTMLElement>} */
const asked = new Map();

/** @param {Question[]} all */
function questions(all) {
  for (const [id, node] of asked) {
    if (all.some((one) => one.id === id)) continue;
    node.remove();
    asked.delete(id);
  }
  for (const question of all) {
    let node = asked.get(question.id);
    if (!node) {
      node = drawn(question);
      asked.set(question.id, node);
      part("questions").append(node);
    }
    update(question, node);
  }
}

/** @param {Question} question */
function drawn({ id, ask: words, options }) {
  const rows = options.map((option, k) => {
    const input = /** @type {HTMLInputElement} */ (make("input"));
    Object.assign(input, { type: "radio", name: `question-${id}`, value: String(k) });
    input.addEventListener("change", () => void answer(id, k));
    return make("label", "option", input, make("span", "letter", String.fromCharCode(65 + k)), make("span", "words", ...marked(option)), make("span", "count"));
  });
  const told = make("p", "told");
  told.setAttribute("role", "status");
  return make("section", "question", make("fieldset", "", make("legend", "", ...marked(words)), ...rows), told);
}

/** @param {Question} question @param {HTMLElement} node */
function update({ id, open, right, counts }, node) {
  const chosen = mine.answers[id];
  // No count before one's own answer, as long as it can be given.
  const seen = counts && (chosen !== undefined || !open) ? counts : null;
  const all = Math.max(1, (seen ?? []).reduce((sum, one) => sum + one, 0));
  [...node.querySelectorAll("label")].forEach((row, k) => {
    const input = /** @type {HTMLInputElement} */ (row.querySelector("input"));
    input.checked = chosen === k;
    input.disabled = !open;
    row.classList.toggle("chosen", chosen === k);
    row.classList.toggle("right", right === k);
    row.style.setProperty("--share", seen ? `${(100 * seen[k]) / all}%` : "0%");
    /** @type {HTMLElement} */ (row.querySelector(".count")).textContent = seen ? String(seen[k]) : "";
  });
  const letter = chosen === undefined ? "" : String.fromCharCode(65 + chosen);
  if (open) say(node, chosen === undefined ? "Choose one." : `Your answer is ${letter}. You may change it until the answer is shown.`);
  else say(node, chosen === undefined ? "The question is closed." : `The question is closed. Your answer was ${letter}.`);
}

/** @param {HTMLElement} node @param {string} words */
function say(node, words) {
  const told = /** @type {HTMLElement} */ (node.querySelector(".told"));
  if (told.textContent !== words) told.textContent = words;
}

/** @param {number} question @param {number} option */
async function answer(question, option) {
  const before = mine.answers[question];
  mine.answers[question] = option;
  const node = asked.get(question);
  const body = JSON.stringify({ phone: mine.phone, question, option });
  const got = await fetch("answer", { method: "POST", headers: { "Content-Type": "application/json" }, body, signal: AbortSignal.timeout(PATIENCE) }).catch(() => null);
  if (got?.ok) remember();
  else if (mine.answers[question] === option) {
    if (before === undefined) delete mine.answers[question];
    else mine.answers[question] = before;
  }
  const known = state?.questions.find(({ id }) => id === question);
  if (known && node) update(known, node);
  if (!got?.ok && node) say(node, got ? await got.text() : "Your answer did not arrive. Choose it again.");
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) void ask();
});
void follow();

export {};
