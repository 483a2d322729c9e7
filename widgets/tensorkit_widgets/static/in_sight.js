// @ts-check
/** A picture that is taller or wider than its frame scrolls there: what is looked at stays in sight, and so does the storage. */

/** The most of a frame that the storage at its edge may cover: beyond that it is scrolled to. */
const MOST = 0.6;

/** Bring a part into the frame, without moving the page. @param {Element | null} part @param {HTMLElement | undefined} frame */
export function reveal(part, frame) {
  if (!part || !frame) return;
  const [inner, outer] = [part.getBoundingClientRect(), frame.getBoundingClientRect()];
  const low = lowest(part, frame, outer);
  if (inner.top < outer.top + 8) frame.scrollTop += inner.top - outer.top - 40;
  else if (inner.bottom > low - 8) frame.scrollTop += inner.bottom - low + 60;
  if (inner.left < outer.left) frame.scrollLeft += inner.left - outer.left - 30;
  else if (inner.right > outer.right) frame.scrollLeft += inner.right - outer.right + 30;
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
  const scale = svg.getBoundingClientRect().height / height;
  if (!part || !frame || !scale) return;
  const top = Number(part.dataset.top);
  const covered = Math.min((height - top) * scale, frame.clientHeight * MOST);
  const by = Math.max(0, top * scale - frame.scrollTop - (frame.clientHeight - covered)) / scale;
  part.classList.toggle("tk-floating", by > 0.5);
  if (by > 0.5) part.setAttribute("transform", `translate(0 ${(-by).toFixed(1)})`);
  else part.removeAttribute("transform");
}
