// @ts-check
/**
 * The speaker's notes. They follow the lesson while "follow" is on, and drive it: forward and back, a blank screen, a section. The up
 * and down arrows look at other notes and leave the room where it is. Where the lesson's sections have minutes, the time that is left
 * is counted down (talk_clock.js): the space bar starts and pauses it, for every window of the talk.
 *
 * For tests the body carries: data-state = loading | ready | missing, data-cell, data-scene, data-following, data-heard
 * (whether a lesson in this browser has spoken), data-away (the picture on the stage is not as it was marked), data-blank, data-new
 * (the lesson is at a cell that is not saved), and with minutes data-section and data-clock = waiting | running | paused.
 *
 * @typedef {{ cell: number, id: string, kind: string, heading: string, first: string, notes: string, scenes: [string, string][], cut: string }} Cue
 * @typedef {{ from: string, path: string, cell: number, id: string, stage: Stage | null, blank?: boolean, next?: { text: string, notes: string } | null }} Word
 *   ``next`` is what the key for "forward" will do
 * @typedef {{ scenes: string[], notes: string[], scene: number, step: number, steps: number | null, away: boolean, kernel: string }} Stage
 */

import { TalkClock, clockText, paceText } from "./talk_clock.js";

const lesson = new URLSearchParams(location.search).get("lesson") ?? "";
const PLACE = `api/place?lesson=${encodeURIComponent(lesson)}`;
const PATIENCE = 2000; // milliseconds
const channel = new BroadcastChannel("tensorkit-talk");
const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {Cue[]} */
let cues = [];
/** @type {{ first: number, title: string, minutes?: number }[]} what the speaker can go to */
let starts = [];
let at = 0;
let following = true;
/** Whether the lesson is at a cell that was inserted after `at`, and is not saved yet. */
let inserted = false;
/** @type {Word | null} what the lesson in this browser has said last */
let word = null;
/** @type {ReturnType<typeof setTimeout> | undefined} until the lesson should have answered */
let waiting;
let silent = false;
/** @type {Stage | null} what is on the stage of the current cell */
let stage = null;
/** @type {TalkClock | null} only where sections have minutes */
let talk = null;
/** Without minutes: when the time began that is shown. */
let began = Date.now();

async function load() {
  const answer = await fetch(`api/talk?lesson=${encodeURIComponent(lesson)}`).catch(() => null);
  if (!answer) return settle(); // without the server, what was read before has to do
  if (!answer.ok) {
    const there = answer.status === 400 && lesson !== "";
    part("notes").textContent = there ? `${lesson} is no notebook that can be read.` : `There is no lesson called ${lesson || "(none)"} here.`;
    document.body.dataset.state = "missing";
    return;
  }
  const read = await answer.json();
  const clock = document.body.dataset.state === "ready" ? null : await kept();
  cues = read.cues;
  const headed = cues.filter(({ heading }, k) => heading && heading !== cues[k - 1]?.heading);
  starts = read.sections.length ? read.sections : headed.map(({ cell, heading }) => ({ first: cell, title: heading }));
  talk = read.sections.length ? new TalkClock(read.sections, talk?.kept ?? clock) : null;
  began = clock?.began ?? began;
  part("pace").hidden = part("timing").hidden = talk === null;
  part("since").hidden = talk !== null;
  part("sections").replaceChildren(...starts.map(entry));
  at = Math.min(at, Math.max(0, cues.length - 1));
  document.body.dataset.state = "ready";
  settle();
}

/** The time that this talk had come to, in whatever window. */
async function kept() {
  const answer = await fetch(PLACE).catch(() => null);
  return answer?.ok ? ((await answer.json()).clock ?? null) : null;
}

/** The other windows of the talk, and those that are opened later, have the time from here. */
function tellTime() {
  const clock = talk?.kept ?? { began };
  channel.postMessage({ from: "clock", path: lesson, clock });
  const token = /(?:^|; )_xsrf=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  const asked = { method: "PUT", headers: { "X-XSRFToken": token }, body: JSON.stringify({ clock }), keepalive: true };
  void fetch(PLACE, asked).catch(() => null); // without the server the time is counted all the same
  tick();
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

/** Notes as paragraphs: directions are not said, and look different. @param {string} notes */
function paragraphs(notes) {
  return notes.split("\n").map((line) => {
    const one = document.createElement("div");
    one.textContent = line;
    one.classList.toggle("direction", line.trimStart().startsWith("▸"));
    return one;
  });
}

function show() {
  if (!cues[at]) return;
  const cue = inserted ? { ...cues[at], first: "", notes: "This cell is new: it has no notes yet.", scenes: [], cut: "" } : cues[at];
  const upcoming = cues.slice(at + 1).find(worth) ?? cues[at + 1];
  const scenes = stage?.scenes.length ? stage.scenes.map((name, k) => [name, stage?.notes[k] || cue.scenes[k]?.[1] || ""]) : cue.scenes;
  const scene = stage ? stage.scene : -1;
  alarm("kernel", KERNEL[word?.stage?.kernel ?? ""] ?? "");
  alarm("room", silent ? "The lesson’s window does not answer. Is it open?" : word?.blank ? "The room sees a blank screen: B shows the lesson again." : "");
  part("lesson").textContent = lesson;
  part("now").textContent = cue.heading;
  part("first").textContent = cue.first + stepText(stage) + (stage?.away ? "   ·   off the script: R returns" : "");
  part("notes").replaceChildren(...paragraphs(cue.notes || (scenes.length ? "" : "Nothing is noted for this cell.")));
  part("notes").dataset.long = String(Math.min(3, Math.floor(cue.notes.length / 260)));
  part("cut").hidden = cue.cut === "";
  part("cut").textContent = `Short of time: ${cue.cut}`;
  part("scenes").hidden = scenes.length === 0;
  part("scenes").replaceChildren(...scenes.map(([name, notes], k) => item(name, notes, k === scene)));
  const within = scenes[scene + 1];
  const told = (following && word?.next) || null;
  const guess = within && stage ? { text: within[0], notes: within[1] } : { text: upcoming?.first ?? "The end.", notes: upcoming?.notes ?? "" };
  part("next").textContent = (told ?? guess).text;
  part("next-notes").textContent = (told ?? guess).notes;
  part("place").textContent = `${inserted ? "after " : ""}cell ${at + 1} of ${cues.length}`;
  part("said").textContent = saying();
  part("follow").setAttribute("aria-pressed", String(following));
  part("blank").setAttribute("aria-pressed", String(word?.blank ?? false));
  const current = starts.filter(({ first }) => first <= at).length - 1;
  [...part("sections").querySelectorAll("button")].forEach((one, k) => one.setAttribute("aria-current", String(k === current)));
  const disabled = { blank: !word, follow: !word, up: at === 0, down: at >= cues.length - 1, back: !word && at === 0, forward: !word && at >= cues.length - 1 };
  for (const [id, off] of Object.entries(disabled)) /** @type {HTMLButtonElement} */ (part(id)).disabled = off;
  const { dataset } = document.body;
  const moved = dataset.cell !== String(at) || dataset.scene !== (scenes[scene]?.[0] ?? "");
  Object.assign(dataset, { cell: String(at), scene: scenes[scene]?.[0] ?? "", following: String(following), heard: String(word !== null) });
  Object.assign(dataset, { away: String(stage?.away ?? false), blank: String(word?.blank ?? false), new: String(inserted) });
  if (moved) {
    scrollTo(0, 0);
    part("scenes").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }
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

/** An alert: a reader of the page hears it once. @param {string} id @param {string} words */
function alarm(id, words) {
  part(id).hidden = words === "";
  if (part(id).textContent !== words) part(id).textContent = words;
}

function saying() {
  if (!word) return "open the lesson in this browser to follow it";
  return following ? "following the lesson" : `the room is at cell ${word.cell + 1}: F goes there`;
}

/** A section to go to. @param {typeof starts[number]} start */
function entry({ first, title, minutes }) {
  const made = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = title + (minutes ? `   (${minutes} min)` : "");
  button.addEventListener("click", () => {
    part("sections").hidePopover();
    const { id } = cues[first];
    if (word && id) drive("goto", { id });
    else look(first);
  });
  made.append(button);
  return made;
}

/** These notes, and the room stays where it is. @param {number} to */
function look(to) {
  at = to;
  following = inserted = false;
  stage = null;
  // Who has no lesson to follow in this browser leafs through the talk as it is given.
  if (!word && talk?.enter(at, Date.now())) tellTime();
  show();
}

/** To the next cell that has something to say. @param {1 | -1} by */
function leaf(by) {
  let to = at + by;
  while (cues[to] && !worth(cues[to])) to += by;
  look(cues[to] ? to : Math.max(0, Math.min(cues.length - 1, at + by)));
}

/** What a speaker does from here, the room does. @param {"next" | "back" | "blank" | "goto"} act @param {{ id?: string }} [more] */
function drive(act, more = {}) {
  channel.postMessage({ from: "notes", path: lesson, do: act, ...more });
  if (act !== "blank" && !following) follow();
  else ask();
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    silent = true;
    show();
  }, PATIENCE);
}

/** The lesson says where it is. */
const ask = () => channel.postMessage({ from: "notes", path: lesson });
const forward = () => (word ? drive("next") : leaf(1));
const back = () => (word ? drive("back") : leaf(-1));
const blank = () => word && drive("blank");

function follow() {
  following = !following;
  if (following) ask();
  settle();
}

/** The notes of the cell where the lesson is. */
function settle() {
  if (!word) return show();
  const found = find(word);
  // Old notebooks have no ids: there the number has to do.
  const isNew = found < 0 && cues.some(({ id }) => id !== "");
  const here = found < 0 ? Math.max(0, Math.min(cues.length - 1, word.cell - Number(isNew))) : found;
  if (talk?.enter(here, Date.now())) tellTime();
  if (following) [at, inserted, stage] = [here, isNew, word.stage];
  show();
}

/** @param {Word} of */
const find = (of) => cues.findIndex(({ id }) => id !== "" && id === of.id);

channel.addEventListener("message", async ({ data }) => {
  if (data?.path !== lesson) return;
  if (data.from === "clock") takeTime(data.clock);
  if (data.from !== "lesson") return;
  word = /** @type {Word} */ (data);
  silent = false;
  clearTimeout(waiting);
  // Where the cell is not where the file has it, the speaker has edited the lesson.
  if (cues[find(data)]?.cell === data.cell) settle();
  else await load();
});

/** Another window's time. @param {import("./talk_clock.js").Kept & { began?: number }} clock */
function takeTime(clock) {
  if (talk && clock.spent?.length === talk.sections.length) talk = new TalkClock(talk.sections, clock);
  began = clock.began ?? began;
  tick();
}

/** @type {Record<string, () => unknown>} */
const KEYS = {
  PageDown: forward, ArrowRight: forward, PageUp: back, ArrowLeft: back, b: blank, B: blank, ".": blank,
  ArrowDown: () => leaf(1), ArrowUp: () => leaf(-1), f: follow, F: follow, " ": run,
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !KEYS[event.key]) return;
  if (event.key === " " && event.target instanceof HTMLButtonElement) return;
  if (!event.repeat) KEYS[event.key]();
  event.preventDefault();
});
// What was clicked does not take the keyboard: the space bar is the clock's.
document.addEventListener("mousedown", (event) => {
  if (event.target instanceof Element && event.target.closest("button")) event.preventDefault();
});
const buttons = { forward, back, blank, follow, run, again, up: () => leaf(-1), down: () => leaf(1), since: () => { began = Date.now(); tellTime(); } };
for (const [id, act] of Object.entries(buttons)) part(id).addEventListener("click", act);

/** Start, pause, go on. */
function run() {
  talk?.toggle(Date.now());
  tellTime();
}

function again() {
  talk?.again(Date.now());
  tellTime();
}

/** The minutes that are left: of the section in which the speaker is, and of the talk. @param {TalkClock} of */
function pace(of) {
  of.pass(Date.now());
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
  const seconds = Math.max(0, Math.floor((now.getTime() - began) / 1000));
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  part("clock").textContent = `${two(now.getHours())}:${two(now.getMinutes())}`;
  part("since").textContent = `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
  part("since").setAttribute("aria-label", `${Math.floor(seconds / 60)} minutes since the start; start the time again`);
}

tick();
setInterval(tick, 1000);
await load();
ask();
