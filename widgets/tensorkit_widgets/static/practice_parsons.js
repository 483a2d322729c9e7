// @ts-check
/**
 * Lines of a program that are put in order: by keyboard, by buttons, by dragging. Only the numbers of the lines and
 * their indentation are sent; Python draws what it then knows.
 */

const STEP_PX = 32;
const SLACK_PX = 5;

/**
 * @param {HTMLElement} root
 * @param {(order: string) => void} send
 * @param {(text: string) => void} say
 */
export function puzzle(root, send, say) {
  /** @type {string} the line that the keys and the buttons act on */
  let current = "";
  /** @type {{ line: string, order: string } | null} a line that was picked up, and the order before that */
  let picked = null;
  /** @type {{ line: HTMLElement, x: number, y: number, indent: number, moved: boolean, order: string } | null} */
  let drag = null;
  let unanswered = 0;

  const board = () => /** @type {HTMLElement | null} */ (root.querySelector(".tk-lines"));
  const all = () => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".tk-line")]);
  /** @param {string} name */
  const zone = (name) => /** @type {HTMLElement} */ (root.querySelector(`[data-zone="${name}"]`));
  /** @param {string} name */
  const within = (name) => /** @type {HTMLElement[]} */ ([...zone(name).querySelectorAll(".tk-line")]);
  /** @param {Element} line */
  const isIn = (line) => zone("program").contains(line);
  /** @param {string | undefined} number */
  const find = (number) => all().find((line) => line.dataset.line === number);
  const deepest = () => Number(board()?.dataset.deepest ?? 0);
  const order = () => within("program").map((line) => `${line.dataset.line}:${line.dataset.indent}`).join(" ");

  /** @param {HTMLElement} line */
  const codeOf = (line) => line.querySelector("code")?.textContent ?? "";

  /**
   * Where a line is now, in words.
   * @param {HTMLElement} line
   */
  const whereabouts = (line) => {
    if (!isIn(line)) return "among the lines to choose from";
    const mine = within("program");
    const indent = Number(line.dataset.indent);
    const indented = deepest() ? `, indented by ${indent}` : "";
    return `place ${mine.indexOf(line) + 1} of ${mine.length} in your program${indented}`;
  };

  /** One line can be reached by Tab; a line that is picked up is the selected one. */
  const dress = () => {
    const lines = all();
    if (!lines.length) return;
    if (!find(current)) current = (within("program")[0] ?? lines[0]).dataset.line ?? "";
    if (picked && !find(picked.line)) picked = null;
    for (const line of lines) {
      line.tabIndex = line.dataset.line === current ? 0 : -1;
      line.classList.toggle("tk-current", line.dataset.line === current);
      const held = picked?.line === line.dataset.line || (drag?.moved && drag.line === line);
      line.classList.toggle("tk-picked", Boolean(held));
      line.setAttribute("aria-selected", String(Boolean(held)));
    }
  };

  const settle = () => {
    const frame = board();
    const now = order();
    if (frame && frame.dataset.order !== now) {
      frame.dataset.order = now;
      unanswered += 1;
      send(now);
    }
    dress();
  };

  /**
   * @param {HTMLElement} line
   * @param {number} indent
   */
  const indentTo = (line, indent) => {
    const wanted = isIn(line) ? Math.min(Math.max(indent, 0), deepest()) : 0;
    line.dataset.indent = String(wanted);
    line.style.setProperty("--tk-indent", String(wanted));
  };

  /**
   * Put a line back among the others, where its number says.
   * @param {HTMLElement} line
   */
  const putBack = (line) => {
    const next = within("rest").find((other) => other !== line && Number(other.dataset.line) > Number(line.dataset.line));
    zone("rest").insertBefore(line, next ?? null);
    indentTo(line, 0);
  };

  /** @param {HTMLElement} line */
  const takeIn = (line) => {
    const last = within("program").at(-1);
    zone("program").append(line);
    // A line after one that ends in a colon most often belongs into its block.
    indentTo(line, last ? Number(last.dataset.indent) + Number(codeOf(last).endsWith(":")) : 0);
  };

  /**
   * One step up or down; the last line of the program's neighbour below is the pool.
   * @param {HTMLElement} line
   * @param {1 | -1} way
   */
  const shift = (line, way) => {
    const mine = within("program");
    const at = mine.indexOf(line);
    if (at < 0) {
      if (way < 0) takeIn(line);
    } else if (way < 0) {
      if (at > 0) mine[at - 1].before(line);
    } else if (at < mine.length - 1) mine[at + 1].after(line);
    else putBack(line);
  };

  /**
   * @param {HTMLElement} line
   * @param {string} move
   */
  const act = (line, move) => {
    if (move === "up") shift(line, -1);
    if (move === "down") shift(line, 1);
    if (move === "left") indentTo(line, Number(line.dataset.indent) - 1);
    if (move === "right") indentTo(line, Number(line.dataset.indent) + 1);
    if (move === "take") isIn(line) ? putBack(line) : takeIn(line);
    say(`${codeOf(line)}: ${whereabouts(line)}.`);
    settle();
  };

  /** @param {HTMLElement} line */
  const go = (line) => {
    current = line.dataset.line ?? "";
    dress();
    line.focus({ preventScroll: true });
    line.scrollIntoView?.({ block: "nearest" });
  };

  /** @param {string} before the order to restore */
  const restore = (before) => {
    for (const line of within("program")) putBack(line);
    for (const pair of before.split(" ").filter(Boolean)) {
      const [number, indent] = pair.split(":");
      const line = find(number);
      if (!line) continue;
      zone("program").append(line);
      indentTo(line, Number(indent));
    }
  };

  /**
   * @param {HTMLElement} line
   * @param {string} key
   * @returns {boolean} whether the key was ours
   */
  const key = (line, key) => {
    const lines = all();
    const at = lines.indexOf(line);
    if (key === " " || (key === "Enter" && picked)) {
      picked = picked ? null : { line: line.dataset.line ?? "", order: order() };
      dress();
      say(`${codeOf(line)}: ${picked ? "picked up" : "put down"}, ${whereabouts(line)}.`);
    } else if (key === "Enter") {
      act(line, "take");
      go(line);
    } else if (key === "Escape" && picked) {
      restore(picked.order);
      picked = null;
      say(`${codeOf(line)}: back where it was.`);
      settle();
      go(line);
    } else if (key === "ArrowLeft" || key === "ArrowRight") {
      act(line, key === "ArrowLeft" ? "left" : "right");
    } else if (key === "ArrowUp" || key === "ArrowDown") {
      if (picked) {
        act(line, key === "ArrowUp" ? "up" : "down");
        go(line); // a line that is moved in the page loses the focus
      } else go(lines[Math.min(Math.max(at + (key === "ArrowUp" ? -1 : 1), 0), lines.length - 1)]);
    } else if (key === "Home" || key === "End") {
      if (!picked) go(lines[key === "Home" ? 0 : lines.length - 1]);
    } else return false;
    return true;
  };

  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    const line = event.target instanceof Element ? event.target.closest(".tk-line") : null;
    if (!(line instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key(line, event.key)) event.preventDefault();
  };

  /** @param {MouseEvent} event */
  const onClick = (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-move]") : null;
    if (!(button instanceof HTMLElement)) return;
    const line = find(current);
    if (line) act(line, button.dataset.move ?? "");
  };

  /** @param {FocusEvent} event */
  const onFocus = (event) => {
    const line = event.target instanceof Element ? event.target.closest(".tk-line") : null;
    if (!(line instanceof HTMLElement) || current === line.dataset.line) return;
    current = line.dataset.line ?? "";
    dress();
  };

  /** @param {PointerEvent} event */
  const onDown = (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const line = target?.closest(".tk-line");
    if (!(line instanceof HTMLElement) || event.button) return;
    // A finger that does not touch the grip scrolls the page.
    if (event.pointerType === "touch" && !target?.closest(".tk-grip")) return;
    drag = { line, x: event.clientX, y: event.clientY, indent: Number(line.dataset.indent), moved: false, order: order() };
  };

  /** @param {PointerEvent} event */
  const onMove = (event) => {
    if (!drag) return;
    const { line } = drag;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < SLACK_PX) return;
    if (!drag.moved) {
      drag.moved = true;
      root.setPointerCapture?.(event.pointerId); // not on the line: it is moved in the page, which would end it
      picked = null;
      current = line.dataset.line ?? "";
      dress();
    }
    const rest = zone("rest").getBoundingClientRect();
    const beside = rest.left >= zone("program").getBoundingClientRect().right;
    if ((beside ? event.clientX < rest.left : event.clientY < rest.top) || !within("rest").length) {
      const next = within("program").find((other) => other !== line && event.clientY < middle(other));
      zone("program").insertBefore(line, next ?? null);
      indentTo(line, drag.indent + Math.round((event.clientX - drag.x) / STEP_PX));
    } else if (isIn(line)) putBack(line);
    event.preventDefault();
  };

  const onUp = () => {
    const done = drag;
    drag = null;
    if (!done) return;
    if (!done.moved && !isIn(done.line)) act(done.line, "take");
    else if (done.moved) say(`${codeOf(done.line)}: ${whereabouts(done.line)}.`);
    settle();
    go(done.line);
  };

  const onCancel = () => {
    const done = drag;
    drag = null;
    if (done) restore(done.order);
    dress();
  };

  /** @type {[string, (event: any) => void][]} */
  const listeners = [
    ["keydown", onKey], ["click", onClick], ["focusin", onFocus],
    ["pointerdown", onDown], ["pointermove", onMove], ["pointerup", onUp], ["pointercancel", onCancel],
  ];
  for (const [name, listener] of listeners) root.addEventListener(name, listener);

  return {
    dress,
    /** Is an order on its way, or a line being dragged? Then a drawing of an older order must wait. */
    busy: () => unanswered > 0 || Boolean(drag?.moved),
    /** Python has answered; whether nothing is on its way any more. */
    heard() {
      const waited = unanswered > 0;
      unanswered = Math.max(unanswered - 1, 0);
      return waited && unanswered === 0;
    },
    stop() {
      for (const [name, listener] of listeners) root.removeEventListener(name, listener);
    },
  };
}

/** @param {HTMLElement} line */
function middle(line) {
  const box = line.getBoundingClientRect();
  return box.top + box.height / 2;
}
