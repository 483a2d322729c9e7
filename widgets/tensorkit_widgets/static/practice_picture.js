// @ts-check
/**
 * A prediction given in its picture: a slot, the way from one slot to another, or some elements. What is chosen is written
 * into the card's own box, where it can also be typed: Python hears of nothing else.
 */

const SVG = "http://www.w3.org/2000/svg";

/** @param {Element} tile */
const slotOf = (tile) => Number((/** @type {SVGElement} */ (tile).dataset.key ?? "").split(":").at(-1));

/** @param {Element} tile */
const numberOf = (tile) => Number(/** @type {SVGElement} */ (tile).dataset.full);

/**
 * @param {HTMLElement} root
 * @param {(text: string) => void} say
 */
export function picture(root, say) {
  /** The slots of a step: where it starts, and where it ends. @type {number[]} */
  let ends = [];

  const board = () => /** @type {HTMLElement | null} */ (root.querySelector(".tk-pick[data-pick]"));
  const box = () => /** @type {HTMLInputElement | null} */ (root.querySelector("input[type=text]"));
  const tiles = () => /** @type {SVGElement[]} */ ([...(board()?.querySelectorAll(".tk-tile") ?? [])]);
  const written = () => (box()?.value.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);

  /** @param {SVGElement} tile */
  const isChosen = (tile) => {
    const pick = board()?.dataset.pick;
    if (pick === "step") return ends.includes(slotOf(tile));
    return written().includes(pick === "cells" ? numberOf(tile) : slotOf(tile));
  };

  /** An arrow from the slot where the step starts to the one where it ends. */
  const draw = () => {
    const svg = board()?.querySelector("svg");
    svg?.querySelector(".tk-way")?.remove();
    if (!svg || ends.length < 2) return;
    const [from, to] = ends.map((slot) => tiles().find((tile) => slotOf(tile) === slot)?.querySelector("rect"));
    if (!from || !to) return;
    const middle = (/** @type {Element} */ one) => Number(one.getAttribute("x")) + Number(one.getAttribute("width")) / 2;
    const [x1, x2, y] = [middle(from), middle(to), Number(from.getAttribute("y")) - 2];
    const arrow = document.createElementNS(SVG, "path");
    const [x, top] = [(x1 + x2) / 2, y - Math.min(58, 22 + Math.abs(x2 - x1) / 6)];
    const way = Math.atan2(y - top, x2 - x);
    const barb = (/** @type {number} */ turn) => `M${x2} ${y}L${x2 - 11 * Math.cos(way + turn)} ${y - 11 * Math.sin(way + turn)}`;
    arrow.setAttribute("class", "tk-way");
    arrow.setAttribute("aria-hidden", "true");
    arrow.setAttribute("d", `M${x1} ${y}Q${x} ${top} ${x2} ${y}${barb(0.45)}${barb(-0.45)}`);
    svg.append(arrow);
  };

  /** Mark what is chosen: what stands in the box. */
  const dress = () => {
    if (!board()) return;
    const [from, to] = ends;
    if (ends.length === 2 && written()[0] !== to - from) ends = [];
    for (const tile of tiles()) {
      const on = isChosen(tile);
      tile.classList.toggle("tk-lit", on);
      tile.setAttribute("aria-selected", String(on));
    }
    draw();
  };

  /** @param {string} text @param {string} said */
  const write = (text, said) => {
    const entry = box();
    if (entry) entry.value = text;
    dress();
    say(said);
  };

  /** @param {SVGElement} tile */
  const choose = (tile) => {
    const pick = board()?.dataset.pick;
    if (pick === "cells") {
      const number = numberOf(tile);
      const taken = new Set(written());
      if (!taken.delete(number)) taken.add(number);
      const row = tiles().map(numberOf).filter((one) => taken.has(one));
      write(row.join(", "), `${tile.getAttribute("aria-label")}, ${taken.has(number) ? "chosen" : "taken out"}. ${row.length} chosen.`);
    } else if (pick === "step") {
      ends = ends.length === 1 ? [...ends, slotOf(tile)] : [slotOf(tile)];
      const [from, to] = ends;
      if (to === undefined) write("", `from slot ${from}; now the slot where the step ends.`);
      else write(String(to - from), `from slot ${from} to slot ${to}: ${to - from}.`);
    } else write(String(slotOf(tile)), `slot ${slotOf(tile)} chosen.`);
  };

  /** @param {SVGElement} tile @param {string} key */
  const next = (tile, key) => {
    const all = tiles();
    const at = all.indexOf(tile);
    if (key === "Home" || key === "End") return all[key === "Home" ? 0 : all.length - 1];
    if (key === "ArrowLeft" || key === "ArrowRight") return all[at + (key === "ArrowLeft" ? -1 : 1)];
    const row = tile.parentElement;
    const column = row ? [...row.children].indexOf(tile) : 0;
    const other = key === "ArrowUp" ? row?.previousElementSibling : row?.nextElementSibling;
    return /** @type {SVGElement | undefined} */ (other?.children[column]);
  };

  /** @param {Event} event */
  const tileOf = (event) => {
    const tile = event.target instanceof Element ? event.target.closest(".tk-tile") : null;
    return tile instanceof SVGElement && board()?.contains(tile) ? tile : null;
  };

  /** @param {MouseEvent} event */
  const onClick = (event) => {
    const tile = tileOf(event);
    if (!tile) return;
    go(tile);
    choose(tile);
  };

  /** @param {SVGElement} tile */
  const go = (tile) => {
    for (const one of tiles()) one.setAttribute("tabindex", one === tile ? "0" : "-1");
    tile.focus({ preventScroll: true });
  };

  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    const tile = tileOf(event);
    if (!tile || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") choose(tile);
    else if (/^(Arrow|Home$|End$)/.test(event.key)) {
      const to = next(tile, event.key);
      if (to) go(to);
    } else return;
    event.preventDefault();
  };

  root.addEventListener("click", onClick);
  root.addEventListener("keydown", onKey);
  root.addEventListener("input", dress);
  return { dress };
}
