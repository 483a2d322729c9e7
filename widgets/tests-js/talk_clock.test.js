import { beforeEach, describe, expect, it } from "vitest";
import { TalkClock, clockText, paceText } from "../../tensorkit/lab/talk/talk_clock.js";

const SECTIONS = [{ first: 0, title: "one", minutes: 6 }, { first: 4, title: "two", minutes: 8 }, { first: 9, title: "three", minutes: 1 }];
const MINUTE = 60_000;

describe("the clock of a talk", () => {
  let clock;
  let now;
  const pass = (minutes) => {
    now += minutes * MINUTE;
    clock.pass(now);
    return clock.time;
  };

  beforeEach(() => {
    clock = new TalkClock(SECTIONS);
    now = 1_000_000;
  });

  it("waits until it is started", () => {
    expect(pass(3)).toMatchObject({ left: 360, talk: 15, talkLeft: 900, behind: 0, running: false, begun: false });
    clock.toggle(now);
    expect(pass(2)).toMatchObject({ title: "one", minutes: 6, left: 240, talkLeft: 780, behind: 0, running: true, begun: true });
  });

  it("stops while it is paused", () => {
    clock.toggle(now);
    pass(1);
    clock.toggle(now);
    expect(pass(10)).toMatchObject({ left: 300, running: false, begun: true });
    clock.toggle(now);
    expect(pass(1).left).toBe(240);
  });

  it("knows the section of each cell, and spends the minutes of that one", () => {
    expect([0, 3, 4, 8, 9, 99].map((cell) => clock.sectionOf(cell))).toEqual([0, 0, 1, 1, 2, 2]);
    clock.toggle(now);
    pass(4);
    clock.enter(5, now);
    expect(clock.time).toMatchObject({ title: "two", left: 480, behind: -120 });
    expect(pass(1)).toMatchObject({ left: 420, behind: -120 });
    clock.enter(3, now); // back to the first: its minutes go on
    expect(pass(3)).toMatchObject({ title: "one", left: -60, talkLeft: 420, behind: 120 });
  });

  it("says when the speaker has come to another section", () => {
    expect([3, 4, 8, 2].map((cell) => clock.enter(cell, now))).toEqual([false, true, false, true]);
  });

  it("is behind by what a section took too long, and by what the ones before did", () => {
    clock.toggle(now);
    expect(pass(7)).toMatchObject({ left: -60, behind: 60 });
    clock.enter(4, now);
    expect(pass(2)).toMatchObject({ left: 360, behind: 60 });
    clock.enter(9, now);
    expect(clock.time.behind, "the second section took six minutes less").toBe(-300);
    expect(pass(8)).toMatchObject({ left: -420, talkLeft: -120 });
  });

  it("goes on when the page is loaded again, and begins anew with other sections", () => {
    clock.toggle(now);
    pass(2);
    clock.enter(4, now);
    const kept = JSON.parse(JSON.stringify(clock.kept));
    clock = new TalkClock(SECTIONS, kept);
    expect(pass(1)).toMatchObject({ title: "two", left: 420, talkLeft: 720, running: true });
    expect(new TalkClock(SECTIONS.slice(1), kept).time).toMatchObject({ begun: false, left: 480 });
    expect(new TalkClock(SECTIONS, null).time.begun).toBe(false);
    expect(new TalkClock(SECTIONS, { spent: "x" }).time.begun).toBe(false);
  });

  it("begins again, running if it ran", () => {
    clock.toggle(now);
    pass(5);
    clock.again(now);
    expect(pass(1)).toMatchObject({ left: 300, running: true });
    clock.toggle(now);
    clock.again(now);
    expect(pass(1)).toMatchObject({ left: 360, running: false, begun: false });
  });

  it("never goes back when the machine's time does", () => {
    clock.toggle(now);
    pass(1);
    expect(pass(-30).left).toBe(300);
    expect(pass(1).left).toBe(240);
  });

  it("is read at a glance", () => {
    expect([0, 5, 65, 600, -5, -125].map(clockText)).toEqual(["0:00", "0:05", "1:05", "10:00", "−0:05", "−2:05"]);
    expect([0, 14, -14, 15, 80, -100].map(paceText)).toEqual(["on time", "on time", "on time", "0:15 behind", "1:20 behind", "1:40 ahead"]);
  });
});
