// @ts-check
/** What is read from the back row: on the stage no label is too small, and a picture takes no more paper than it draws on. */

/** No label on the stage has fewer CSS pixels than these. */
export const LEGIBLE = 16;

/** The smallest label that is drawn, in units of the picture: with smaller ones a page that is still legible would not fit a projector. */
const LABEL = 13;

/** What a tile keeps free at the sides of its words. */
const RIM = 4;
/** What is left under a picture that is cut to what it draws. */
const FOOT = 4;

/** What was made larger, and the smallest label after that. @type {WeakMap<SVGSVGElement, { larger: SVGTextContentElement[], least: number }>} */
const known = new WeakMap();

/** Make the labels of a picture that are smaller than the others as large as those. @param {SVGSVGElement} svg @returns {number} the size of its smallest label; 0 where it has none */
export function enlarge(svg) {
  const found = known.get(svg);
  if (found) return found.least;
  const all = /** @type {SVGTextContentElement[]} */ ([...svg.querySelectorAll("text, tspan")]);
  const sizes = all.map((text) => (text.textContent?.trim() ? parseFloat(getComputedStyle(text).fontSize) : NaN));
  const larger = all.filter((_, k) => sizes[k] < LABEL);
  for (const text of larger) text.style.fontSize = `${LABEL}px`;
  for (const text of larger) squeeze(text);
  const least = Math.min(...sizes.filter((size) => size > 0).map((size) => Math.max(size, LABEL)));
  known.set(svg, { larger, least: Number.isFinite(least) ? least : 0 });
  return known.get(svg)?.least ?? 0;
}

/** Narrower letters, where a tile is narrower than its words are now. @param {SVGTextContentElement} text */
function squeeze(text) {
  const box = text.matches(".tk-number") ? text.closest(".tk-tile")?.querySelector("rect") : null;
  const [left, width] = ["x", "width"].map((side) => Number(box?.getAttribute(side)));
  const room = width - RIM - (text.matches(".tk-start") ? Number(text.getAttribute("x")) - left : 0);
  if (!(room > 0) || !text.getComputedTextLength || text.getComputedTextLength() <= room) return;
  text.setAttribute("textLength", room.toFixed(1));
  text.setAttribute("lengthAdjust", "spacingAndGlyphs");
}

/** The labels as they were drawn. @param {SVGSVGElement} svg */
export function plain(svg) {
  for (const text of known.get(svg)?.larger ?? []) {
    text.style.fontSize = "";
    for (const name of ["textLength", "lengthAdjust"]) text.removeAttribute(name);
  }
  known.delete(svg);
}

/** How high what a picture draws is; all of its height, where its end floats over it. @param {SVGSVGElement} svg @param {number} height */
export function drawnHeight(svg, height) {
  if (!svg.getBBox || svg.querySelector(".tk-pinned")) return height;
  const { y, height: high } = svg.getBBox();
  return high ? Math.min(height, Math.ceil(y + high + FOOT)) : height;
}
