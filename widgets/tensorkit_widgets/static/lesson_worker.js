// @ts-check
/**
 * Python at work, apart from the page: what runs for ever can be ended, and the page goes on.
 *
 * From the page: {kind: "start", files, address, progress}, {kind: "run", cell, source, scenes}, {kind: "tell", model, content}.
 * To the page: what the session says, as it says it (see `tensorkit_widgets/page/session.py`), and
 * {kind: "ready"}, {kind: "progress", text}: the record of answers when it has changed, {kind: "idle"}: after each message,
 * {kind: "fault", words}: why it did not start.
 */

/** The part of a worker that is used here; the types that are checked against are those of a page. */
const worker = /** @type {any} */ (self);
const HOME = "/home/pyodide";
const PROGRESS = `${HOME}/progress.json`;

/** @type {any} */
let python;
/** @type {any} */
let session;
let progress = "";
/** Letters that a cell may print: one that prints for ever neither fills the page nor keeps it busy. */
const MOST = 100_000;
let printed = 0;

/**
 * Load Python and the kit from files that are here already: nothing is asked of a network, now or later.
 * @param {{ files: Map<string, Blob>, address: string, progress: string }} given
 */
async function start({ files, address, progress: before }) {
  const ask = worker.fetch.bind(worker);
  worker.fetch = (/** @type {any} */ what, /** @type {any} */ how) => {
    const name = String(what?.url ?? what).split("/").pop() ?? "";
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    const known = files.get(name);
    return known ? Promise.resolve(new Response(known, { headers: { "Content-Type": type } })) : ask(what, how);
  };
  const part = (/** @type {string} */ name) => /** @type {Blob} */ (files.get(name));
  for (const name of ["pyodide.js", "pyodide.asm.js"]) worker.importScripts(URL.createObjectURL(part(name)));
  python = await worker.loadPyodide({
    indexURL: `${address}python/`,
    lockFileContents: await part("pyodide-lock.json").text(),
    env: { HOME, TENSORKIT_PROGRESS: PROGRESS },
  });
  python.unpackArchive(await part("kit.zip").arrayBuffer(), "zip", { extractDir: `${HOME}/kit` });
  python.runPython(`import sys; sys.path.insert(0, "${HOME}/kit")`);
  if (before) python.FS.writeFile(PROGRESS, before);
  progress = before;
  session = python.pyimport("tensorkit_widgets.page.session").Session((/** @type {string} */ text) => say(JSON.parse(text)));
  postMessage({ kind: "ready" });
}

/** What the session says goes to the page, but for what is printed beyond all reading. @param {any} message */
function say(message) {
  const { output } = message;
  if (output?.output_type === "stream") {
    if (printed > MOST) return;
    printed += output.text.length;
    if (printed > MOST) output.text = `${output.text.slice(0, MOST)}\n… and more, which is left out.\n`;
  }
  postMessage(message);
}

/** Hand on the record of answers, when it is another. */
function keep() {
  if (!python?.FS.analyzePath(PROGRESS).exists) return;
  const text = python.FS.readFile(PROGRESS, { encoding: "utf8" });
  if (text !== progress) postMessage({ kind: "progress", text });
  progress = text;
}

/** @param {any} message */
async function act(message) {
  printed = 0;
  try {
    if (message.kind === "start") await start(message);
    else if (message.kind === "run") session.run(message.cell, message.source, message.scenes);
    else session.receive(message.model, python.toPy(message.content));
    keep();
  } catch (error) {
    if (message.kind === "start") postMessage({ kind: "fault", words: String(error).trim().split("\n").pop() });
    else if (message.kind === "run") postMessage({ kind: "done", cell: message.cell, ok: false });
    console.error(error); // what no cell is to blame for
  }
  postMessage({ kind: "idle" });
}

/** Messages are answered one after another. */
let turn = Promise.resolve();
self.onmessage = ({ data }) => { turn = turn.then(() => act(data)); };
