// @ts-check
/**
 * Carries what the learner does to Python, one message at a time, and measures how long the answer takes.
 *
 * While an answer is awaited, a newer message of a sliding kind (a slider, a dial, a move of the window) takes the place
 * of an older one that was not yet sent, so dragging never builds up a queue.
 *
 * @typedef {{ kind: string, sliding?: boolean, [key: string]: unknown }} Message
 */

const SLIDING = new Set(["look", "room"]);
/** From then on an answer is seen to be awaited, in milliseconds; from then on it is late. */
const WAITING = 150;
const SLOW = 4000;
let views = 0;

export class MessageQueue {
  /**
   * @param {(message: Message & { serial: number }) => void} send
   * @param {(slow: boolean) => void} onSlow called when an answer is late, and when it comes after all
   * @param {(waiting: boolean) => void} [onWaiting] called when an answer does not come at once, and when it comes
   */
  constructor(send, onSlow, onWaiting = () => {}) {
    this.send = send;
    this.onSlow = onSlow;
    this.onWaiting = onWaiting;
    views += 1;
    this.serial = (Math.floor(Math.random() * 1000) * 1000 + views) * 100000;
    /** @type {Message[]} */
    this.queue = [];
    this.awaited = 0;
    /** The kind of the message whose answer is awaited. */
    this.kind = "";
    this.sentAt = 0;
    this.late = false;
    /** @type {ReturnType<typeof setTimeout>[]} */
    this.timers = [];
  }

  /** @param {Message} message */
  post(message) {
    const last = this.queue.at(-1);
    if (last && (message.sliding || SLIDING.has(message.kind)) && ["kind", "dim", "name"].every((mark) => last[mark] === message[mark])) this.queue.pop();
    this.queue.push(message);
    this.next();
  }

  next() {
    if (this.awaited) return;
    const message = this.queue.shift();
    if (!message) return;
    this.serial += 1;
    this.awaited = this.serial;
    this.kind = message.kind;
    this.sentAt = performance.now();
    this.timers = [setTimeout(() => this.onWaiting(true), WAITING), setTimeout(() => this.slow(true), SLOW)];
    this.send({ ...message, serial: this.serial });
  }

  /** Whether a message of this kind waits to be sent or to be answered. @param {string} kind */
  carries(kind) {
    return (this.awaited > 0 && this.kind === kind) || this.queue.some((message) => message.kind === kind);
  }

  /** Whether this message is the one whose answer is awaited. @param {number | null} serial */
  awaits(serial) {
    return this.awaited > 0 && serial === this.awaited;
  }

  /** @param {boolean} late */
  slow(late) {
    if (late !== this.late) this.onSlow(late);
    this.late = late;
  }

  /**
   * A frame has been painted.
   * @param {number | null} serial the message that it answers
   * @returns {number | null} milliseconds from the message to the painted picture
   */
  painted(serial) {
    if (!this.awaits(serial)) return null;
    const took = performance.now() - this.sentAt;
    this.release();
    return took;
  }

  /** Wait no longer for the answer to the last message, and go on. */
  release() {
    this.stop();
    this.slow(false);
    this.awaited = 0;
    this.next();
    // What follows at once is still the same wait.
    if (!this.awaited) this.onWaiting(false);
  }

  stop() {
    for (const timer of this.timers) clearTimeout(timer);
  }

  dispose() {
    this.stop();
    this.queue = [];
  }
}
