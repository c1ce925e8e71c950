// SPDX-License-Identifier: Apache-2.0

// Runs parts of a model in onnxruntime on what the whole model computed, or one after the other, and
// compares bit for bit:
//
//   node run_parts.js < JOBS        with onnxruntime-node in NODE_PATH
//
// JOBS are lines of
//   {"record": FILE, "other": FILE}
//                     a model, and the same that gives out more or fewer of its values. What the
//                     first one gives is kept until the next one; the answer is
//                     {"outcome": "recorded", "types": {NAME: TYPE, ...}}
//   {"part": FILE}    a part of it: {"outcome": "identical" | "rounded" | "random" | "different" |
//                     "not comparable" | "not runnable", "detail": ...}
//   {"chain": [FILE, ...]}
//                     parts that run one after the other, each on the inputs of the recorded model
//                     and on what those before it gave; the outcome is as of a part
// A model that onnxruntime refuses is "not loadable", with what it says.
'use strict';

const { SIZES, TYPES, bits, inputsOf, load, serve } = require('./models.js');

// Tensors by name; of the model that was recorded last.
let recorded = new Map();
let inputs = {};
let outputs = [];
// Names of what comes out differently each time.
let random = new Set();
// Whether the model computes something else when it gives out other values: see ROUNDING.
let is_disturbed = false;

// Sequences, and types that JavaScript has no arrays for, cannot be taken out.
const comparable = (session) =>
  session.outputMetadata.filter((o) => o.isTensor && o.type in TYPES).map((o) => o.name);

// Where it has no kernel for float16, onnxruntime computes in float32 and rounds what is given out,
// but not what one node hands to the next: giving values out changes what it computes.
const ROUNDING = 2 ** -7;

function numberOf(half) {
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction);
}

const hasHalves = () => [...recorded.values()].some((tensor) => tensor.type === 'float16');

const numbersOf = ({ type, data }) => Array.from(data, type === 'float16' ? numberOf : Number);

function isRounding(a, b) {
  if (a.type !== b.type || `${a.dims}` !== `${b.dims}` || a.type === 'string') return false;
  const [of_a, of_b] = [numbersOf(a), numbersOf(b)];
  const largest = of_a.reduce((so_far, x) => Math.max(so_far, Math.abs(x)), 0);
  return of_a.every((x, i) => Math.abs(x - of_b[i]) <= ROUNDING * largest);
}

async function runTwice(session) {
  const names = comparable(session);
  let last;
  for (const size of SIZES) {
    try {
      const feeds = inputsOf(session, size);
      const first = await session.run(feeds, names);
      const second = await session.run(feeds, names);
      recorded = new Map([...Object.entries(feeds), ...Object.entries(first)]);
      [inputs, outputs] = [feeds, names];
      random = new Set(names.filter((name) => bits(first[name]) !== bits(second[name])));
      return feeds;
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

async function isDisturbed(path, feeds) {
  const session = await load(path);
  try {
    const names = comparable(session).filter((name) => recorded.has(name));
    const found = await session.run(feeds, comparable(session));
    return names.some((name) => bits(found[name]) !== bits(recorded.get(name)));
  } finally {
    await session.release();
  }
}

async function record(session, path) {
  recorded = new Map();
  const feeds = await runTwice(session);
  is_disturbed = hasHalves() && (await isDisturbed(path, feeds));
  const types = {};
  for (const [name, tensor] of recorded) types[name] = tensor.type;
  return { outcome: 'recorded', types };
}

// How what was found for some names stands to what was recorded.
function judge(found, names) {
  const wrong = names.filter((name) => bits(found[name]) !== bits(recorded.get(name)));
  if (wrong.length === 0) return { outcome: 'identical', detail: `${names.length} outputs` };
  const detail = wrong.join(', ');
  if (wrong.every((name) => random.has(name))) return { outcome: 'random', detail };
  const is_rounding = (name) => name in found && isRounding(recorded.get(name), found[name]);
  const is_harmless = is_disturbed || (hasHalves() && wrong.every(is_rounding));
  return { outcome: is_harmless ? 'rounded' : 'different', detail };
}

async function runPart(session) {
  const feeds = {};
  for (const name of session.inputNames) {
    if (!recorded.has(name)) {
      return { outcome: 'not comparable', detail: `input ${name} was not recorded` };
    }
    feeds[name] = recorded.get(name);
  }
  const names = comparable(session).filter((name) => recorded.has(name));
  if (names.length === 0) return { outcome: 'not comparable', detail: 'no output was recorded' };
  return judge(await session.run(feeds, names), names);
}

async function runChain(files) {
  const values = { ...inputs };
  const lost = new Set(); // what was given out in a form that cannot be handed on here
  for (const file of files) {
    const session = await load(file);
    try {
      const missing = session.inputNames.filter((name) => !(name in values));
      if (missing.length > 0) {
        const is_lost = missing.every((name) => lost.has(name));
        const detail = `${file} reads ${missing.join(', ')}`;
        return { outcome: is_lost ? 'not comparable' : 'different', detail };
      }
      const names = comparable(session);
      for (const name of session.outputNames) if (!names.includes(name)) lost.add(name);
      const feeds = Object.fromEntries(session.inputNames.map((name) => [name, values[name]]));
      if (names.length > 0) Object.assign(values, await session.run(feeds, names));
    } finally {
      await session.release();
    }
  }
  return judge(values, outputs);
}

async function answer(job) {
  let session;
  try {
    session = await load(job.record ?? job.part);
  } catch (error) {
    return { outcome: 'not loadable', detail: error.message };
  }
  try {
    return await (job.record ? record(session, job.other) : runPart(session));
  } finally {
    await session.release();
  }
}

serve(async (job) => {
  try {
    return await (job.chain ? runChain(job.chain) : answer(job));
  } catch (error) {
    return { outcome: 'not runnable', detail: error.message };
  }
});
