import { beforeEach, describe, expect, it } from "vitest";
import { drawnHeight, enlarge, plain } from "../tensorkit_widgets/static/stage_type.js";

describe("what is read from the back row", () => {
  let svg;
  const sizes = () => [...svg.querySelectorAll("text, tspan")].map((text) => text.style.fontSize || text.getAttribute("font-size"));

  beforeEach(() => {
    document.body.innerHTML = `<style>.tk-tiny { font-size: 8px; }</style><svg width="960" height="400"><g class="tk-tile"><rect width="40"/><text class="tk-number tk-tiny">1024</text></g>
      <text style="font-size: 11px">0</text><text style="font-size: 20px">12<tspan style="font-size: 12px">.5</tspan></text><text style="font-size: 5px"> </text></svg>`;
    svg = document.querySelector("svg");
  });

  it("makes small labels as large as the others, and says how large the smallest is", () => {
    expect(enlarge(svg)).toBe(13);
    expect(sizes()).toEqual(["13px", "13px", "20px", "13px", "5px"]);
    svg.querySelector("text").style.fontSize = "30px";
    expect([enlarge(svg), sizes()[0]], "once for each picture").toEqual([13, "30px"]);
  });

  it("says how large the smallest is where none is small, and nothing where there are no words", () => {
    svg.innerHTML = '<text style="font-size: 15px">a</text>';
    expect(enlarge(svg)).toBe(15);
    const empty = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    expect(enlarge(empty)).toBe(0);
  });

  it("makes the letters of a tile narrower that has no room for larger ones", () => {
    const text = svg.querySelector(".tk-number");
    text.getComputedTextLength = () => 52;
    enlarge(svg);
    expect([text.getAttribute("textLength"), text.getAttribute("lengthAdjust")]).toEqual(["36.0", "spacingAndGlyphs"]);
    expect(svg.querySelectorAll("[textLength]")).toHaveLength(1);
    plain(svg);
    text.classList.add("tk-start");
    text.setAttribute("x", "10");
    enlarge(svg);
    expect(text.getAttribute("textLength"), "from where it begins").toBe("26.0");
    plain(svg);
    expect(svg.querySelectorAll("[textLength]")).toHaveLength(0);
    expect(text.style.fontSize, "as it was drawn").toBe("");
  });

  it("cuts a picture to what it draws, but never the storage at its end", () => {
    svg.getBBox = () => ({ x: 0, y: 10, width: 500, height: 290 });
    expect(drawnHeight(svg, 400)).toBe(304);
    expect(drawnHeight(svg, 302)).toBe(302);
    svg.querySelector("g").classList.add("tk-pinned");
    expect(drawnHeight(svg, 400)).toBe(400);
  });
});
