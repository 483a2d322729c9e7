// @ts-check
/** What the pointer and the keyboard do in a picture, by the kind that Python names. */

import { BoardScene } from "./board_scene.js";
import { GraphScene } from "./graph_scene.js";
import { StrideScene } from "./stride_scene.js";

/** @type {Record<string, import("./board.js").SceneClass>} */
export const SCENES = { board: BoardScene, graph: GraphScene, stride: StrideScene };
