// @ts-check
/** A picture that is taller or wider than its frame scrolls there: what is looked at stays in sight, and so does the storage. */

import { magnified } from "./dom.js";

/** The most of a frame that the storage at its edge may cover: beyond that it is scrolled to. */
const MOST = 0.6;

/** Two lines of text: no more is covered beyond what has to be. */
const MARGIN = 48;

/** What is as tall as this is no line of text, but a label on its side. */
const TALL = 32;

/** Where the lines of text of a picture begin and end. @type {WeakMap<SVGSVGElement, [number, number][]>} */
const known = new WeakMap();

/** Bring a part into the frame, without moving the page. @param {Element | null} part @param {HTMLElement | undefined} frame */
export function reveal(part, frame) {
  if (!part || !frame) return;
  const [inner, outer] = [part.getBoundingClientRect(), frame.getBoundingClientRect()];
  const low = lowest(part, frame, outer);
  const scale = magnified(frame);
  if (inner.top < outer.top + 8) frame.scrollTop += (inner.top - outer.top) / scale - 40;
  else if (inner.bottom > low - 8) frame.scrollTop += (inner.bottom - low) / scale + 60;
  if (inner.left < outer.left) frame.scrollLeft += (inner.left - outer.left) / scale - 30;
  else if (inner.right > outer.right) frame.scrollLeft += (inner.right - outer.right) / scale + 30;
}

/** Where what is in sight ends: at the frame's edge, or at the storage that floats over it. @param {Element} part @param {HTMLElement} frame @param {DOMRect} outer */
function lowest(part, frame, outer) {
  const floating = frame.querySelector(".tk-floating .tk-pinned-ground");
  return floating && !floating.parentElement?.contains(part) ? floating.getBoundingClientRect().top : outer.bottom;
}

/**
 * Hold the storage, which a picture has at its end, at the frame's lower edge while that end is out of sight.
 * @param {SVGSVGElement} svg
 * @param {HTMLElement | undefined} frame
 */
export function pin(svg, frame) {
  const part = /** @type {SVGGElement | null} */ (svg.querySelector(".tk-pinned"));
  const height = Number(svg.getAttribute("height"));
  if (!part || !frame) return;
  const scale = svg.getBoundingClientRect().height / height / magnified(frame);
  if (!scale) return;
  const top = Number(part.dataset.top);
  const needed = (height - top) * scale;
  const most = Number(part.dataset.most ?? Infinity) * frame.clientHeight;
  const covered = Math.min(needed, frame.clientHeight * MOST);
  const by = needed > most ? 0 : Math.max(0, top * scale - frame.scrollTop - (frame.clientHeight - covered)) / scale;
  part.classList.toggle("tk-floating", by > 0.5);
  if (by > 0.5) part.setAttribute("transform", `translate(0 ${(-by).toFixed(1)})`);
  else part.removeAttribute("transform");
  raise(part, top, height, by > 0.5 ? cutAt(svg, top - by) : 0);
}

/** Draw the edge of a floating part so much higher. @param {SVGGElement} part @param {number} top @param {number} height @param {number} by */
function raise(part, top, height, by) {
  const ground = part.querySelector(".tk-pinned-ground");
  ground?.setAttribute("y", String(top - by));
  ground?.setAttribute("height", String(height - top + by));
  part.querySelector(".tk-pinned-edge")?.setAttribute("transform", `translate(0 ${-by})`);
}

/** How much higher than this height no line of text is cut in two, or fewest are. @param {SVGSVGElement} svg @param {number} y */
function cutAt(svg, y) {
  const lines = known.get(svg) ?? linesOf(svg);
  known.set(svg, lines);
  const cuts = (/** @type {number} */ edge) => lines.filter(([from, to]) => from < edge && edge < to).length;
  const edges = [y, ...lines.map(([from]) => from).filter((from) => from < y && y - from <= MARGIN)];
  const least = Math.min(...edges.map(cuts));
  return y - /** @type {number} */ (edges.find((edge) => cuts(edge) === least));
}

/** Where the lines of text above the storage begin and end, the lowest first. @param {SVGSVGElement} svg @returns {[number, number][]} */
function linesOf(svg) {
  const { top, height } = svg.getBoundingClientRect();
  const scale = height / Number(svg.getAttribute("height"));
  const texts = [...svg.querySelectorAll("text")].filter((text) => !text.closest(".tk-pinned, .tk-tile"));
  const boxes = texts.map((text) => text.getBoundingClientRect()).map((box) => [box.top, box.bottom].map((at) => (at - top) / scale));
  const lying = /** @type {[number, number][]} */ (boxes.filter(([from, to]) => to - from < TALL));
  return lying.sort((one, other) => other[0] - one[0]);
}
