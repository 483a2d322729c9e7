// @ts-check
/**
 * Where a talk has come to: in the window's storage, in its address, and at the server, so that a page that is loaded again, another
 * tab and another computer come back to the same place. What the pictures and cards keep of the talk (talk_memory.js: votes, theme,
 * sizes) goes the same way.
 *
 * @typedef {{ cell: string, scene: number, staged: boolean, kernel: string, ran: string[], revealed: string[] }} Place
 */

const KEY = "tensorkit-talk";
const SOON = 250;

/** @returns {Record<string, any>} all that this window has kept of talks */
export function memory() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/** @param {string} path @returns {Place | undefined} */
export const placeOf = (path) => memory().places?.[path];

/** @param {string} path @param {Place} place */
export function keepPlace(path, place) {
  const all = memory();
  sessionStorage.setItem(KEY, JSON.stringify({ ...all, places: { ...all.places, [path]: place } }));
  const scene = place.staged ? `&scene=${place.scene}` : "";
  history.replaceState(history.state, "", `${location.pathname}${location.search}#cell-id=${encodeURIComponent(place.cell)}${scene}`);
  send(path);
}

/** The place that an address names. @param {string} hash @returns {{ cell: string, staged: boolean } | null} */
export function inAddress(hash) {
  const named = new URLSearchParams(hash.replace(/^#/, ""));
  const cell = named.get("cell-id");
  return cell ? { cell, staged: named.has("scene") } : null;
}

/** @param {string} base the server's @param {string} path */
const address = (base, path) => `${base}tensorkit/api/place?lesson=${encodeURIComponent(path)}`;

/** @type {(path: string) => void} */
let send = () => {};

/** Begin with what the server knows, where this window knows nothing; from then on the server is told. @param {string} base @param {string} path */
export async function shareWith(base, path) {
  /** @type {{ room?: any }} */
  const known = await fetch(address(base, path)).then((answer) => (answer.ok ? answer.json() : {})).catch(() => ({}));
  if (known.room && !placeOf(path)) sessionStorage.setItem(KEY, JSON.stringify({ ...known.room, ...memory(), places: { ...known.room.places, ...memory().places } }));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let due;
  send = (which) => {
    clearTimeout(due);
    due = setTimeout(() => {
      const xsrf = /(?:^|; )_xsrf=([^;]*)/.exec(document.cookie)?.[1] ?? "";
      const headers = { "Content-Type": "application/json", "X-XSRFToken": decodeURIComponent(xsrf) };
      // Without a server the window goes on knowing it, and tells it with the next step.
      void fetch(address(base, which), { method: "PUT", headers, body: JSON.stringify({ room: memory() }), keepalive: true }).catch(() => {});
    }, SOON);
  };
  document.addEventListener("tensorkit-kept", () => send(path));
}
