// @ts-check
/** The line under a picture: what was said last. It is read out; it is seen where the picture does not say the same. */

/** @param {string | null} text */
const letters = (text) => (text ?? "").replace(/\s+/g, "");

/**
 * Say words in the live region of a picture. Words of which every part stands in the picture too, in however many lines, are
 * for screen readers only.
 * @param {HTMLElement} line
 * @param {HTMLElement} picture
 * @param {string} words
 */
export function speak(line, picture, words) {
  line.textContent = words;
  const parts = words.split(/[.:;](?:\s+|$)/).map(letters).filter(Boolean);
  const drawn = parts.length ? letters([...picture.querySelectorAll("svg text")].map((text) => text.textContent).join("")) : "";
  line.classList.toggle("tk-drawn", parts.length > 0 && parts.every((part) => drawn.includes(part)));
}
