// @ts-check
/**
 * A notebook that an earlier version of the kit saved has the live view of a widget before each picture. The view's model went with
 * its kernel, and JupyterLab says so in red. Such a notebook is read without these views: the pictures stand there, each with its
 * invitation, and the next save writes it that way. Views of other libraries' widgets stay, and so do those whose state was saved.
 *
 * @typedef {{ data?: Record<string, any>, metadata?: Record<string, any> }} Output
 * @typedef {{ cells?: { outputs?: Output[] }[], metadata?: Record<string, any> }} Notebook as a file has it
 * @typedef {{ fromJSON(notebook: Notebook): void }} NotebookModel
 */

const VIEW = "application/vnd.jupyter.widget-view+json";
const STATE = "application/vnd.jupyter.widget-state+json";
const STILL = /^\s*<(img|div) class="tk-still\b/;

/** What a picture says in HTML, if it is one of the kit's. @param {Output | undefined} output @returns {string} */
function pictureOf(output) {
  const html = [output?.data?.["text/html"] ?? ""].flat().join("");
  return STILL.test(html) ? html : "";
}

/** A picture whose view is taken away: it invites, and names the model, so that a kernel that still has it brings the view back. @param {Output} output @param {string} model @returns {Output} */
function alone(output, model) {
  const html = pictureOf(output);
  const words = html.trimStart().startsWith("<img") ? "Run this cell to play with the picture." : "Run this cell to answer.";
  const line = html.includes('class="tk-play"') ? "" : `<p class="tk-play" style="margin: 2px 4px">▷ ${words}</p>`;
  const metadata = model ? { ...output.metadata, tensorkit: { ...output.metadata?.tensorkit, model_id: model } } : output.metadata;
  return { ...output, data: { ...output.data, "text/html": html + line }, metadata };
}

/**
 * A notebook without the views that stand before pictures of the kit.
 * @param {Notebook} notebook
 * @returns {Notebook} the same one where there are none
 */
export function withoutOldViews(notebook) {
  const state = notebook.metadata?.widgets?.[STATE]?.state ?? {};
  /** @param {Output} output @param {Output | undefined} next */
  const old = (output, next) => {
    const view = output.data?.[VIEW];
    return view !== undefined && pictureOf(next) !== "" && !(view.model_id in state);
  };
  let found = false;
  const cells = notebook.cells?.map((cell) => {
    const all = cell.outputs;
    if (!all?.some((output, place) => old(output, all[place + 1]))) return cell;
    found = true;
    const outputs = all.flatMap((output, place) => {
      if (old(output, all[place + 1])) return [];
      const before = all[place - 1];
      return [before && old(before, output) ? alone(output, before.data?.[VIEW].model_id) : output];
    });
    return { ...cell, outputs };
  });
  return found ? { ...notebook, cells } : notebook;
}

/** The notebooks that are read so. @type {WeakSet<NotebookModel>} */
const read = new WeakSet();

/** Let a notebook be read without old views, from now on. @param {NotebookModel} model */
export function readWithoutOldViews(model) {
  if (read.has(model)) return;
  read.add(model);
  const whole = model.fromJSON.bind(model);
  model.fromJSON = (notebook) => whole(withoutOldViews(notebook));
}

/** @param {any} app */
function activate(app) {
  // A panel is made before its notebook is read.
  app.docRegistry.addWidgetExtension("Notebook", {
    createNew: (/** @type {any} */ _panel, /** @type {{ model: NotebookModel }} */ context) => readWithoutOldViews(context.model),
  });
}

export default { id: "tensorkit-reveal:old-views", autoStart: true, activate };
