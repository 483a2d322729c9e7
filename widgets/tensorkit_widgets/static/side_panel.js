// @ts-check
/**
 * Python says which panel is open beside the notebook. One that an earlier kernel had opened is closed then: no kernel can close
 * it any more. There is nothing to see of this widget itself.
 *
 * @typedef {{ get(name: string): any, on(event: string, act: () => void): void, widget_manager?: import("./one_panel.js").Manager }} Model
 */

import { onePanel } from "./one_panel.js";

/** @param {{ model: Model }} context */
function initialize({ model }) {
  const { widget_manager: manager } = model;
  if (!manager) return;
  const look = () => void onePanel(manager, model.get("panel"));
  model.on("change:panel", look);
  look();
}

export default { initialize, render: () => {} };
