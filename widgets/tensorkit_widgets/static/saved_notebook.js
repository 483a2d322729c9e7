// @ts-check
/**
 * What a notebook's file has of its live views: their pictures. A view is an output of its own before the picture, and belongs
 * to the model of one kernel: JupyterLab says of any other one, in red, that it does not know it. So a file is written without
 * the views, the picture's metadata name the model (see `widget/live_view.py`), and where a notebook is opened again on the
 * kernel that has the model, its view is put back before the picture.
 *
 * @typedef {{ data?: Record<string, any>, metadata?: Record<string, any> }} Output
 * @typedef {{ cells: { cell_type: string, outputs?: Output[] }[], metadata?: Record<string, any> }} Notebook as a file has it
 * @typedef {{ connect(act: (sender: unknown, how: any) => void): void }} Signal
 * @typedef {{ length: number, get(place: number): Output, toJSON(): Output[], fromJSON(outputs: Output[]): void }} Outputs
 * @typedef {{ cells: Iterable<{ type: string, outputs?: Outputs }> & { changed: Signal }, dirty: boolean, toJSON(): Notebook }} NotebookModel
 * @typedef {{ model: NotebookModel, ready: Promise<unknown>, saveState: Signal, isDisposed: boolean }} Context
 * @typedef {{ context?: Context, has_model?(id: string): boolean }} Manager
 */

const VIEW = "application/vnd.jupyter.widget-view+json";
const STATE = "application/vnd.jupyter.widget-state+json";

/** The notebooks that are looked after, and how each is looked through once more. @type {WeakMap<Context, () => void>} */
const looked = new WeakMap();

/** The model whose view stands before this picture. @param {Output | undefined} picture @returns {string | undefined} */
const modelOf = (picture) => picture?.metadata?.tensorkit?.model_id;

/** Whether an output is the view of this model; one that was taken down names no model any more. @param {Output | undefined} output @param {string} model */
const shows = (output, model) => [model, ""].includes(output?.data?.[VIEW]?.model_id);

/**
 * A notebook as its file is to have it: without the views that stand before their pictures. Where the widgets' state is saved
 * too ("Save Widget State Automatically"), they stay: they can be drawn from it.
 * @param {Notebook} notebook
 * @returns {Notebook}
 */
export function withoutViews(notebook) {
  const state = notebook.metadata?.widgets?.[STATE]?.state ?? {};
  return {
    ...notebook,
    cells: notebook.cells.map((cell) => {
      const outputs = cell.outputs?.filter((output, place, all) => {
        const model = modelOf(all[place + 1]);
        return model === undefined || model in state || !shows(output, model);
      });
      return outputs && outputs.length !== cell.outputs?.length ? { ...cell, outputs } : cell;
    }),
  };
}

/** Put the views back before the pictures whose models this kernel has. @param {NotebookModel} notebook @param {(model: string) => boolean} known */
export function putBack(notebook, known) {
  const { dirty } = notebook;
  for (const { outputs } of notebook.cells) {
    const places = Array.from({ length: outputs?.length ?? 0 }, (_, place) => place);
    const lost = places.filter((place) => {
      const model = modelOf(outputs?.get(place));
      return model !== undefined && !outputs?.get(place - 1)?.data?.[VIEW] && known(model);
    });
    if (!outputs || !lost.length) continue;
    outputs.fromJSON(outputs.toJSON().flatMap((output, place) => (lost.includes(place) ? [viewOf(modelOf(output)), output] : [output])));
  }
  // What the file says is the same as before.
  notebook.dirty = dirty;
}

/** @param {string | undefined} model */
function viewOf(model) {
  return { output_type: "display_data", data: { [VIEW]: { version_major: 2, version_minor: 0, model_id: model } }, metadata: {} };
}

/**
 * Look after the file of the notebook that this widget manager belongs to, where the host says which it is (JupyterLab, Notebook
 * 7). Called for each model, when it arrives in the browser.
 * @param {Manager | undefined} manager
 */
export function lookAfterFile(manager) {
  const { context } = manager ?? {};
  if (!manager || !context?.saveState) return;
  const look = looked.get(context) ?? lookedAfter(context, manager);
  looked.set(context, look);
  look();
}

/** @param {Context} context @param {Manager} manager */
function lookedAfter(context, manager) {
  const { model, saveState } = context;
  let asked = false;
  const look = async () => {
    if (asked) return;
    asked = true;
    await context.ready;
    // The models of a kernel arrive together: they are looked for once.
    setTimeout(() => {
      asked = false;
      if (!context.isDisposed) putBack(model, (id) => manager.has_model?.(id) ?? false);
    });
  };
  saveState.connect((_, how) => {
    if (how === "started") once(model, withoutViews);
  });
  // A notebook that is read from its file again has lost its views.
  model.cells.changed.connect(() => void look());
  return () => void look();
}

/** What the notebook says of itself the next time goes through this. @param {NotebookModel} model @param {(notebook: Notebook) => Notebook} through */
function once(model, through) {
  Object.defineProperty(model, "toJSON", {
    configurable: true,
    value: () => {
      // @ts-expect-error what stands before the method of its class goes
      delete model.toJSON;
      return through(model.toJSON());
    },
  });
}
