// @ts-check
/**
 * The files of an exported lesson: in folders beside the page, or packed within it. The page begins with this script; it
 * is the only one that a page in one file may run without being told of it by another.
 *
 * Packed scripts have no addresses: each gets one when it is asked for, and its imports lead to those of the others.
 *
 * @typedef {{ file: typeof file, script: typeof script, address: string }} Files
 */

const ASSETS = new URL(document.body.dataset.assets || ".", document.baseURI).href;
const IMPORT = /(\b(?:from|import)\s*)(["'])\.\/([\w.-]+\.js)\2/g;
/** @type {Map<string, Promise<string>>} */
const addresses = new Map();

/** @param {string} name @returns {Element | null} */
const packed = (name) => document.querySelector(`script[data-file="${name}"]`);

/**
 * A file by its name, as `python/kit.zip`.
 * @param {string} name
 * @param {(bytes: number, all: number) => void} [told] hears how many bytes came, and how many are to come
 * @returns {Promise<Blob>}
 */
async function file(name, told = () => {}) {
  const part = packed(name);
  if (part) {
    const bytes = Uint8Array.from(atob(part.textContent ?? ""), (letter) => letter.charCodeAt(0));
    const whole = await unpacked(new Blob([bytes]));
    told(whole.size, whole.size);
    return whole;
  }
  const compressed = !name.startsWith("code/");
  const answer = await fetch(new URL(compressed ? `${name}.gz` : name, ASSETS));
  if (!answer.ok || !answer.body) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
  const parts = [];
  const all = Number(answer.headers.get("Content-Length") ?? 0);
  const reader = answer.body.getReader();
  for (let got = await reader.read(); !got.done; got = await reader.read()) {
    parts.push(got.value);
    told(got.value.length, all);
  }
  const whole = new Blob(parts, { type: answer.headers.get("Content-Type") ?? "" });
  return compressed ? unpacked(whole) : whole;
}

/**
 * What gzip has compressed, as it was; a server that knows the ending `.gz` has let the browser do it already.
 * @param {Blob} blob
 * @returns {Promise<Blob>}
 */
async function unpacked(blob) {
  const [first, second] = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  if (first !== 0x1f || second !== 0x8b) return blob;
  return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
}

/** Where a packed script is found. @param {string} name @returns {Promise<string>} */
function place(name) {
  const known = addresses.get(name) ?? make(name);
  addresses.set(name, known);
  return known;
}

/** @param {string} name */
async function make(name) {
  const text = await (await file(`code/${name}`)).text();
  const others = new Map(await Promise.all([...text.matchAll(IMPORT)].map(async (found) => /** @type {[string, string]} */ ([found[3], await place(found[3])]))));
  const linked = text.replace(IMPORT, (_whole, head, quote, other) => `${head}${quote}${others.get(other)}${quote}`);
  return URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
}

/** A script of the kit, run once. @param {string} name @returns {Promise<any>} */
async function script(name) {
  return import(packed(`code/${name}`) ? await place(name) : new URL(`code/${name}`, ASSETS).href);
}

/** Where a picture or card was touched before the other scripts came. @type {{ part: Element, x: number, y: number } | undefined} */
let early;
/** @param {MouseEvent} event */
function hear({ target, clientX, clientY }) {
  const part = /** @type {Element} */ (target);
  if (!part.closest(".tk-still")) return;
  const { left, top } = part.getBoundingClientRect();
  early = { part, x: clientX - left, y: clientY - top };
}
document.addEventListener("click", hear);
const { begin } = await script("lesson_page.js");
document.removeEventListener("click", hear);
begin({ file, script, address: ASSETS });
if (early) {
  const { left, top } = early.part.getBoundingClientRect();
  early.part.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: left + early.x, clientY: top + early.y }));
}

export {};
