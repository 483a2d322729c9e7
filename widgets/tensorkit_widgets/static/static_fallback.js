// @ts-check
/**
 * The static picture is an output of its own, after the live view's. While the view is alive the picture is hidden; it
 * comes back when the view goes.
 */

const STILL = ".tk-still";

/**
 * @param {HTMLElement} el the live view's element
 * @returns {() => void} shows the picture again
 */
export function hideStill(el) {
  /** @type {HTMLElement | null} */
  let hidden = null;
  const look = () => {
    const output = el.closest(".jp-OutputArea-child, .output_area, .cell-output");
    const next = output?.nextElementSibling;
    if (!(next instanceof HTMLElement) || !next.querySelector(STILL)) return false;
    hidden = next;
    next.style.display = "none";
    return true;
  };
  // The picture's output arrives after the view's own: wait for it, but not for ever.
  let tries = 0;
  const wait = () => {
    tries += 1;
    if (!stopped && !look() && tries < 200) requestAnimationFrame(wait);
  };
  let stopped = false;
  wait();
  return () => {
    stopped = true;
    if (hidden) hidden.style.display = "";
  };
}
