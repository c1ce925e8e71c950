// SPDX-License-Identifier: Apache-2.0

// Puts the page together, with the program in it, as one file that needs no other:
// make_page.mjs SOURCES COLORS.css NPM_PACKAGE MODEL VERSION OUT.html

import crypto from 'node:crypto';
import fs from 'node:fs';
import {pathToFileURL} from 'node:url';
import zlib from 'node:zlib';

const [sources, colors, npm, model, version, out] = process.argv.slice(2);
const read = (path) => fs.readFileSync(path, 'utf8');
const hash = (text) => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`;

// Modules one after the other, as one script: for a page of its own disk a browser runs no worker that
// is a module.
const modules = ['onnx_hier', 'memory_host', 'program_file', 'program', 'index'].map((name) => {
  return read(`${npm}/${name}.mjs`)
      .replace(/^import .*$/gm, '')
      .replaceAll('import.meta.url', "'file:///'")  // nothing is read from there
      .replace(/^export default (\w+);?$/gm, 'const create = $1;')
      .replace(/^export (?=(async )?(function|class|const)\b)/gm, '');
});
const workerText = ['(() => {', "'use strict';", ...modules, read(`${sources}/worker.js`), '})();'].join('\n');
const packedProgram = zlib.gzipSync(fs.readFileSync(`${npm}/onnx_hier.wasm`), {level: 9});
// In a script no '<' may begin a tag.
const inScript = (text) => JSON.stringify(text).replaceAll('<', '\\u003c');
const exampleModel = fs.readFileSync(model).toString('base64');
const script = [`const exampleModel = "${exampleModel}";`, `const packedProgram = "${packedProgram.toString('base64')}";`,
                `const workerText = ${inScript(workerText)};`, read(`${sources}/page.js`)].join('\n');
const style = `${read(colors)}\n${read(`${sources}/page.css`)}`;

// The frame in which a report is shown may do what this page may and the report itself allows.
const {report} = await import(pathToFileURL(`${npm}/index.mjs`));
const allowed = (await report(model)).match(/style-src ('sha256-[^']+'); script-src ('sha256-[^']+')/);
const policy = [
  "default-src 'none'",
  `style-src ${hash(style)} ${allowed[1]}`,
  `script-src ${hash(script)} ${allowed[2]} 'wasm-unsafe-eval'`,
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const values = {policy, script, style, version};
fs.writeFileSync(out, read(`${sources}/page.html`).replace(/\{\{(\w+)\}\}/g, (all, name) => values[name]));
