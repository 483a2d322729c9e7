// @ts-check
/** A saved page of a board: every step waits in a template; hover, keyboard and steps without a kernel or a network. */

import { make, whole } from "./dom.js";
import { Layouts } from "./page_layouts.js";
import { speak } from "./live_region.js";

/** Bring the page to life. @param {import("./board.js").SceneClass} Scene what its pictures do @param {string} [style] its class */
export function stepPage(Scene, style = "") {
  const root = /** @type {HTMLElement} */ (document.querySelector(".tk-root"));
  const picture = /** @type {HTMLElement} */ (root.querySelector(".tk-picture"));
  const said = /** @type {HTMLElement} */ (root.querySelector(".tk-said"));
  const line = /** @type {HTMLElement} */ (root.querySelector(".tk-line"));
  /** @type {import("./board.js").Scene | null} */
  let scene = null;
  let at = 0;
  const layouts = new Layouts(picture, () => show(at));
  const last = layouts.steps.length - 1;
  root.classList.add("tk-board", ...style.split(" ").filter(Boolean));

  /** @param {number} step */
  function show(step) {
    at = Math.max(0, Math.min(step, last));
    const template = layouts.steps[at];
    const active = document.activeElement;
    const held = active instanceof SVGElement && picture.contains(active) ? active.dataset.key ?? active.dataset.vertex : undefined;
    const zoom = scene?.zoom ?? 0;
    scene?.dispose();
    picture.replaceChildren(document.importNode(template.content, true));
    const svg = /** @type {SVGSVGElement} */ (picture.querySelector("svg"));
    // What would ask a kernel is no button here.
    for (const tile of svg.querySelectorAll("[data-action]")) tile.removeAttribute("data-action");
    scene = new Scene(svg, {
      frame: picture,
      onStep: (how) => show({ step: at + 1, back: at - 1, run: last, reset: 0 }[how]),
      onAct: () => speak(said, picture, "A saved page has no kernel: unfold the run in the notebook and save again."),
      say: (words) => {
        speak(said, picture, words);
        root.dataset.focus = svg.querySelector(".tk-tile.tk-lit")?.getAttribute("data-key") ?? "";
      },
    }, zoom);
    scene.refocus(held);
    root.dataset.step = String(at);
    root.dataset.status = template.dataset.status;
    speak(said, picture, template.dataset.said ?? "");
    back.disabled = at === 0;
    next.disabled = at === last;
    scrub.value = String(at);
  }

  /** @param {"step" | "back"} role @param {string} label @param {number} by */
  function button(role, label, by) {
    const made = make("button", { type: "button", "data-role": role }, label);
    made.addEventListener("click", () => show(at + by));
    return made;
  }

  const back = button("back", "Back", -1);
  const next = button("step", "Step", 1);
  const scrub = make("input", { type: "range", min: 0, max: last, "data-role": "scrub", "aria-label": "step" });
  scrub.addEventListener("input", () => show(whole(scrub.value)));
  if (last > 0) line.append(back, next, scrub);
  show(whole(root.dataset.first));
}
