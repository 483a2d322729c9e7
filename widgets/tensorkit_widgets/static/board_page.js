// @ts-check
/** A saved page of a board of tables and tiles. */

import { BoardScene } from "./board_scene.js";
import { stepPage } from "./page_steps.js";

stepPage(BoardScene);
