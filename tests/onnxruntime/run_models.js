// SPDX-License-Identifier: Apache-2.0

// Runs pairs of models on the same inputs in onnxruntime and compares their outputs bit for bit:
//
//   node run_models.js < JOBS        with onnxruntime-node in NODE_PATH
//
// JOBS are lines of {"before": FILE, "after": FILE, "optimization": "disabled" | "all"}. Prints a line for each:
// {"before": FILE, "outcome": "same" | "different" | "not loadable" | "not runnable", "detail": ...}.
'use strict';

const { SIZES, bits, inputsOf, load, serve } = require('./models.js');

async function compare(job) {
  let before;
  try {
    before = await load(job.before, job.optimization);
  } catch (error) {
    return { outcome: 'not loadable', detail: error.message };
  }
  const after = await load(job.after, job.optimization);
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

serve(async (job) => {
  try {
    return { before: job.before, ...(await compare(job)) };
  } catch (error) {
    return { before: job.before, outcome: 'different', detail: error.message };
  }
});
