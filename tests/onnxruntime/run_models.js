// Runs pairs of models on the same inputs in onnxruntime and compares their outputs bit for bit:
//
//   node run_models.js < JOBS        with onnxruntime-node in NODE_PATH
//
// JOBS are lines of {"before": FILE, "after": FILE}. Prints a line for each:
// {"before": FILE, "outcome": "same" | "different" | "not loadable" | "not runnable", "detail": ...}.
// The inputs are made from the models' own descriptions and nothing else: the same in each run.
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

async function load(path) {
  // Every node runs as it stands in the file, in the file's order.
  return ort.InferenceSession.create(path, {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 4,
  });
}

async function compare(job) {
  let before;
  try {
    before = await load(job.before);
  } catch (error) {
    return { outcome: 'not loadable', detail: error.message };
  }
  const after = await load(job.after);
  let last;
  for (const size of SIZES) {
    let feeds, expected;
    try {
      feeds = inputsOf(before, size);
      expected = await before.run(feeds);
    } catch (error) {
      last = error;
      continue;
    }
    const found = await after.run(feeds);
    const wrong = Object.keys(expected).filter((name) => bits(expected[name]) !== bits(found[name]));
    const again = await before.run(feeds);
    const random = Object.keys(expected).filter((n) => bits(expected[n]) !== bits(again[n]));
    const outputs = Object.keys(expected).length;
    // What differs from run to run by itself (random operators) proves nothing.
    if (random.length > 0) return { outcome: 'not runnable', detail: 'outputs are random' };
    return wrong.length === 0
      ? { outcome: 'same', detail: `${outputs} outputs` }
      : { outcome: 'different', detail: wrong.join(', ') };
  }
  return { outcome: 'not runnable', detail: last.message };
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const job = JSON.parse(line);
    let result;
    try {
      result = await compare(job);
    } catch (error) {
      result = { outcome: 'different', detail: error.message };
    }
    process.stdout.write(JSON.stringify({ before: job.before, ...result }) + '\n');
  }
}

main();
