// @ts-check
/**
 * A prediction in front of a room: the question large, a count for what the room says to each answer, and R to show the
 * answer. The counts last as long as the talk: nobody's vote is kept in a file.
 */

import { make } from "./dom.js";
import { keep, kept, presenting } from "./talk_memory.js";

/**
 * @param {HTMLElement} root
 * @param {(act: string, value: string) => void} send
 * @param {(text: string) => void} say
 */
export function room(root, send, say) {
  /** How often each answer was said: by its option, or as it was typed. @type {Map<string, number>} */
  const votes = new Map();
  let revealed = false;

  let recalled = false;

  const card = () => /** @type {HTMLElement | null} */ (root.querySelector('.tk-card[data-kind="predict"]'));
  const remember = () => keep("votes", { ...kept("votes"), [card()?.dataset.card ?? ""]: [...votes] });

  /** @param {string} answer @param {string} name @param {number} by */
  const vote = (answer, name, by) => {
    votes.set(answer, Math.max(0, (votes.get(answer) ?? 0) + by));
    remember();
    show();
    say(`${name}: ${votes.get(answer)}`);
  };

  /** @param {string} answer @param {string} name */
  const counter = (answer, name) => {
    const button = (/** @type {string} */ sign, /** @type {number} */ by, /** @type {string} */ words) => {
      const made = make("button", { type: "button", class: "tk-quiet", "aria-label": `${words} for ${name}` }, sign);
      made.addEventListener("click", (event) => {
        event.preventDefault(); // inside a label: the option is not chosen
        vote(answer, name, by);
      });
      return made;
    };
    const count = make("output", { "data-votes": answer }, "0");
    return make("span", { class: "tk-votes" }, button("−", -1, "one fewer"), count, button("+", 1, "one more"));
  };

  /** The counts as they are, each with its share of the room. */
  const show = () => {
    const all = [...votes.values()].reduce((sum, one) => sum + one, 0);
    for (const count of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-votes]"))) {
      const mine = votes.get(count.dataset.votes ?? "") ?? 0;
      count.textContent = String(mine);
      /** @type {HTMLElement | null} */ (count.closest(".tk-option, .tk-said"))?.style.setProperty("--tk-share", `${all ? (100 * mine) / all : 0}%`);
    }
  };

  /** What the room says to a question without options: a row for each answer. */
  const list = () => {
    const row = card()?.querySelector(".tk-row[data-enter]");
    const rows = [...votes.keys()].map((answer) => make("div", { class: "tk-said" }, make("code", {}, answer), counter(answer, answer)));
    const said = root.querySelector(".tk-room-says") ?? make("div", { class: "tk-room-says" });
    said.replaceChildren(...rows);
    (row ?? card()?.querySelector(".tk-verdict"))?.before(said);
    const box = /** @type {HTMLInputElement | null} */ (row?.querySelector("input[type=text]") ?? null);
    if (!box || row?.querySelector(".tk-mark")) return;
    const mark = make("button", { type: "button", class: "tk-quiet tk-mark" }, "The room says so");
    mark.addEventListener("click", () => {
      const answer = box.value.trim();
      if (!answer) return;
      votes.set(answer, votes.get(answer) ?? 0);
      box.value = "";
      list();
      vote(answer, answer, 1);
      card()?.focus({ preventScroll: true }); // the keyboard is the talk's again
    });
    box.after(mark);
  };

  const dress = () => {
    const mine = card();
    if (!mine || !presenting()) return;
    root.classList.add("tk-room");
    mine.tabIndex = 0;
    if (!recalled) for (const [answer, count] of kept("votes")?.[mine.dataset.card ?? ""] ?? []) votes.set(answer, count);
    recalled = true;
    if (revealed && mine.dataset.revealed === "false") {
      votes.clear(); // asked again, of another room
      remember();
    }
    revealed = mine.dataset.revealed === "true";
    for (const option of mine.querySelectorAll(".tk-option")) {
      const input = option.querySelector("input");
      if (input && !option.querySelector(".tk-votes")) option.append(counter(input.dataset.key ?? "", input.value));
    }
    if (!mine.querySelector(".tk-option")) list();
    const title = mine.dataset.state === "skipped" ? mine.querySelector(".tk-title") : null;
    if (title?.lastChild) title.lastChild.textContent = " The answer";
    const skip = mine.querySelector('[data-do="skip"]');
    if (skip) skip.textContent = "Show the answer (R)";
    show();
  };

  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "text";
    const mark = typing && event.key === "Enter" ? root.querySelector(".tk-mark") : null;
    if (mark instanceof HTMLElement) {
      event.stopImmediatePropagation(); // what somebody in the room said commits nobody
      mark.click();
      return;
    }
    if (typing && event.key === "Escape") card()?.focus({ preventScroll: true });
    if (event.key.toLowerCase() !== "r" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!presenting() || card()?.dataset.revealed !== "false") return;
    event.preventDefault();
    send("skip", "");
  };
  root.addEventListener("keydown", onKey);

  return { dress };
}
