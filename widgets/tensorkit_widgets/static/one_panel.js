// @ts-check
/**
 * The panel beside each notebook. The browser keeps one instance of this module for all that import it, so it outlives the
 * kernel, as the panel does.
 *
 * @typedef {{ close(comm_closed?: boolean): unknown }} WidgetModel
 * @typedef {{ has_model(id: string): boolean, get_model(id: string): Promise<WidgetModel> }} Manager
 */

/** @type {WeakMap<Manager, string>} */
const panels = new WeakMap();

/**
 * From now on this is the panel: an earlier one goes.
 * @param {Manager} manager the notebook's
 * @param {string} panel its model; empty for none
 */
export async function onePanel(manager, panel) {
  const earlier = panels.get(manager);
  panels.set(manager, panel);
  if (!earlier || earlier === panel || !manager.has_model(earlier)) return;
  // The kernel that it belonged to is not told: it may be gone.
  (await manager.get_model(earlier)).close(true);
}
