// A page's Python in Node: Pyodide with the kit, asked line by line as `tests/page/kit_program.py` is.
//
//     node kit.mjs KIT.zip ROOT < requests
//
// ROOT is a folder from which files may be read; in Pyodide it has the same name.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { loadPyodide } from "pyodide";

const [kit, root] = process.argv.slice(2);
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(readFileSync(kit)), "zip", { extractDir: "/kit" });
python.FS.mkdirTree(root);
python.FS.mount(python.FS.filesystems.NODEFS, { root }, root);
const globals = python.toPy({ program: `${root}/tests/page/kit_program.py` });
const answer = python.runPython("__import__('runpy').run_path(program)['answering']('/kit')", { globals });
for await (const line of createInterface({ input: process.stdin })) console.log(answer(line));
