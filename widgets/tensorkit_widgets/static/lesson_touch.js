// @ts-check
/**
 * The first touch of a recorded picture or card: what was meant is found again in the live one that takes its place.
 *
 * @typedef {{ key?: string, words?: string, keyboard: boolean }} Touch the tile, or the option of a card, that was touched
 */

/** An option of a recorded card begins with its letter; live ones may be in another order. */
const LETTER = /^[A-Z]$/;

/** What the pointer is on. @param {MouseEvent} event @returns {Touch} */
export function touched(event) {
  const { target } = event;
  if (target instanceof HTMLImageElement) return { key: keyAt(target, event), keyboard: false };
  const line = target instanceof Element ? target.closest("p") : null;
  return { words: line ? wordsAt(line, event) : undefined, keyboard: false };
}

/**
 * The tile of a recorded picture at a place: the picture is laid over its image for a moment, and asked.
 * @param {HTMLImageElement} image @param {{ clientX: number, clientY: number }} place
 */
function keyAt(image, { clientX, clientY }) {
  const [head, body] = image.src.split(",");
  if (!head.startsWith("data:image/svg+xml;base64")) return undefined;
  const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
  const svg = new DOMParser().parseFromString(new TextDecoder().decode(bytes), "image/svg+xml").documentElement;
  const { left, top, width, height } = image.getBoundingClientRect();
  svg.setAttribute("style", `position: fixed; left: ${left}px; top: ${top}px; width: ${width}px; height: ${height}px; max-width: none; opacity: 0; z-index: 9`);
  const over = document.importNode(svg, true);
  document.body.append(over);
  const found = document.elementsFromPoint(clientX, clientY).map((part) => part.closest("[data-key]")).find(Boolean);
  over.remove();
  return found?.getAttribute("data-key") ?? undefined;
}

/** What an option says, to be compared. @param {string | null | undefined} text */
const plain = (text) => (text ?? "").replace(/\s+/g, "");

/** The words of the option that was touched: they follow its letter. @param {Element} line @param {MouseEvent} event */
function wordsAt(line, event) {
  const letters = [...line.querySelectorAll("strong")].filter((part) => LETTER.test(part.textContent ?? ""));
  const mine = letters.filter((part) => part.getBoundingClientRect().top <= event.clientY).at(-1);
  if (!mine) return undefined;
  const words = [];
  for (let next = mine.nextSibling; next && next.nodeName !== "BR"; next = next.nextSibling) words.push(next.textContent);
  return plain(words.join(""));
}

/**
 * Do in the live view what was done to the recorded one: light a tile, choose an option, or take the keyboard there.
 * @param {HTMLElement} live @param {Touch} touch
 */
export function again(live, { key, words, keyboard }) {
  const tile = key === undefined ? null : live.querySelector(`.tk-tile[data-key="${CSS.escape(key)}"]`);
  const option = [...live.querySelectorAll(".tk-option")].find((part) => words && plain(part.querySelector(".tk-letter + *")?.textContent) === words);
  if (tile) {
    for (const name of ["pointerover", "pointerdown", "pointerup"]) tile.dispatchEvent(new PointerEvent(name, { bubbles: true, pointerId: 1 }));
    tile.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    tile.scrollIntoView({ block: "nearest" }); // on a phone the controls are above the picture
  } else if (option) {
    /** @type {HTMLElement | null} */ (option.querySelector("input"))?.click();
    /** @type {HTMLElement | null} */ (option.querySelector("input"))?.focus({ preventScroll: true });
  } else if (keyboard) {
    const first = live.querySelector('.tk-picture [tabindex="0"]') ?? live.querySelector("input, button, [tabindex]");
    /** @type {HTMLElement | null} */ (first)?.focus({ preventScroll: true });
  }
}
