import { describe, expect, it } from "vitest";
import { layoutOf, meet, slotLayout } from "../tensorkit_widgets/static/reach.js";

/** Every slot of a layout, one by one. */
const slots = ({ offset, size, stride }) =>
  size.reduce((found, n, d) => found.flatMap((at) => Array.from({ length: n }, (_, i) => at + i * stride[d])), [offset]);

/** The same numbers every time. */
function* dice(seed) {
  for (let x = seed; ; ) {
    x = (x * 48271) % 2147483647;
    yield x;
  }
}

describe("which slots tensors read", () => {
  it("agrees with a list of the slots, for any strides", () => {
    const roll = dice(7);
    const pick = (n) => roll.next().value % n;
    const layout = () => {
      const dims = pick(4);
      return { offset: pick(30), size: Array.from({ length: dims }, () => pick(5)), stride: Array.from({ length: dims }, () => pick(15) - 7) };
    };
    let met = 0;
    for (let k = 0; k < 3000; k++) {
      const [a, b] = [layout(), layout()];
      const there = new Set(slots(b));
      const expected = slots(a).some((slot) => there.has(slot));
      expect(meet(a, b), JSON.stringify([a, b])).toBe(expected);
      expect(meet(b, a)).toBe(expected);
      const one = pick(40);
      expect(meet(a, slotLayout(one)), JSON.stringify([a, one])).toBe(slots(a).includes(one));
      met += Number(expected);
    }
    expect(met).toBeGreaterThan(200);
    expect(met).toBeLessThan(2800);
  });

  it("answers at once for tensors of any size", () => {
    const n = 1000;
    const cube = (offset, last) => ({ offset, size: [n, n, n, last], stride: [n * n * n, n * n, n, 1] });
    const began = performance.now();
    expect(meet(cube(0, 500), cube(500, 500))).toBe(false);
    expect(meet(cube(0, 501), cube(500, 500))).toBe(true);
    expect(meet({ offset: 0, size: [1e9], stride: [2] }, { offset: 1, size: [1e9], stride: [2] })).toBe(false);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it("reads what the picture says", () => {
    expect(layoutOf({ offset: "4", size: "2,2", stride: "2,-4" })).toEqual({ offset: 4, size: [2, 2], stride: [2, -4] });
    expect(layoutOf({ offset: "3", size: "", stride: "" })).toEqual(slotLayout(3));
  });
});
