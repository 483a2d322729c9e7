// @ts-check
/** A saved page of a GraphView: the steps of the rehearsal. */

import { GraphScene } from "./graph_scene.js";
import { stepPage } from "./page_steps.js";

stepPage(GraphScene, "tk-graph-view");
