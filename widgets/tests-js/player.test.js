import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Player } from "../tensorkit_widgets/static/player.js";

describe("a film of steps", () => {
  let root;
  let sent;
  let player;
  /** Python answers what was asked for last. */
  const answer = () => player.shown(sent.at(-1).value, 2, "two words");
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

  beforeEach(() => {
    vi.useFakeTimers();
    root = document.createElement("div");
    document.body.replaceChildren(root);
    sent = [];
    player = new Player(root, (message) => sent.push(message));
    root.append(player.button);
    player.shown(0, 2, "first");
  });
  afterEach(() => vi.useRealTimers());

  it("goes step by step, waits for each, and ends with the last", () => {
    expect(root.dataset.playing).toBe("false");
    player.button.click();
    expect(sent).toEqual([{ kind: "goto", value: 1 }]);
    vi.runAllTimers();
    expect(sent, "the picture has not come").toHaveLength(1);
    answer();
    expect(player.button.textContent).toBe("Pause");
    vi.advanceTimersByTime(1000);
    expect(sent, "there is time to read").toHaveLength(1);
    vi.runAllTimers();
    expect(sent.at(-1)).toEqual({ kind: "goto", value: 2 });
    answer();
    expect(root.dataset.playing).toBe("false");
    vi.runAllTimers();
    expect(sent).toHaveLength(2);
  });

  it("begins again from before the first when it is played at the end", () => {
    player.shown(2, 2, "last");
    player.button.click();
    expect(sent).toEqual([{ kind: "goto", value: 0 }]);
    answer();
    vi.runAllTimers();
    expect(sent.at(-1)).toEqual({ kind: "goto", value: 1 });
  });

  it("is paused by its button, and by Space anywhere in the picture", () => {
    const other = document.createElement("button");
    root.append(other);
    for (const pause of [() => player.button.click(), () => press(other, " ")]) {
      player.shown(0, 2, "first");
      player.button.click();
      answer();
      pause();
      expect(root.dataset.playing).toBe("false");
      const before = sent.length;
      vi.runAllTimers();
      expect(sent).toHaveLength(before);
    }
    const free = new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true });
    other.dispatchEvent(free);
    expect(free.defaultPrevented, "nothing plays: Space is the button's own").toBe(false);
  });

  it("stops where the learner goes to another step, and not where the picture is only laid out again", () => {
    player.button.click();
    answer();
    player.shown(1, 2, "two words");
    expect(player.playing).toBe(true);
    player.shown(0, 2, "first");
    expect(player.playing).toBe(false);
  });

  it("is not there where there is nothing to play", () => {
    player.shown(0, 0, "");
    expect(player.button.hidden).toBe(true);
  });
});
