// SPDX-License-Identifier: Apache-2.0

// The program in WebAssembly, with a host for its system.

import {readProgram} from './program_file.mjs';
import create from './onnx_hier.mjs';

let program;

/** Takes a compiled WebAssembly.Module, where there is nothing beside this file to read it from. */
export function useProgram(compiled) {
  program = compiled;
}

/** Runs the program once; gives its exit code. */
export async function runProgram(args, host) {
  program ??= readProgram();
  const compiled = await program;
  const module = await create({
    host,
    thisProgram: 'onnx-hier',
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then((instance) => done(instance, compiled));
      return {};
    },
    quit(code, error) {
      throw error;
    },
  });
  return module.callMain(args);
}
