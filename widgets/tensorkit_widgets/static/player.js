// @ts-check
/**
 * Plays the steps of a picture like a film: a button that plays and pauses, and Space anywhere in the picture pauses too.
 * Each step stays for as long as its sentence takes to be read. It ends with the last step, and whenever the learner goes
 * to another one. It begins when it is pressed and never by itself; what moves within a step is up to the style sheets,
 * which heed `prefers-reduced-motion`.
 */

import { make } from "./dom.js";

/** Milliseconds: the least that a step stays, for each word of its sentence, and the most. */
const LEAST = 1200;
const WORD = 110;
const MOST = 5000;
/** A film of more steps than this goes faster, and is not much longer. */
const STEPS = 16;

export class Player {
  /** @param {HTMLElement} root @param {(message: import("./message_queue.js").Message) => void} post */
  constructor(root, post) {
    this.root = root;
    this.post = post;
    this.step = this.steps = 0;
    this.said = "";
    /** @type {number | null} the step that was asked for and is not shown yet */
    this.asked = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.playing = false;
    this.button = make("button", { type: "button", "data-role": "play" });
    this.button.addEventListener("click", () => (this.playing ? this.stop() : this.play()));
    root.addEventListener("keydown", (event) => {
      if (event.key !== " " || !this.playing || event.target === this.button) return;
      this.stop();
      event.preventDefault();
      event.stopPropagation();
    }, true);
    this.label();
  }

  label() {
    this.button.textContent = this.playing ? "Pause" : "Play";
    this.button.title = this.playing ? "pause (Space)" : "play the steps one after the other";
    this.root.dataset.playing = String(this.playing);
  }

  play() {
    this.playing = true;
    this.label();
    this.go(this.step < this.steps ? this.step + 1 : 0);
  }

  /** @param {number} step */
  go(step) {
    this.asked = step;
    this.post({ kind: "goto", value: step });
  }

  stop() {
    clearTimeout(this.timer);
    this.asked = null;
    this.playing = false;
    this.label();
  }

  /** A frame was painted. @param {number} step @param {number} steps @param {string} said */
  shown(step, steps, said) {
    const before = this.step;
    Object.assign(this, { step, steps, said });
    this.button.hidden = steps === 0;
    if (!this.playing) return;
    if (step === this.asked) {
      this.asked = null;
      if (step >= steps) this.stop();
      else this.wait();
    } else if (step !== before) this.stop(); // the learner went elsewhere
  }

  wait() {
    clearTimeout(this.timer);
    const length = Math.min(MOST, LEAST + WORD * this.said.split(" ").length);
    this.timer = setTimeout(() => this.go(this.step + 1), length / Math.max(1, this.steps / STEPS));
  }
}
