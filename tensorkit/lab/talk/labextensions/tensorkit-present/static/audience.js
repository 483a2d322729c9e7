// @ts-check
/**
 * The phones in the room (`tensorkit present --audience`): what is on the stage and what is asked goes to the audience's server, by way of
 * Jupyter's; how often each answer was given comes back. Two cards lie over the lesson: Q shows the address to the room, V what it
 * has answered. Until V, the room and the phones see how many have answered, and not what.
 *
 * The cards are popovers, as the layers of overlays.js are, because the stage is a modal dialog.
 *
 * @typedef {{ title: string, said: string, text: string, svg: string }} Still the picture as it was drawn last, and its words
 * @typedef {{ key: string, ask: string, options: string[], open: boolean, right: number | null }} Question
 * @typedef {{ key: string, answers: number, counts: number[], shown: boolean }} Count
 * @typedef {{ address: string, qr: string, questions: Count[] }} Told
 */

const SOON = 150;
const EVERY = 1000;

const LOOK = `
  .tk-audience { --back: #fff; --words: #1a1d21; --quiet: #555c66; --line: #767f8a; --bar: #bcd9f5; --good: #00704f; --good-bar: #bfe5d6; color-scheme: light;
    position: fixed; inset: 0; margin: auto; box-sizing: border-box; max-width: 96vw; max-height: 96vh; overflow: auto; padding: 3vmin 4vmin;
    border: 2px solid var(--line); border-radius: 16px; box-shadow: 0 6px 40px #0008; background: var(--back); color: var(--words);
    font: 32px/1.3 system-ui, sans-serif; }
  .tk-audience.tk-dark { --back: #14181d; --words: #eceff3; --quiet: #aab2bd; --line: #8b96a3; --bar: #1f4a78; --good: #5fd3a8; --good-bar: #17543f; color-scheme: dark; }
  .tk-audience p { margin: 0; }
  .tk-audience .tk-quiet-line { font-size: 22px; color: var(--quiet); }
  .tk-audience-address { width: fit-content; height: fit-content; text-align: center; }
  .tk-audience-address img { display: block; width: min(62vh, 70vw); margin: 1.5vmin auto; }
  .tk-audience-address strong { display: block; font: 600 min(5vw, 64px)/1.2 ui-monospace, monospace; overflow-wrap: anywhere; }
  .tk-audience-answers { width: 96vw; height: fit-content; }
  .tk-audience-answers h2 { margin: 0 0 0.5em; font-size: 36px; line-height: 1.25; white-space: pre-wrap; }
  .tk-audience-answers ol { list-style: none; margin: 0 0 1em; padding: 0; }
  .tk-audience-answers li { display: flex; gap: 24px; align-items: center; min-height: 72px; margin: 12px 0; padding: 8px 20px; border: 2px solid var(--line); border-radius: 10px;
    background: linear-gradient(var(--bar), var(--bar)) 0 0 / var(--share, 0%) 100% no-repeat; }
  .tk-audience-answers li.tk-right { border: 5px solid var(--good); padding: 5px 17px; background-image: linear-gradient(var(--good-bar), var(--good-bar)); }
  .tk-audience-answers .tk-words { flex: 1; white-space: pre-wrap; }
  .tk-audience-answers .tk-count { font-size: 44px; font-weight: 700; font-variant-numeric: tabular-nums; }
  .tk-audience code.tk-audience-code { font: 0.92em ui-monospace, monospace !important; background: none; color: inherit; } /* JupyterLab has a size of its own for code */
  @media (prefers-reduced-motion: no-preference) { .tk-audience-answers li { transition: background-size 0.4s; } }
  .tk-audience-chip { position: fixed; inset: auto 16px 12px auto; margin: 0; padding: 4px 14px; border: 1px solid #767f8a; border-radius: 16px; background: #fff; color: #1a1d21;
    font: 20px/1.3 system-ui, sans-serif; }
  .tk-audience-chip.tk-dark { background: #14181d; color: #eceff3; }
  .tk-audience-chip button { all: unset; cursor: pointer; }
  .tk-audience-chip button:focus-visible { outline: 3px solid #0b5cad; outline-offset: 3px; }`;

/** @param {string} tag @param {string} [name] its class @param {...(Node | string)} inside */
function make(tag, name = "", ...inside) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...inside);
  return node;
}

/** @param {string} name */
function layer(name) {
  const node = make("div", name);
  node.setAttribute("popover", "manual");
  return node;
}

/** Text in which code is between backticks. @param {string} text */
const marked = (text) => text.split("`").map((piece, k) => (k % 2 ? make("code", "tk-audience-code", piece) : piece));

/** The words of a part of a card, with its code between backticks; the phones set it as text. @param {Element} node @returns {string} */
function wordsOf(node) {
  const pieces = [...node.childNodes].map((child) => {
    if (child instanceof Element) {
      const block = /^(P|PRE|DIV)$/.test(child.tagName);
      const words = child.tagName === "CODE" ? `\`${child.textContent?.replace(/`/g, "'") ?? ""}\`` : wordsOf(child);
      return block ? `\n${words.trim()}\n` : words;
    }
    return (child.textContent ?? "").replace(/`/g, "'");
  });
  return pieces.join("").replace(/\n{2,}/g, "\n");
}

/** What a card asks of the room: questions with a choice of one. @param {HTMLElement} card @returns {Question[]} */
function questionsOf(card) {
  const parts = /** @type {HTMLElement[]} */ (card.dataset.kind === "quiz" ? [...card.querySelectorAll("[data-part]")] : [card]);
  return parts.flatMap((part) => {
    const rows = [...part.querySelectorAll(".tk-option")].filter((row) => row.querySelector("input[type=radio]"));
    if (rows.length < 2) return [];
    const options = rows.map((row) => wordsOf(/** @type {Element} */ (row.querySelector(":scope > .tk-letter + span"))).trim());
    const said = part === card ? [...part.querySelectorAll(":scope > p:not(.tk-eyebrow, .tk-note), :scope > pre")] : [...part.querySelectorAll(".tk-asked > div")];
    const ask = said.map((node) => wordsOf(node).trim()).join("\n");
    const right = rows.findIndex((row) => /** @type {HTMLElement} */ (row).dataset.truth?.match(/yes|right/));
    const name = card.dataset.card ?? card.querySelector(".tk-eyebrow")?.textContent ?? "";
    return [{ key: `${name} ${part.dataset.part ?? ""} ${ask}`, ask, options, open: !rows[0].querySelector("input")?.disabled, right: right < 0 ? null : right }];
  });
}

/** The audience of this talk; null where it has none. @param {string} base the server's address @returns {Promise<Audience | null>} */
export async function audienceAt(base) {
  const address = `${base}tensorkit/api/audience`;
  const answer = await fetch(address).catch(() => null);
  return answer?.ok ? new Audience(address, await answer.json()) : null;
}

export class Audience {
  /** @param {string} api @param {Told} told */
  constructor(api, told) {
    this.api = api;
    this.told = told;
    /** @type {Question[]} */
    this.asked = [];
    /** What the audience's server has been told last, by its name. @type {Record<string, string>} */
    this.sent = {};
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.due = undefined;
    /** @type {() => Record<string, any>} */
    this.now = () => ({});
    document.head.append(make("style", "", LOOK));
    this.address = layer("tk-audience tk-audience-address");
    const image = /** @type {HTMLImageElement} */ (make("img"));
    Object.assign(image, { src: told.qr, alt: "QR code of the address below" });
    this.address.append(make("p", "", "Follow on your phone, in this room’s network"), image, make("strong", "", told.address.replace(/^http:\/\//, "").replace(/\/$/, "")), make("p", "tk-quiet-line", "Q closes this card"));
    this.answers = layer("tk-audience tk-audience-answers");
    this.chip = layer("tk-audience-chip");
    const button = make("button");
    button.setAttribute("type", "button");
    // A button that is pressed with the mouse does not take the keyboard from the talk.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => (this.asked.length ? this.showAnswers() : this.showAddress()));
    this.chip.append(button);
    this.draw();
    setInterval(() => { if (this.asked.length) void this.count(); }, EVERY);
  }

  /** What the room is shown: of a cell its questions, and what is on the stage. @param {HTMLElement | undefined} cell @param {{ id: string, detail: any, still?: () => Still } | null} staged */
  follow(cell, staged) {
    const cards = /** @type {HTMLElement[]} */ (cell && !staged ? [...cell.querySelectorAll('.tk-card:is([data-kind="predict"], [data-kind="quiz"])')] : []);
    const before = this.asked.length;
    this.asked = cards.flatMap(questionsOf);
    if (before && !this.asked.length) this.show(this.answers, false);
    this.now = () => ({ questions: this.asked, scene: staged?.still ? this.scene(staged.id, staged.detail, staged.still()) : null });
    this.draw();
    // What comes in quick steps is told once.
    clearTimeout(this.due);
    this.due = setTimeout(() => void this.tell(this.now()), SOON);
  }

  /** What a phone shows, and where its own page goes to play it. @param {string} cell @param {any} detail @param {Still} still */
  scene(cell, { scenes, scene, step }, still) {
    return { ...still, cell, scene, step, name: scenes[scene] ?? "", key: `${cell} ${scene}` };
  }

  /** @param {Record<string, any>} words */
  async tell(words) {
    const news = Object.entries(words).filter(([name, value]) => this.sent[name] !== JSON.stringify(value));
    if (!news.length) return;
    for (const [name, value] of news) this.sent[name] = JSON.stringify(value);
    const xsrf = /(?:^|; )_xsrf=([^;]*)/.exec(document.cookie)?.[1] ?? "";
    const headers = { "Content-Type": "application/json", "X-XSRFToken": decodeURIComponent(xsrf) };
    const answer = await fetch(this.api, { method: "PUT", headers, body: JSON.stringify(Object.fromEntries(news)) }).catch(() => null);
    // What did not arrive is told with the next step.
    if (!answer?.ok) for (const [name] of news) delete this.sent[name];
  }

  async count() {
    const answer = await fetch(this.api).catch(() => null);
    if (!answer?.ok) return;
    this.told = await answer.json();
    this.draw();
  }

  // ---- the cards

  /** Whether a card lies over the lesson. */
  get covers() {
    return this.address.isConnected || this.answers.isConnected;
  }

  uncover() {
    this.show(this.address, false);
    this.show(this.answers, false);
    this.draw();
  }

  showAddress() {
    this.show(this.answers, false);
    this.show(this.address, !this.address.isConnected);
  }

  /** Open what the room has answered, for the room and the phones; or take the card away. */
  showAnswers() {
    if (!this.asked.length) return;
    this.show(this.address, false);
    this.show(this.answers, !this.answers.isConnected);
    delete this.sent.shown; // the next question begins hidden
    if (this.answers.isConnected) void this.tell({ ...this.now(), shown: true }).then(() => this.count());
    this.draw();
  }

  /** @param {HTMLElement} node @param {boolean} on */
  show(node, on) {
    if (on === node.isConnected) return;
    if (!on) return node.remove();
    document.body.append(node);
    node.showPopover?.();
  }

  draw() {
    const dark = document.querySelector("dialog.tk-stage-dark[open]") !== null || (document.body.dataset.jpThemeLight === "false" && document.querySelector("dialog.tk-stage-light[open]") === null);
    for (const node of [this.address, this.answers, this.chip]) node.classList.toggle("tk-dark", dark);
    const counts = this.asked.map(({ key }) => this.told.questions.find((one) => one.key === key));
    const answers = Math.max(0, ...counts.map((one) => one?.answers ?? 0));
    const words = this.asked.length ? `${answers} ${answers === 1 ? "answer" : "answers"} · V` : "Phones · Q";
    const button = /** @type {HTMLElement} */ (this.chip.firstChild);
    if (button.textContent !== words) button.textContent = words;
    this.show(this.chip, !this.covers && !document.querySelector("dialog.tk-stage[open]"));
    if (this.answers.isConnected) this.answers.replaceChildren(...this.asked.flatMap((question, k) => this.bars(question, counts[k])), make("p", "tk-quiet-line", "V closes this card"));
  }

  /** @param {Question} question @param {Count | undefined} count @returns {HTMLElement[]} */
  bars({ ask, options, right }, count) {
    const counts = count?.counts ?? options.map(() => 0);
    const all = Math.max(1, counts.reduce((sum, one) => sum + one, 0));
    const rows = options.map((option, k) => {
      const letter = make("strong", "", String.fromCharCode(65 + k));
      const row = make("li", right === k ? "tk-right" : "", letter, make("span", "tk-words", ...marked(option)), make("span", "tk-count", `${right === k ? "✓ " : ""}${counts[k]}`));
      row.style.setProperty("--share", `${(100 * counts[k]) / all}%`);
      return row;
    });
    return [make("h2", "", ...marked(ask)), make("ol", "", ...rows)];
  }
}
