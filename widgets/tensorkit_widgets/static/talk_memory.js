// @ts-check
/**
 * What a talk has come to, kept for the window: the room's votes, the theme, the size of each picture. It survives that the views
 * are made again and that the page is loaded again; the extension of `tensorkit present` hears of each change by the event
 * "tensorkit-kept", and takes it to the server, for another window.
 */

const KEY = "tensorkit-talk";

/** Is this JupyterLab of `tensorkit present`? Its extension says so on the page. */
export const presenting = () => document.body.dataset.tensorkitPresent !== undefined;

/** @returns {Record<string, any>} */
function all() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/** What was kept under a name in this talk. @param {string} name @returns {any} */
export const kept = (name) => (presenting() ? all()[name] : undefined);

/** Keep something for this talk; outside a talk nothing is kept. @param {string} name @param {any} value */
export function keep(name, value) {
  if (!presenting()) return;
  sessionStorage.setItem(KEY, JSON.stringify({ ...all(), [name]: value }));
  document.dispatchEvent(new Event("tensorkit-kept"));
}
