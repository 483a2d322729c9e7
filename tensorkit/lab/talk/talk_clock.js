// @ts-check
/**
 * The time of a talk: how much of each section has passed, and of the whole. It counts for the section in which the speaker is;
 * who goes back to an earlier one spends its minutes.
 *
 * @typedef {{ first: number, title: string, minutes: number }} Section ``first`` is the cell that it begins with
 * @typedef {{ spent: number[], at: number, since: number | null }} Kept
 * @typedef {{ title: string, minutes: number, left: number, talk: number, talkLeft: number, behind: number, running: boolean, begun: boolean }} Time
 *   all but the minutes in seconds; ``behind`` is negative for who is ahead
 */

export class TalkClock {
  /** @param {Section[]} sections @param {Kept | null} [kept] what `kept` gave: every page of a talk goes on from there */
  constructor(sections, kept = null) {
    this.sections = sections;
    const same = kept?.spent?.length === sections.length;
    this.spent = same && kept ? [...kept.spent] : sections.map(() => 0);
    this.at = same && kept ? kept.at : 0;
    /** @type {number | null} when it was last looked at, in milliseconds; null while it does not run */
    this.since = same && kept ? kept.since : null;
  }

  /** @returns {Kept} */
  get kept() {
    return { spent: [...this.spent], at: this.at, since: this.since };
  }

  /** The section of a cell; before the first one it is the first. @param {number} cell */
  sectionOf(cell) {
    let found = 0;
    this.sections.forEach(({ first }, k) => {
      if (first <= cell) found = k;
    });
    return found;
  }

  /** Let the time pass until now. @param {number} now in milliseconds */
  pass(now) {
    if (this.since === null) return;
    this.spent[this.at] += Math.max(0, now - this.since);
    this.since = now;
  }

  /** The speaker is at this cell. @param {number} cell @param {number} now @returns {boolean} whether that is another section */
  enter(cell, now) {
    this.pass(now);
    const before = this.at;
    this.at = this.sectionOf(cell);
    return this.at !== before;
  }

  /** Start, pause, go on. @param {number} now */
  toggle(now) {
    this.pass(now);
    this.since = this.since === null ? now : null;
  }

  /** Back to the beginning; it runs on if it ran. @param {number} now */
  again(now) {
    this.spent = this.sections.map(() => 0);
    if (this.since !== null) this.since = now;
  }

  /** @returns {Time} */
  get time() {
    const whole = (/** @type {number} */ seconds) => Math.round(seconds);
    const planned = this.sections.map(({ minutes }) => minutes * 60);
    const spent = this.spent.map((milliseconds) => milliseconds / 1000);
    const sum = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => a + b, 0);
    const passed = sum(spent);
    const ought = sum(planned.slice(0, this.at)) + Math.min(spent[this.at], planned[this.at]);
    const { title, minutes } = this.sections[this.at];
    return {
      title, minutes, left: whole(planned[this.at] - spent[this.at]), talk: sum(planned) / 60, talkLeft: whole(sum(planned) - passed),
      behind: whole(passed - ought), running: this.since !== null, begun: passed > 0 || this.since !== null,
    };
  }
}

/** Seconds as minutes and seconds, with a sign for those that are over. @param {number} seconds */
export function clockText(seconds) {
  const whole = Math.abs(seconds);
  return `${seconds < 0 ? "−" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Whether one is on time, within a quarter of a minute. @param {number} behind in seconds */
export function paceText(behind) {
  if (Math.abs(behind) < 15) return "on time";
  return behind > 0 ? `${clockText(behind)} behind` : `${clockText(-behind)} ahead`;
}
