// SPDX-License-Identifier: Apache-2.0

// What index.d.ts promises.

import assert from 'node:assert/strict';
import {once} from 'node:events';
import fs from 'node:fs';
import {createServer} from 'node:net';
import {pathToFileURL} from 'node:url';
import {Worker} from 'node:worker_threads';
import {gzipSync} from 'node:zlib';
import {folder, onnxHier, root, testdata} from './package_under_test.mjs';

const {OnnxHierError, check, hierarchy, report, run, tag, tree, weights} = onnxHier;
const place = `${testdata}/bert_tiny.onnx`;
const bytes = new Uint8Array(fs.readFileSync(place));

// Every way to give a model.
const sources = [place, bytes, bytes.buffer, new Blob([bytes]),
                 {size: bytes.length, read: (out, at) => {
                   const part = bytes.subarray(at, at + out.length);
                   out.set(part);
                   return part.length;
                 }}];
const trees = await Promise.all(sources.map((source) => tree(source)));
for (const one of trees) assert.deepEqual(one.modules, trees[0].modules);
assert.equal(trees[0].model.file, 'bert_tiny.onnx');
assert.equal(trees[1].model.file, 'model.onnx');
const named = await tree(Object.assign(new Blob([bytes]), {name: 'mine.onnx'}));
assert.equal(named.model.file, 'mine.onnx');

assert.deepEqual((await tree(pathToFileURL(place))).modules, trees[0].modules);
for (const ask of [tag, hierarchy, tree, report, check]) {
  await assert.rejects(ask(bytes, {foo: 1}), /TypeError: there is no option 'foo'; known: /);
}
await assert.rejects(weights(bytes, bytes, {foo: 1}), /there is no option 'foo'/);

// What they give.
const tagged = await tag(bytes);
assert.equal(tagged.hierarchy.nodes.length, 300);
assert.deepEqual((await hierarchy(tagged.model)).nodes, tagged.hierarchy.nodes);
assert.ok((await hierarchy(bytes, {values: true})).nodes[0].outputs.length > 0);
const table = new Blob(['name,ep\n/cls/predictions/decoder/MatMul,NPU\n']);
const measured = await tree(bytes, {columns: ['operators'], profile: Object.assign(table, {name: 'ep.csv'})});
assert.deepEqual(measured.measures.map(({id, unit}) => [id, unit]),
  [['operators', 'words'], ['ep', 'words']]);
const decoder = measured.modules.find(({path}) => path === '/cls/predictions/decoder');
assert.deepEqual(decoder.measures.ep.words, {NPU: 1});
assert.equal(decoder.measures.operators.total, decoder.total_nodes);
const sure = await tree(bytes, {minConfidence: 1});
assert.ok(sure.modules[0].nodes >= trees[0].modules[0].nodes);
assert.match(await report(bytes), /^<!DOCTYPE html>/i);
assert.match(await report(bytes, {compare: tagged.model}), /^<!DOCTYPE html>/i);
assert.deepEqual((await check(tagged.model)).findings, []);
assert.equal((await check(bytes, {fresh: true})).tags.source, 'fresh');
const recogniser = `${testdata}/recogniser.onnx`;
const checkpoint = `${testdata}/recogniser.safetensors`;
const matched = await weights(recogniser, checkpoint, {require: 'all'});
assert.deepEqual(matched.unmet, []);
assert.deepEqual(matched.weights.find(({weight}) => weight === 'onnx::MatMul_375').tensors, ['head.weight']);
const inMemory = new Blob([fs.readFileSync(checkpoint)]);
assert.equal((await hierarchy(recogniser, {checkpoint: [inMemory]})).checkpoint[0].file, 'checkpoint0');

// What need not be known is not read: here a field of almost 2 GiB that no version of ONNX has.
const fieldSize = 0x7f000000;
const begin = new Uint8Array([...bytes, 0xfa, 0x7f, 0x80, 0x80, 0x80, 0xf8, 0x07]);
let read = 0;
const large = {size: begin.length + fieldSize, read: (out, at) => {
  out.set(begin.subarray(at, at + out.length));
  read += out.length;
  return Math.min(out.length, large.size - at);
}};
assert.deepEqual((await hierarchy(large)).nodes, tagged.hierarchy.nodes);
assert.ok(read <= begin.length + 2 ** 20, `${read} bytes were read`);
// Twice that is more than there are addresses.
assert.match(await report(large), /^<!DOCTYPE html>/i);

// Nor fetched, from a server that gives parts.
const server = new Worker(new URL('server.mjs', import.meta.url), {workerData: {begin, size: large.size, bytes}});
const [port] = await once(server, 'message');
const at = (name) => new URL(name, `http://127.0.0.1:${port}`);
for (const name of ['large one.onnx', 'small.onnx', 'whole.onnx']) {
  const answer = await hierarchy(at(name));
  assert.deepEqual(answer.nodes, tagged.hierarchy.nodes);
  assert.equal(answer.model.file, name);
}
server.postMessage('how many requests?');
const [requests] = await once(server, 'message');
assert.ok(requests <= 6, `${requests} requests`);
// One that does not say of how much is asked for all.
assert.deepEqual((await hierarchy(at('unsized.onnx'))).nodes, tagged.hierarchy.nodes);
assert.match(await report(at('large.onnx'), {compare: at('whole.onnx')}), /^<!DOCTYPE html>/i);

// Errors are the program's.
const isError = (code, message) => (error) =>
    error instanceof OnnxHierError && error.code === code && message.test(error.message);
await assert.rejects(tree(new Uint8Array([1, 2, 3])), isError(2, /^model\.onnx: .*not an ONNX model/));
await assert.rejects(check(bytes), isError(2, /has no tags to check/));
await assert.rejects(tree(bytes, {minConfidence: 7}), isError(2, /--min-confidence/));
await assert.rejects(tree(42), TypeError);
await assert.rejects(tree('/nowhere/model.onnx'), {code: 'ENOENT'});
await assert.rejects(tree({size: 5 * 2 ** 30, read: () => 0}), isError(2, /too large for a 32-bit build/));

await assert.rejects(tree(at('gone.onnx')), isError(2, /gone\.onnx: 404 Not Found/));
await assert.rejects(tree(at('breaks.onnx')), isError(2, /breaks\.onnx: /));
await assert.rejects(tree(at('changes.onnx')), isError(2, /changes\.onnx: it was changed while/));
await assert.rejects(tree(at('other.onnx')), isError(2, /other\.onnx: the server gives another part/));
await server.terminate();
// Where nobody listens, nor ever did: a connection that was kept would be closed, not refused.
const listener = createServer().listen(0, '127.0.0.1');
await once(listener, 'listening');
const nowhere = `http://127.0.0.1:${listener.address().port}/none.onnx`;
listener.close();
await once(listener, 'close');
await assert.rejects(tree(new URL(nowhere)), isError(2, /none\.onnx: .*ECONNREFUSED/));

// Any command, and standard input.
const result = await run(['extract', 'in.onnx', '/bert/encoder/layer.0', '-q'], {files: {'in.onnx': bytes}});
assert.equal(result.code, 0, result.stderr);
assert.equal(Object.keys(result.files).length, 1);
const piped = await run(['tree', '-', '--json'], {input: bytes});
assert.deepEqual(JSON.parse(new TextDecoder().decode(piped.stdout)).modules, trees[0].modules);
assert.equal((await run(['no-command'])).code, 2);
assert.equal((await run(['tree', 'in.onnx'])).code, 2);

// The types name all that there is, and what the schemas ask for.
const types = fs.readFileSync(`${folder}/index.d.ts`, 'utf8');
const exported = [...types.matchAll(/^export (?:function|class) (\w+)/gm)].map((match) => match[1]);
assert.deepEqual(exported.sort(), Object.keys(onnxHier).sort());
const schema = JSON.parse(fs.readFileSync(`${root}/schemas/sidecar.schema.json`, 'utf8'));
for (const [type, name] of [['Module', 'module'], ['Node', 'node'], ['Parameter', 'parameter'],
                            ['ModelInfo', 'model']]) {
  const body = types.match(new RegExp(`^export interface ${type} \\{\\n([^]*?)^\\}`, 'm'))[1];
  const fields = [...body.matchAll(/^  (\w+)(\??):/gm)];
  const {properties, required} = schema.$defs[name];
  assert.deepEqual(fields.map((field) => field[1]).sort(), Object.keys(properties).sort(), type);
  assert.deepEqual(fields.filter((field) => !field[2]).map((field) => field[1]).sort(), required.sort(), type);
}

// A download is not more than 1.5 MB.
let packed = 0;
for (const name of fs.readdirSync(folder)) packed += gzipSync(fs.readFileSync(`${folder}/${name}`)).length;
assert.ok(packed <= 1.5e6, `${packed} bytes`);

const manifest = JSON.parse(fs.readFileSync(`${folder}/package.json`, 'utf8'));
assert.match(manifest.version, /^\d+\.\d+\.\d+$/);
assert.equal(manifest.name, 'onnx-hier');
