// SPDX-License-Identifier: Apache-2.0

// A run that hears of a signal at its first call of the system, its second, ...: its outputs are
// complete or absent, and nothing else is left.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import {pathToFileURL} from 'node:url';
import {folder, testdata} from './package_under_test.mjs';

const {runProgram} = await import(pathToFileURL(`${folder}/program.mjs`));
const {MemoryHost} = await import(pathToFileURL(`${folder}/memory_host.mjs`));

const bytes = new Uint8Array(fs.readFileSync(`${testdata}/bert_tiny.onnx`));
const outputs = ['/in_tagged.onnx', '/in_tagged_hierarchy.json'];

async function run(heardAt) {
  const host = new MemoryHost({'/in.onnx': bytes}, new Uint8Array(0), globalThis.crypto);
  let calls = 0;
  host.signal = () => (++calls >= heardAt ? os.constants.signals.SIGINT : 0);
  const code = await runProgram(['tag', 'in.onnx', '-q'], host);
  return {code, files: new Map(host.files()), folders: host.list('/')};
}

const whole = await run(Infinity);
assert.equal(whole.code, 0);
let stopped = 0;
for (let heardAt = 1, code = null; code !== 0; ++heardAt) {
  const {files, folders, ...result} = await run(heardAt);
  code = result.code;
  const written = outputs.filter((path) => files.has(path));
  assert.ok(written.length === 0 || written.length === 2, `${heardAt}: ${written}`);
  for (const path of written) {
    assert.ok(Buffer.from(files.get(path).bytes).equals(Buffer.from(whole.files.get(path).bytes)), path);
  }
  assert.deepEqual(folders.filter((name) => name.startsWith('.')), [], `heard at ${heardAt}`);
  stopped += code !== 0;
  assert.ok(heardAt < 10000);
}
assert.ok(stopped > 5, `${stopped} runs were stopped`);
console.log(`${stopped} runs were stopped, and left nothing`);
