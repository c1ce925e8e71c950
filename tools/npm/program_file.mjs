// SPDX-License-Identifier: Apache-2.0

// The program's own file, compiled.

export async function readProgram() {
  const place = new URL('./onnx_hier.wasm', import.meta.url);
  if (place.protocol !== 'file:' || typeof process === 'undefined') {
    return WebAssembly.compileStreaming(fetch(place));
  }
  const {readFile} = await import('node:fs/promises');
  return WebAssembly.compile(await readFile(place));
}
