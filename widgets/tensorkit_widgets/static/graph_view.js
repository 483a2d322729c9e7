// @ts-check
/** GraphView in the browser: a board whose scene is a graph. What is on the page, for tests: board.js and graph_scene.js say it. */

import { boardOf } from "./board.js";
import { GraphScene } from "./graph_scene.js";

export default boardOf(GraphScene);
