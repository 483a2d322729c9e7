// @ts-check
/**
 * The speaker's notes. They follow the lesson while "follow" is on, and are leafed through with the arrow keys.
 *
 * For tests the body carries: data-state = loading | ready | missing, data-cell, data-scene, data-following, data-heard
 * (whether a lesson in this browser has spoken).
 *
 * @typedef {{ cell: number, id: string, kind: string, heading: string, first: string, notes: string, scenes: [string, string][] }} Cue
 * @typedef {{ from: string, path: string, cell: number, id: string, stage: Stage | null }} Word
 * @typedef {{ scenes: string[], notes: string[], scene: number, step: string, steps: string }} Stage
 */

const lesson = new URLSearchParams(location.search).get("lesson") ?? "";
const channel = new BroadcastChannel("tensorkit-talk");
const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const began = { at: Date.now() };

/** @type {Cue[]} */
let cues = [];
let at = 0;
let following = true;
let heard = false;
/** @type {Stage | null} what is on the stage of the current cell */
let stage = null;

async function load() {
  const answer = await fetch(`api/talk?lesson=${encodeURIComponent(lesson)}`);
  if (!answer.ok) {
    part("notes").textContent = `There is no lesson called ${lesson || "(none)"} here.`;
    document.body.dataset.state = "missing";
    return;
  }
  cues = (await answer.json()).cues;
  at = Math.min(at, Math.max(0, cues.length - 1));
  document.body.dataset.state = "ready";
  show();
}

/** Where there is something to say. @param {Cue} cue */
const worth = (cue) => cue.notes !== "" || cue.scenes.length > 0;

function show() {
  const cue = cues[at];
  if (!cue) return;
  const upcoming = cues.slice(at + 1).find(worth) ?? cues[at + 1];
  const scenes = stage?.scenes.length ? stage.scenes.map((name, k) => [name, stage?.notes[k] || cue.scenes[k]?.[1] || ""]) : cue.scenes;
  const scene = stage ? stage.scene : -1;
  part("lesson").textContent = lesson;
  part("now").textContent = cue.heading;
  part("first").textContent = cue.first + (stage && stage.steps !== "" ? `   ·   step ${stage.step} of ${stage.steps}` : "");
  part("notes").textContent = cue.notes || (scenes.length ? "" : "Nothing is noted for this cell.");
  part("scenes").hidden = scenes.length === 0;
  part("scenes").replaceChildren(...scenes.map(([name, notes], k) => item(name, notes, k === scene)));
  const within = scenes[scene + 1];
  part("next").textContent = within && stage ? within[0] : upcoming ? upcoming.first : "The end.";
  part("next-notes").textContent = within && stage ? within[1] : (upcoming?.notes ?? "");
  part("place").textContent = `cell ${at + 1} of ${cues.length}`;
  part("follow").setAttribute("aria-pressed", String(following));
  part("said").textContent = heard ? (following ? "following the lesson" : "") : "open the lesson in this browser, and the notes follow it";
  /** @type {HTMLButtonElement} */ (part("back")).disabled = at === 0;
  /** @type {HTMLButtonElement} */ (part("on")).disabled = at >= cues.length - 1;
  Object.assign(document.body.dataset, { cell: String(at), scene: scenes[scene]?.[0] ?? "", following: String(following), heard: String(heard) });
}

/** @param {string} name @param {string} notes @param {boolean} current */
function item(name, notes, current) {
  const made = document.createElement("li");
  const title = document.createElement("b");
  title.textContent = name;
  made.append(title, notes ? `\n${notes}` : "");
  if (current) made.setAttribute("aria-current", "step");
  return made;
}

/** To the next cell that has something to say. @param {1 | -1} by */
function leaf(by) {
  let to = at + by;
  while (cues[to] && !worth(cues[to])) to += by;
  if (!cues[to]) to = Math.max(0, Math.min(cues.length - 1, at + by));
  at = to;
  following = false;
  stage = null;
  show();
}

function follow() {
  following = !following;
  if (following) channel.postMessage({ from: "notes" });
  show();
}

channel.addEventListener("message", async ({ data }) => {
  const word = /** @type {Word} */ (data);
  if (word?.from !== "lesson" || word.path !== lesson) return;
  heard = true;
  if (!following) return show();
  let found = cues.findIndex((cue) => cue.id !== "" && cue.id === word.id);
  if (found < 0 || cues[found].cell !== word.cell) {
    await load(); // the speaker has edited the lesson
    found = cues.findIndex((cue) => cue.id !== "" && cue.id === word.id);
  }
  at = found >= 0 ? found : Math.max(0, Math.min(cues.length - 1, word.cell));
  stage = word.stage;
  show();
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const act = { ArrowRight: () => leaf(1), PageDown: () => leaf(1), ArrowLeft: () => leaf(-1), PageUp: () => leaf(-1), f: follow, F: follow }[event.key];
  if (!act) return;
  act();
  event.preventDefault();
});
part("on").addEventListener("click", () => leaf(1));
part("back").addEventListener("click", () => leaf(-1));
part("follow").addEventListener("click", follow);
part("since").addEventListener("click", () => {
  began.at = Date.now();
  tick();
});

function tick() {
  const now = new Date();
  const seconds = Math.floor((now.getTime() - began.at) / 1000);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  part("clock").textContent = `${two(now.getHours())}:${two(now.getMinutes())}`;
  part("since").textContent = `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
  part("since").setAttribute("aria-label", `${Math.floor(seconds / 60)} minutes since the start; start the time again`);
}

tick();
setInterval(tick, 1000);
await load();
channel.postMessage({ from: "notes" });
