// SPDX-License-Identifier: Apache-2.0

// Each model of testdata, with its files beside it, by the package in memory and by the native program:
// the same exit codes, texts and bytes.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {models, native, onnxHier, testdata} from './package_under_test.mjs';

const commands = [
  (name) => ['tag', name, '-q', '-o', 'out/t.onnx', '--metadata', '--values', '--external-data', 'keep'],
  (name) => ['tree', name],
  (name) => ['tree', name, '--json'],
  (name) => ['report', name, '-q', '-o', 'out/page.html'],
  (name) => ['check', name, '--fresh', '--json'],
  (name) => ['fold', name, '-q', '-o', 'out/f.onnx', '--external-data', 'keep'],
  (name) => ['export', name, '--format', 'graphml', '-o', '-'],
];

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'onnx-hier-npm-'));
process.on('exit', () => fs.rmSync(work, {recursive: true}));
let compared = 0;
for (const model of models) {
  const stem = model.replace(/\.onnx$/, '');
  const beside = fs.readdirSync(testdata).filter(
      (name) => name === model || (name.startsWith(stem + '.') && !name.endsWith('.onnx')));
  for (const command of commands) {
    const here = fs.mkdtempSync(path.join(work, 'native-'));
    fs.mkdirSync(path.join(here, 'out'));
    const files = {};
    for (const name of beside) {
      fs.copyFileSync(path.join(testdata, name), path.join(here, name));
      files[name] = fs.readFileSync(path.join(testdata, name));
    }
    const expected = spawnSync(native, command(model), {cwd: here, maxBuffer: 1 << 28});
    const actual = await onnxHier.run(command(model), {files});

    const what = command(model).join(' ');
    assert.equal(actual.stderr, expected.stderr.toString(), what);
    assert.equal(actual.code, expected.status, what);
    assert.deepEqual(Buffer.from(actual.stdout), expected.stdout, what);
    const written = fs.readdirSync(path.join(here, 'out')).map((name) => `out/${name}`);
    assert.deepEqual(Object.keys(actual.files).sort(), written.sort(), what);
    for (const name of written) {
      assert.ok(Buffer.from(actual.files[name]).equals(fs.readFileSync(path.join(here, name))),
                `${what}: other bytes in ${name}`);
      ++compared;
    }
    fs.rmSync(here, {recursive: true});
  }
}
console.log(`${models.length} models, ${commands.length} commands, ${compared} files: all alike`);
