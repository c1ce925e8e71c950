// Runs parts of a model in onnxruntime on what the whole model computed, and compares bit for bit:
//
//   node run_parts.js < JOBS        with onnxruntime-node in NODE_PATH
//
// JOBS are lines of
//   {"record": FILE}  a model that gives out all its values. They are kept until the next one; the
//                     answer is {"outcome": "recorded", "types": {NAME: TYPE, ...}}
//   {"part": FILE}    a part of it: {"outcome": "identical" | "different" | "random" |
//                     "not comparable" | "not runnable", "detail": ...}
// A model that onnxruntime refuses is "not loadable", with what it says.
'use strict';

const { SIZES, TYPES, bits, inputsOf, load, serve } = require('./models.js');

// Tensors by name; of the model that was recorded last.
let recorded = new Map();
// Names of what comes out differently each time.
let random = new Set();

// Sequences, and types that JavaScript has no arrays for, cannot be taken out.
const comparable = (session) =>
  session.outputMetadata.filter((o) => o.isTensor && o.type in TYPES).map((o) => o.name);

async function runTwice(session) {
  const names = comparable(session);
  let last;
  for (const size of SIZES) {
    try {
      const feeds = inputsOf(session, size);
      const first = await session.run(feeds, names);
      const second = await session.run(feeds, names);
      recorded = new Map([...Object.entries(feeds), ...Object.entries(first)]);
      random = new Set(names.filter((name) => bits(first[name]) !== bits(second[name])));
      return;
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

async function record(session) {
  recorded = new Map();
  await runTwice(session);
  const types = {};
  for (const [name, tensor] of recorded) types[name] = tensor.type;
  return { outcome: 'recorded', types };
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
  const found = await session.run(feeds, names);
  const wrong = names.filter((name) => bits(found[name]) !== bits(recorded.get(name)));
  if (wrong.length === 0) return { outcome: 'identical', detail: `${names.length} outputs` };
  const by_chance = wrong.every((name) => random.has(name));
  return { outcome: by_chance ? 'random' : 'different', detail: wrong.join(', ') };
}

serve(async (job) => {
  let session;
  try {
    session = await load(job.record ?? job.part);
  } catch (error) {
    return { outcome: 'not loadable', detail: error.message };
  }
  try {
    return await (job.record ? record(session) : runPart(session));
  } catch (error) {
    return { outcome: 'not runnable', detail: error.message };
  } finally {
    await session.release();
  }
});
