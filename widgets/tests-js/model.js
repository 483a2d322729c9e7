/** A model as anywidget hands it over, and Python's answers to what is sent. */
export class Model {
  constructor(frame) {
    this.frame = { ...structuredClone(frame), revision: 1 };
    this.sent = [];
    this.listeners = new Map();
  }
  get() {
    return this.frame;
  }
  on(event, act) {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), act]);
  }
  off(event, act) {
    this.listeners.set(event, (this.listeners.get(event) ?? []).filter((other) => other !== act));
  }
  send(message) {
    this.sent.push(message);
  }
  emit(event) {
    for (const act of this.listeners.get(event) ?? []) act();
  }
  /** Python answers the last message: another frame, or the same with other facts. */
  answer(facts = {}, frame = this.frame) {
    this.frame = { ...frame, revision: this.frame.revision + 1, serial: this.sent.at(-1)?.serial ?? null, facts: { ...frame.facts, ...facts } };
    this.emit("change:frame");
  }
}
