// SPDX-License-Identifier: Apache-2.0

// Runs models with onnxruntime's profiling:
//
//   node run_profiled.js < JOBS      with onnxruntime-node in NODE_PATH
//
// JOBS are lines of {"model": FILE, "optimization": "disabled" | ... | "all", "saved": FILE,
// "prefix": PATH, "runs": N}. The model is saved as it was optimised, and the profile appears as
// PREFIX_<date>.json. Prints a line for each: {"outcome": "ran" | "not loadable" | "not runnable"};
// of one that ran with the shapes of its "inputs", by name.
'use strict';

const ort = require('onnxruntime-node');
const { SIZES, inputsOf, serve } = require('./models.js');

async function profiled(job) {
  let session;
  try {
    session = await ort.InferenceSession.create(job.model, {
      graphOptimizationLevel: job.optimization,
      optimizedModelFilePath: job.saved,
      enableProfiling: true,
      profileFilePrefix: job.prefix,
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 4,
    });
  } catch (error) {
    return { outcome: 'not loadable', detail: error.message };
  }
  let last;
  for (const size of SIZES) {
    try {
      const feeds = inputsOf(session, size);
      for (let run = 0; run < job.runs; run++) await session.run(feeds);
      session.endProfiling();
      const inputs = Object.fromEntries(Object.entries(feeds).map(([name, t]) => [name, t.dims]));
      return { outcome: 'ran', inputs };
    } catch (error) {
      last = error;
    }
  }
  return { outcome: 'not runnable', detail: last.message };
}

serve(profiled);
