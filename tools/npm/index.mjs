// SPDX-License-Identifier: Apache-2.0

// The program's answers as JavaScript values. See index.d.ts.

import {MemoryHost} from './memory_host.mjs';
import {runProgram} from './program.mjs';

/** What the program would have said on its standard error; `code` is its exit code. */
export class OnnxHierError extends Error {
  constructor(message, code) {
    super(message);
    this.name = 'OnnxHierError';
    this.code = code;
  }
}

// A Blob is read where it is, if this is a worker: there a read need not wait.
class BlobSource {
  constructor(blob) {
    this.blob = blob;
    this.size = blob.size;
    this.reader = new FileReaderSync();
  }
  read(bytes, position) {
    const part = new Uint8Array(
        this.reader.readAsArrayBuffer(this.blob.slice(position, position + bytes.length)));
    bytes.set(part);
    return part.length;
  }
}

async function sourceOf(file) {
  if (typeof file === 'string') {
    const {openFile} = await import('./file_source.mjs');
    return openFile(file);
  }
  if (file instanceof URL && file.protocol === 'file:') {
    const [{openFile}, {fileURLToPath}] =
        await Promise.all([import('./file_source.mjs'), import('node:url')]);
    return openFile(fileURLToPath(file));
  }
  if (file instanceof URL) {
    const {openUrl} = await import('./url_source.mjs');
    return openUrl(file);
  }
  if (file instanceof ArrayBuffer) return new Uint8Array(file);
  if (ArrayBuffer.isView(file)) return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
  if (typeof Blob !== 'undefined' && file instanceof Blob) {
    return typeof FileReaderSync === 'undefined' ? new Uint8Array(await file.arrayBuffer()) :
                                                   new BlobSource(file);
  }
  if (typeof file?.size === 'number' && typeof file?.read === 'function') return file;
  throw new TypeError('a file is a path, a URL, a Uint8Array, an ArrayBuffer, a Blob, or {size, read}');
}

/** Runs a command on files in memory. */
export async function run(args, {files = {}, input = new Uint8Array(0)} = {}) {
  const given = {};
  try {
    for (const [path, file] of Object.entries(files)) given[path] = await sourceOf(file);
    // Node 18 has it not for all to see.
    const crypto = globalThis.crypto ?? (await import('node:crypto')).webcrypto;
    const host = new MemoryHost(given, input, crypto);
    const before = new Set([...host.files()].map(([, node]) => node));
    const code = await runProgram(args, host);
    const [, out, err] = host.streams;
    const written = {};
    for (const [path, node] of host.files()) if (!before.has(node)) written[path.slice(1)] = node.bytes;
    return {code, stdout: await out.bytes(), stderr: await err.text(), files: written};
  } finally {
    for (const file of Object.values(given)) file.close?.();
  }
}

function pathOf(url) {
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    return url.pathname;  // a "%" that begins nothing
  }
}

// What the program calls a file: its own name, where it has one.
function nameOf(file, otherwise = 'model.onnx') {
  const path = file instanceof URL ? pathOf(file) : file;
  const name = typeof path === 'string' ? path : file?.name;
  return (typeof name === 'string' && name.split(/[\\/]/).pop()) || otherwise;
}

// One command on one model.
async function ask(command, model, flags, more = {}) {
  const name = nameOf(model);
  const result = await run([command, `/${name}`, ...flags], {files: {[`/${name}`]: model, ...more}});
  if (result.code > 1) {
    throw new OnnxHierError(result.stderr.trim().replace(/^onnx-hier: \/?/, ''), result.code);
  }
  return {...result, text: new TextDecoder().decode(result.stdout)};
}

// What is misspelled would mean nothing, without a word.
function checkOptions(options, known) {
  const odd = Object.keys(options).find((name) => !known.includes(name));
  if (odd !== undefined) {
    throw new TypeError(`there is no option '${odd}'; known: ${known.join(', ')}`);
  }
}

function annotateFlags({minConfidence} = {}) {
  return minConfidence === undefined ? [] : ['--min-confidence', String(minConfidence)];
}

// Puts the files of a checkpoint where the program finds them, under the names that an index calls
// them by; their flags.
function checkpointFlags(checkpoint, more) {
  if (checkpoint === undefined) return [];
  const files = Array.isArray(checkpoint) ? checkpoint : [checkpoint];
  const paths = files.map((file, i) => `/checkpoint/${nameOf(file, `checkpoint${i}`)}`);
  paths.forEach((path, i) => { more[path] = files[i]; });
  // Of an index, the other files are its shards.
  const indices = paths.filter((path) => path.endsWith('.index.json'));
  return (indices.length ? indices : paths).flatMap((path) => ['--checkpoint', path]);
}

// The files that `tag` writes.
async function tagFiles(model, options = {}) {
  checkOptions(options, ['minConfidence', 'nameNodes', 'metadata', 'checkpoint']);
  const flags = ['-q', '-o', '/out/tagged.onnx', '--external-data', 'keep', ...annotateFlags(options)];
  if (options.nameNodes) {
    flags.push(options.nameNodes === 'unique' ? '--name-nodes=unique' : '--name-nodes');
  }
  if (options.metadata) flags.push('--metadata');
  const more = {};
  flags.push(...checkpointFlags(options.checkpoint, more));
  const {files} = await ask('tag', model, flags, more);
  return {model: files['out/tagged.onnx'], sidecar: files['out/tagged_hierarchy.json']};
}

/** Tags a model: its bytes with tags, and the hierarchy. */
export async function tag(model, options = {}) {
  const {model: tagged, sidecar} = await tagFiles(model, options);
  return {model: tagged, hierarchy: JSON.parse(new TextDecoder().decode(sidecar))};
}

async function sidecarText(model, options = {}) {
  checkOptions(options, ['minConfidence', 'values', 'checkpoint']);
  const flags = ['-q', '--sidecar-only', '--sidecar', '-', ...annotateFlags(options)];
  if (options.values) flags.push('--values');
  const more = {};
  flags.push(...checkpointFlags(options.checkpoint, more));
  return (await ask('tag', model, flags, more)).text;
}

/** The hierarchy alone, as `tag` writes it into the sidecar. */
export async function hierarchy(model, options = {}) {
  return JSON.parse(await sidecarText(model, options));
}

/** The modules as `tree --json` prints them. */
export async function tree(model, {columns, profile, graph, ...options} = {}) {
  checkOptions(options, ['columns', 'profile', 'graph', 'minConfidence', 'checkpoint']);
  const flags = ['--json', ...annotateFlags(options)];
  if (graph !== undefined) flags.push('--in', graph);
  if (columns !== undefined) flags.push('--columns', columns.join(','));
  const more = {};
  flags.push(...checkpointFlags(options.checkpoint, more));
  if (profile !== undefined) {
    const path = `/profile/${nameOf(profile, 'profile.json')}`;
    flags.push('--profile', path);
    more[path] = profile;
  }
  return JSON.parse((await ask('tree', model, flags, more)).text);
}

/** The page that `report` writes, as text. */
export async function report(model, {compare, profile, ...others} = {}) {
  checkOptions(others, ['compare', 'profile']);
  const flags = ['-q', '-o', '-'];
  const more = {};
  if (compare !== undefined) {
    const path = `/other/${nameOf(compare)}`;
    flags.push('--compare', path);
    more[path] = compare;
  }
  if (profile !== undefined) {
    const path = `/profile/${nameOf(profile, 'profile.json')}`;
    flags.push('--profile', path);
    more[path] = profile;
  }
  return (await ask('report', model, flags, more)).text;
}

/** Which initializer is which tensor of the checkpoint, as `weights --json` prints it. */
export async function weights(model, checkpoint, {require = [], tolerance, ...others} = {}) {
  checkOptions(others, ['require', 'tolerance']);
  const more = {};
  const flags = ['--json', ...checkpointFlags(checkpoint, more)];
  for (const pattern of [require].flat()) flags.push('--require', pattern);
  if (tolerance !== undefined) flags.push('--tolerance', String(tolerance));
  return JSON.parse((await ask('weights', model, flags, more)).text);
}

/** The nodes that `check` doubts, as `check --json` prints them. */
export async function check(model, {fresh = false, ...others} = {}) {
  checkOptions(others, ['fresh']);
  return JSON.parse((await ask('check', model, ['--json', ...(fresh ? ['--fresh'] : [])])).text);
}
