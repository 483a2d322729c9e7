// @ts-check
/**
 * The speaker's notes. They follow the lesson while "follow" is on, and are leafed through with the arrow keys. Where the lesson's
 * sections have minutes, the time that is left is counted down (talk_clock.js): the space bar starts and pauses it.
 *
 * For tests the body carries: data-state = loading | ready | missing, data-cell, data-scene, data-following, data-heard
 * (whether a lesson in this browser has spoken), data-away (the picture on the stage is not as it was marked), and with minutes
 * data-section and data-clock = waiting | running | paused.
 *
 * @typedef {{ cell: number, id: string, kind: string, heading: string, first: string, notes: string, scenes: [string, string][], cut: string }} Cue
 * @typedef {{ from: string, path: string, cell: number, id: string, stage: Stage | null }} Word
 * @typedef {{ scenes: string[], notes: string[], scene: number, step: number, steps: number | null, away: boolean, kernel: string }} Stage
 */

import { TalkClock, clockText, paceText } from "./talk_clock.js";

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
/** @type {TalkClock | null} only where sections have minutes */
let talk = null;
const KEPT = `tensorkit-talk ${lesson}`;

async function load() {
  const answer = await fetch(`api/talk?lesson=${encodeURIComponent(lesson)}`);
  if (!answer.ok) {
    const there = answer.status === 400 && lesson !== "";
    part("notes").textContent = there ? `${lesson} is no notebook that can be read.` : `There is no lesson called ${lesson || "(none)"} here.`;
    document.body.dataset.state = "missing";
    return;
  }
  const read = await answer.json();
  cues = read.cues;
  talk = read.sections.length ? new TalkClock(read.sections, talk?.kept ?? kept()) : null;
  part("pace").hidden = talk === null;
  part("since").hidden = talk !== null;
  at = Math.min(at, Math.max(0, cues.length - 1));
  document.body.dataset.state = "ready";
  show();
}

/** The time that a page of this lesson had counted before it was loaded again. */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  } catch {
    return null;
  }
}

/** Where there is something to say. @param {Cue} cue */
const worth = (cue) => cue.notes !== "" || cue.scenes.length > 0;

/** What has become of the kernel, in the room. @type {Record<string, string>} */
const KERNEL = {
  gone: "The kernel has died. Press K in the lesson’s window: it starts again, and comes back to this step.",
  starting: "The kernel starts again, and the lesson runs up to this picture.",
  away: "Jupyter’s server cannot be reached: the picture waits for it.",
};

/** Which step of the picture on the stage is shown; nothing for a picture without steps. @param {Stage | null} shown */
function stepText(shown) {
  if (!shown || shown.steps === 0) return "";
  return shown.steps === null ? `   ·   step ${shown.step}` : `   ·   step ${shown.step} of ${shown.steps}`;
}

/** Notes as paragraphs: directions, which nobody says, stand apart. @param {string} notes */
function paragraphs(notes) {
  return notes.split("\n").map((line) => {
    const one = document.createElement("div");
    one.textContent = line;
    one.classList.toggle("direction", line.trimStart().startsWith("▸"));
    return one;
  });
}

function show() {
  const cue = cues[at];
  if (!cue) return;
  const upcoming = cues.slice(at + 1).find(worth) ?? cues[at + 1];
  const scenes = stage?.scenes.length ? stage.scenes.map((name, k) => [name, stage?.notes[k] || cue.scenes[k]?.[1] || ""]) : cue.scenes;
  const scene = stage ? stage.scene : -1;
  const words = KERNEL[stage?.kernel ?? ""] ?? "";
  part("kernel").hidden = words === "";
  if (part("kernel").textContent !== words) part("kernel").textContent = words; // it is an alert: said once
  part("lesson").textContent = lesson;
  part("now").textContent = cue.heading;
  part("first").textContent = cue.first + stepText(stage) + (stage?.away ? "   ·   off the script: R returns" : "");
  part("notes").replaceChildren(...paragraphs(cue.notes || (scenes.length ? "" : "Nothing is noted for this cell.")));
  part("notes").dataset.long = String(Math.min(2, Math.floor(cue.notes.length / 260)));
  part("cut").hidden = cue.cut === "";
  part("cut").textContent = `Short of time: ${cue.cut}`;
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
  Object.assign(document.body.dataset, { cell: String(at), scene: scenes[scene]?.[0] ?? "", following: String(following), heard: String(heard), away: String(stage?.away ?? false) });
  tick();
}

/** @param {string} name @param {string} notes @param {boolean} current */
function item(name, notes, current) {
  const made = document.createElement("li");
  const title = document.createElement("b");
  title.textContent = name;
  made.append(title, ...(notes ? paragraphs(notes) : []));
  if (current) made.setAttribute("aria-current", "step");
  return made;
}

/** To the next cell that has something to say. @param {1 | -1} by */
function leaf(by) {
  let to = at + by;
  while (cues[to] && !worth(cues[to])) to += by;
  if (!cues[to]) to = Math.max(0, Math.min(cues.length - 1, at + by));
  at = to;
  // Who has no lesson to follow in this browser leafs through the talk as it is given.
  if (!heard) talk?.enter(at, Date.now());
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
  talk?.enter(word.cell, Date.now());
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
  const act = { ArrowRight: () => leaf(1), PageDown: () => leaf(1), ArrowLeft: () => leaf(-1), PageUp: () => leaf(-1), f: follow, F: follow, " ": run }[event.key];
  if (event.key === " " && event.target instanceof HTMLButtonElement) return;
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

part("run").addEventListener("click", run);
part("again").addEventListener("click", () => {
  talk?.again(Date.now());
  tick();
});

/** Start, pause, go on. */
function run() {
  talk?.toggle(Date.now());
  tick();
}

/** The minutes that are left: of the section in which the speaker is, and of the talk. @param {TalkClock} of */
function pace(of) {
  of.pass(Date.now());
  sessionStorage.setItem(KEPT, JSON.stringify(of.kept));
  const { title, minutes, left, talk: all, talkLeft, behind, running, begun } = of.time;
  part("section-left").textContent = clockText(left);
  part("section").textContent = `${minutes} min: ${title}`;
  part("talk-left").textContent = clockText(talkLeft);
  part("talk").textContent = `${all} min`;
  part("behind").textContent = begun ? paceText(behind) : "";
  part("run").textContent = running ? "Pause" : begun ? "Go on" : "Start";
  part("section-left").classList.toggle("over", left < 0);
  part("talk-left").classList.toggle("over", talkLeft < 0);
  part("behind").classList.toggle("over", behind >= 60);
  part("cut").classList.toggle("due", behind >= 60 || left < 0);
  Object.assign(document.body.dataset, { section: String(of.at), clock: running ? "running" : begun ? "paused" : "waiting" });
}

function tick() {
  if (talk) pace(talk);
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
