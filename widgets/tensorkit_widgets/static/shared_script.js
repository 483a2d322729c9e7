// @ts-check
/**
 * What each widget has of its script: where it is. The script itself is the text of a model that all widgets of a kind name, so
 * that a kernel sends it once and a notebook with its widgets' state has it once (`widget/shared_script.py`).
 *
 * @typedef {{ initialize?(context: any): void, render(context: any): unknown }} Widget
 * @typedef {{ get(name: string): any, whole?: Promise<Widget> }} Script the model that has the text
 * @typedef {{ get(name: string): any, widget_manager?: { get_model(id: string): Promise<Script> } }} Model
 */

const REFERENCE = "IPY_MODEL_";
const TRIES = 100;
const BETWEEN_MS = 50;
const MISSING = "The script of this picture did not come with the notebook. Run its cell again.";

/** The model that has the text; a page that is opened again may read this widget's first. @param {Model} model @returns {Promise<Script>} */
async function find(model, tries = TRIES) {
  try {
    const script = await model.widget_manager?.get_model(model.get("_script_model").slice(REFERENCE.length));
    if (script) return script;
  } catch (error) {
    if (tries <= 1) throw error;
  }
  if (tries <= 1) throw new Error(MISSING);
  await new Promise((next) => setTimeout(next, BETWEEN_MS));
  return find(model, tries - 1);
}

/** @param {string} text @returns {Promise<Widget>} */
async function run(text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** @type {Promise<Widget> | undefined} */
let widget;

/** The script, run once for all widgets that name it. @param {Model} model */
function load(model) {
  widget ??= find(model).then((script) => (script.whole ??= run(script.get("text"))));
  return widget;
}

/** It does not wait for the script: the widget's messages would wait for it. @param {{ model: Model }} context */
function initialize(context) {
  load(context.model).then((one) => one.initialize?.(context), () => {});
}

/** @param {{ model: Model, el: HTMLElement }} context */
async function render(context) {
  try {
    return await (await load(context.model)).render(context);
  } catch (error) {
    context.el.textContent = MISSING; // the still picture stays in sight below it
    console.warn(error);
    return undefined;
  }
}

export default { initialize, render };
