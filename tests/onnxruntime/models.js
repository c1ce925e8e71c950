// SPDX-License-Identifier: Apache-2.0

// What the programs here share: models in onnxruntime, inputs for them, and what came out as text.
//
// Needs onnxruntime-node in NODE_PATH. The inputs are made from the models' own descriptions and
// nothing else: the same in each run.
'use strict';

const ort = require('onnxruntime-node');
const readline = require('node:readline');

// Sizes tried for dimensions that are symbolic, until one runs.
const SIZES = [2, 1, 4, 8, 16, 32, 128, 224];
const LARGEST_INPUT = 1 << 24;

const TYPES = {
  float32: (n) => Float32Array.from({ length: n }, (_, i) => Math.sin(i + 1)),
  float64: (n) => Float64Array.from({ length: n }, (_, i) => Math.sin(i + 1)),
  float16: (n) => Uint16Array.from({ length: n }, (_, i) => 0x3c00 + (i % 64)),
  int64: (n) => BigInt64Array.from({ length: n }, (_, i) => BigInt(i % 2)),
  uint64: (n) => BigUint64Array.from({ length: n }, (_, i) => BigInt(i % 2)),
  int32: (n) => Int32Array.from({ length: n }, (_, i) => i % 2),
  uint32: (n) => Uint32Array.from({ length: n }, (_, i) => i % 2),
  int16: (n) => Int16Array.from({ length: n }, (_, i) => i % 2),
  uint16: (n) => Uint16Array.from({ length: n }, (_, i) => i % 2),
  int8: (n) => Int8Array.from({ length: n }, (_, i) => i % 2),
  uint8: (n) => Uint8Array.from({ length: n }, (_, i) => i % 2),
  bool: (n) => Uint8Array.from({ length: n }, (_, i) => i % 2),
  string: (n) => Array.from({ length: n }, (_, i) => `text ${i % 3}`),
};

function inputsOf(session, size) {
  const feeds = {};
  for (const input of session.inputMetadata) {
    if (!input.isTensor) throw new Error(`input ${input.name} is no tensor`);
    const dims = input.shape.map((d) => (typeof d === 'number' && d > 0 ? d : size));
    const count = dims.reduce((a, b) => a * b, 1);
    if (count > LARGEST_INPUT) throw new Error(`input ${input.name} is too large`);
    feeds[input.name] = new ort.Tensor(input.type, TYPES[input.type](count), dims);
  }
  return feeds;
}

// An output as text that is equal only for equal bits: -0 is not 0, a NaN is its payload.
function bits(tensor) {
  if (tensor === undefined || tensor.type === undefined) return 'no tensor';
  const head = `${tensor.type} [${tensor.dims}] `;
  if (Array.isArray(tensor.data)) return head + JSON.stringify(tensor.data);
  const { buffer, byteOffset, byteLength } = tensor.data;
  return head + Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

// Unless it is to be optimised, every node runs as it stands in the file, in the file's order.
async function load(path, optimization = 'disabled') {
  return ort.InferenceSession.create(path, {
    graphOptimizationLevel: optimization,
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 4,
  });
}

// Answers each line of the standard input, a JSON text, with one of what `answer` makes of it.
async function serve(answer) {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await answer(JSON.parse(line))) + '\n');
  }
}

module.exports = { SIZES, TYPES, bits, inputsOf, load, serve };
