// SPDX-License-Identifier: Apache-2.0

// Saves a model as onnxruntime optimises it: optimise.mjs IN.onnx OUT.onnx [LEVEL]
import {createRequire} from 'node:module';

const {InferenceSession} = createRequire(process.cwd() + '/')('onnxruntime-node');
const [input, output, level = 'all'] = process.argv.slice(2);
await InferenceSession.create(input, {graphOptimizationLevel: level, optimizedModelFilePath: output});
