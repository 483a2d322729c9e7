// @ts-check
/**
 * Dimensions can be taken by their arrow and put onto another: that swaps them. With the pointer by dragging; with the
 * keyboard Enter picks one up, the arrow keys choose another, Enter swaps, Escape puts it back.
 *
 * @typedef {{ onSwap?: (a: number, b: number) => void, say?: (words: string) => void }} AxisOptions
 */

import { magnified, make, nearest, whole } from "./dom.js";

const AXIS = '[data-role="axis"]';

/**
 * @param {SVGSVGElement} svg
 * @param {AxisOptions} options
 * @param {AbortSignal} signal
 */
export function axes(svg, options, signal) {
  const all = () => /** @type {SVGGElement[]} */ ([...svg.querySelectorAll(AXIS)]);
  /** @type {{ dim: number, target: number | null, ghost: HTMLElement | null, id: number } | null} */
  let held = null;

  /** @param {number | null} target */
  const aim = (target) => {
    if (held) held.target = target;
    for (const axis of all()) axis.classList.toggle("tk-target", whole(axis.dataset.dim) === target);
  };

  const drop = () => {
    held?.ghost?.remove();
    for (const axis of all()) axis.classList.remove("tk-held", "tk-target");
    held = null;
  };

  /** @param {number} dim @param {number} id @param {HTMLElement | null} ghost */
  const pick = (dim, id, ghost) => {
    held = { dim, target: null, ghost, id };
    for (const axis of all()) axis.classList.toggle("tk-held", whole(axis.dataset.dim) === dim);
  };

  const swap = () => {
    const done = held;
    drop();
    if (done && done.target !== null && done.target !== done.dim) options.onSwap?.(done.dim, done.target);
  };

  svg.addEventListener(
    "pointerdown",
    (event) => {
      const axis = /** @type {SVGGElement | null} */ (nearest(event, AXIS));
      if (!axis || event.button !== 0) return;
      event.preventDefault();
      axis.focus({ preventScroll: true });
      const ghost = make("div", { class: "tk-ghost", "aria-hidden": "true" }, `dim ${axis.dataset.dim}`);
      ghost.classList.add(`tk-d${whole(axis.dataset.dim) % 8}`);
      svg.closest(".tk-root")?.append(ghost);
      pick(whole(axis.dataset.dim), event.pointerId, ghost);
      follow(event);
    },
    { signal },
  );

  /** @param {PointerEvent} event */
  const follow = (event) => {
    if (!held?.ghost || event.pointerId !== held.id) return;
    // Placed in the widget, not in the window: hosts that scroll by transforms move the window's own places.
    const around = held.ghost.parentElement?.getBoundingClientRect();
    const scale = magnified(held.ghost.parentElement);
    held.ghost.style.left = `${(event.clientX - (around?.left ?? 0)) / scale + 14}px`;
    held.ghost.style.top = `${(event.clientY - (around?.top ?? 0)) / scale + 14}px`;
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest(AXIS);
    const dim = under && svg.contains(under) ? whole(/** @type {SVGGElement} */ (under).dataset.dim) : null;
    aim(dim === held.dim ? null : dim);
  };

  document.addEventListener("pointermove", follow, { signal });
  document.addEventListener("pointerup", (event) => held?.ghost && event.pointerId === held.id && swap(), { signal });
  document.addEventListener("pointercancel", () => held?.ghost && drop(), { signal });
  signal.addEventListener("abort", drop);

  svg.addEventListener(
    "keydown",
    (event) => {
      const axis = /** @type {SVGGElement | null} */ (nearest(event, AXIS));
      if (!axis) return;
      const dims = all().map((part) => whole(part.dataset.dim)).sort((a, b) => a - b);
      const dim = whole(axis.dataset.dim);
      if (event.key === "Enter" || event.key === " ") {
        if (held && held.target !== null) {
          swap();
        } else if (dims.length > 1) {
          pick(dim, -1, null);
          aim(dims.find((other) => other !== dim) ?? null);
          options.say?.(`dimension ${dim} is picked up, onto dimension ${held?.target}: arrow keys choose another, Enter swaps, Escape puts it back`);
        }
      } else if (held && event.key.startsWith("Arrow")) {
        const others = dims.filter((other) => other !== held?.dim);
        const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : others.length - 1;
        aim(others[(others.indexOf(held.target ?? others[0]) + step) % others.length]);
        options.say?.(`onto dimension ${held.target}`);
      } else if (held && event.key === "Escape") {
        drop();
        options.say?.("put back");
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    },
    { signal },
  );
}
