// @ts-check
/** A saved page: it shows the steps that wait in its templates. */

import { Recorded } from "./recorded.js";

const root = /** @type {HTMLElement} */ (document.querySelector(".tk-root"));
new Recorded(root, [...document.querySelectorAll("template")]);
