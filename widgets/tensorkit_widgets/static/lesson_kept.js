// @ts-check
/**
 * What the browser keeps of a lesson: the cells that were changed, and the record of answers. It stays on this computer.
 *
 * @typedef {{ cells: Record<string, string>, revealed: string[], progress: string }} Record_
 */

/** @returns {Record_} */
const nothing = () => ({ cells: {}, revealed: [], progress: "" });

export class Kept {
  /** @param {string} lesson */
  constructor(lesson) {
    this.name = `tensorkit ${lesson}`;
    this.now = nothing();
    try {
      Object.assign(this.now, JSON.parse(localStorage.getItem(this.name) ?? "{}"));
    } catch {
      // The browser keeps nothing for this page, or what it kept is no record: the lesson begins as it was written.
    }
  }

  get empty() {
    return JSON.stringify(this.now) === JSON.stringify(nothing());
  }

  /** @param {Partial<Record_>} changes */
  change(changes) {
    Object.assign(this.now, changes);
    try {
      localStorage.setItem(this.name, JSON.stringify(this.now));
    } catch {
      // It lasts for as long as the page is open.
    }
  }

  forget() {
    this.now = nothing();
    try {
      localStorage.removeItem(this.name);
    } catch {
      // Nothing was kept.
    }
  }
}
