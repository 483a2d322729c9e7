// @ts-check
/**
 * Python as the page sees it: fetched once, begun when something is first touched, and begun again after it was stopped.
 *
 * @typedef {{ loading(bytes: number, all: number): void, heard(message: any): void, busy(working: boolean): void }} Listener
 */

const RUNTIME = ["pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json", "kit.zip"];

/** A model of a widget, as its view reads it: what Python said last, and a way to answer. */
export class PageModel {
  /** @param {{ script: string, css: string, state: Record<string, any> }} opened @param {(content: object) => void} send */
  constructor({ script, css, state }, send) {
    this.script = script;
    this.css = css;
    this.state = state;
    this.send = send;
    /** @type {Map<string, Set<() => void>>} */
    this.listeners = new Map();
  }

  /** @param {string} name */
  get(name) {
    return this.state[name];
  }

  /** @param {string} event @param {() => void} act */
  on(event, act) {
    this.listeners.set(event, (this.listeners.get(event) ?? new Set()).add(act));
  }

  /** @param {string} event @param {() => void} act */
  off(event, act) {
    this.listeners.get(event)?.delete(act);
  }

  /** @param {string} event */
  tell(event) {
    for (const act of [...(this.listeners.get(event) ?? [])]) act();
  }

  /** @param {Record<string, any>} changes */
  change(changes) {
    Object.assign(this.state, changes);
    for (const name of Object.keys(changes)) this.tell(`change:${name}`);
  }
}

export class Python {
  /** @param {import("./lesson_files.js").Files} files @param {Listener} listener @param {() => string} progress the record of answers so far */
  constructor(files, listener, progress) {
    this.files = files;
    this.listener = listener;
    this.progress = progress;
    /** @type {Promise<Map<string, Blob>> | null} */
    this.fetched = null;
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {Promise<void> | null} */
    this.begun = null;
    /** Messages that were not answered yet. */
    this.waiting = 0;
    /** @type {((how: "ran" | "failed" | "stopped") => void) | null} */
    this.finished = null;
    this.fail = (/** @type {Error} */ _error) => {};
  }

  /** Every file of the runtime, at once. */
  async fetch() {
    const all = new Map();
    let [got, expected] = [0, 0];
    const named = [...RUNTIME.map((name) => `python/${name}`), "code/lesson_worker.js"];
    await Promise.all(named.map(async (path) => {
      let first = true;
      all.set(path.split("/").pop(), await this.files.file(path, (bytes, whole) => {
        if (first) expected += whole;
        first = false;
        got += bytes;
        this.listener.loading(got, Math.max(got, expected));
      }));
    }));
    return all;
  }

  /** @returns {Promise<void>} when Python listens; it fails when Python cannot be had, and is tried again the next time */
  ready() {
    this.begun ??= this.begin().catch((error) => {
      this.end();
      throw error;
    });
    return this.begun;
  }

  async begin() {
    this.fetched ??= this.fetch();
    const files = await this.fetched.catch((error) => {
      this.fetched = null;
      throw error;
    });
    // From an address of its own it is bound by the page's policy: no request leaves, whatever a cell says.
    const text = /** @type {Blob} */ (files.get("lesson_worker.js"));
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    this.worker = worker;
    await new Promise((done, fail) => {
      this.fail = fail;
      worker.onerror = (event) => fail(new Error(event.message || "the worker did not begin"));
      worker.onmessage = ({ data }) => {
        if (data.kind === "ready") done(undefined);
        else if (data.kind === "fault") fail(new Error(data.words));
        else this.hear(data);
      };
      this.post({ kind: "start", files, address: this.files.address, progress: this.progress() });
    });
    worker.onmessage = ({ data }) => this.hear(data);
  }

  /** @param {any} message */
  hear(message) {
    if (message.kind === "idle") {
      this.waiting -= 1;
      if (!this.waiting) this.listener.busy(false);
    } else if (message.kind === "done") this.finish(message.ok ? "ran" : "failed");
    else this.listener.heard(message);
  }

  /** @param {object} message */
  post(message) {
    this.waiting += 1;
    this.listener.busy(true);
    this.worker?.postMessage(message);
  }

  /** Run a cell. @param {string} cell @param {string} source @param {string} scenes its scenes, as JSON @returns {Promise<"ran" | "failed" | "stopped">} */
  run(cell, source, scenes) {
    return new Promise((done) => {
      this.finished = done;
      this.post({ kind: "run", cell, source, scenes });
    });
  }

  /** @param {"ran" | "failed" | "stopped"} how */
  finish(how) {
    const { finished } = this;
    this.finished = null;
    finished?.(how);
  }

  /** @param {string} model @param {object} content */
  tell(model, content) {
    this.post({ kind: "tell", model, content });
  }

  /** End it, whatever it is doing. */
  stop() {
    this.end();
    this.fail(new Error("it was stopped"));
    this.finish("stopped");
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
    this.begun = null;
    this.waiting = 0;
    this.listener.busy(false);
  }
}
