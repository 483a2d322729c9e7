import { describe, expect, it } from "vitest";
import { layoutOf, meet, slotLayout, slotOfTile } from "../tensorkit_widgets/static/byte_overlap.js";

/** Every byte of a layout, one by one. */
const bytes = ({ offset, size, stride, item }) =>
  [...size.map((n, d) => [n, stride[d] * item]), [item, 1]].reduce((found, [n, step]) => found.flatMap((at) => Array.from({ length: n }, (_, i) => at + i * step)), [offset * item]);

/** The same numbers every time. */
function* dice(seed) {
  for (let x = seed; ; ) {
    x = (x * 48271) % 2147483647;
    yield x;
  }
}

describe("which bytes tensors read", () => {
  it("agrees with a list of the bytes, for any strides and any two dtypes", () => {
    const roll = dice(7);
    const pick = (n) => roll.next().value % n;
    // Twelve: the long doubles of 32-bit machines.
    const layout = () => {
      const [dims, item] = [pick(4), [1, 2, 4, 8, 12, 16][pick(6)]];
      return { offset: pick(Math.ceil(120 / item)), size: Array.from({ length: dims }, () => (pick(12) ? 1 + pick(4) : 0)), stride: Array.from({ length: dims }, () => pick(15) - 7), item };
    };
    let [met, same] = [0, 0];
    for (let k = 0; k < 2000; k++) {
      const [a, b] = [layout(), layout()];
      const there = new Set(bytes(b));
      const expected = bytes(a).some((byte) => there.has(byte));
      expect(meet(a, b), JSON.stringify([a, b])).toBe(expected);
      expect(meet(b, a)).toBe(expected);
      const one = slotLayout(pick(40), [1, 2, 4, 8, 16][pick(5)]);
      expect(meet(a, one), JSON.stringify([a, one])).toBe(bytes(a).some((byte) => bytes(one).includes(byte)));
      met += Number(expected);
      same += Number(a.item === b.item);
    }
    expect(met).toBeGreaterThan(400);
    expect(met).toBeLessThan(1600);
    expect(same).toBeGreaterThan(200);
  });

  it("finds every smaller slot in a larger one, and the larger one around each", () => {
    const inside = (large, small) => Array.from({ length: 40 }, (_, at) => at).filter((at) => meet(slotLayout(at, small), large));
    expect(inside(slotLayout(1, 4), 2), "float32 in int16").toEqual([2, 3]);
    expect(inside(slotLayout(1, 16), 8), "complex128 in float64").toEqual([2, 3]);
    expect(inside(slotLayout(1, 16), 1), "complex128 in bool").toEqual(Array.from({ length: 16 }, (_, k) => 16 + k));
    expect(inside(slotLayout(5, 2), 4), "int16 in float32").toEqual([2]);
    expect(inside({ offset: 1, size: [3], stride: [2], item: 2 }, 4), "an odd start").toEqual([0, 1, 2]);
    expect(inside({ offset: 0, size: [0], stride: [1], item: 1 }, 16), "nothing").toEqual([]);
  });

  it("answers at once for tensors of any size", () => {
    const n = 1000;
    const cube = (offset, last, item) => ({ offset, size: [n, n, n, last], stride: [n * n * n, n * n, n, 1], item });
    const rows = (offset, size, stride, item) => ({ offset, size, stride, item });
    const began = performance.now();
    expect(meet(cube(0, 500, 4), cube(500, 500, 4))).toBe(false);
    expect(meet(cube(0, 501, 4), cube(500, 500, 4))).toBe(true);
    expect(meet(rows(0, [1e9], [2], 4), rows(1, [1e9], [2], 4))).toBe(false);
    // Of two dtypes: columns that lie between the other's, though their rows are not of one length.
    expect(meet(rows(0, [1e9], [6], 4), rows(2, [1e9], [8], 2))).toBe(false);
    expect(meet(rows(0, [1e8, 2], [12, 1], 4), rows(4, [1e8, 4], [16, 1], 2))).toBe(false);
    expect(meet(rows(0, [1e8, 2], [12, 1], 4), rows(3, [1e8, 4], [16, 1], 2))).toBe(true);
    // The short rows in between have gaps of their own.
    expect(meet(rows(0, [1e8], [14], 8), rows(1, [1e7, 5], [56, 8], 16))).toBe(false);
    expect(meet(rows(0, [1e8], [14], 8), rows(3, [1e7, 5], [56, 8], 16))).toBe(true);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it("reads what the picture says", () => {
    expect(layoutOf({ offset: "4", size: "2,2", stride: "2,-4", item: "8" })).toEqual({ offset: 4, size: [2, 2], stride: [2, -4], item: 8 });
    expect(layoutOf({ offset: "3", size: "", stride: "", item: "1" })).toEqual(slotLayout(3, 1));
    expect(slotOfTile({ slot: "3", item: "1" })).toEqual(slotLayout(3, 1));
    expect(slotOfTile({ slot: "3" }), "a picture of the past is linked with nothing").toBe(null);
  });
});
