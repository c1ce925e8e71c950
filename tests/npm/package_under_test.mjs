// SPDX-License-Identifier: Apache-2.0

// The arguments of a test, and the package itself; without it the test is skipped.

import fs from 'node:fs';
import {pathToFileURL} from 'node:url';

export const [folder, root, native] = process.argv.slice(2);
if (!fs.existsSync(`${folder}/onnx_hier.wasm`)) {
  console.log(`there is no ${folder}; tools/npm/build makes it`);
  process.exit(77);
}
export const onnxHier = await import(pathToFileURL(`${folder}/index.mjs`));
export const testdata = `${root}/testdata`;
export const models = fs.readdirSync(testdata).filter((name) => name.endsWith('.onnx')).sort();
