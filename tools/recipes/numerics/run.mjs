// SPDX-License-Identifier: Apache-2.0

// Runs a model in onnxruntime, and saves all that it gives out.
//
//   npm install onnxruntime-node
//   node run.mjs MODEL.onnx OUT.npz FEEDS.npz...
//
// FEEDS: files of numpy.savez with the inputs by name, of which the last one counts. A model of
// 'onnx-hier probe --isolated' is given the values of the original as well.
import {createRequire} from 'node:module';
import {readFileSync, writeFileSync} from 'node:fs';
import {inflateRawSync} from 'node:zlib';

const {InferenceSession, Tensor} = createRequire(process.cwd() + '/')('onnxruntime-node');

const kTypes = [  // of numpy, of onnxruntime, what holds them
  ['<f4', 'float32', Float32Array], ['<f2', 'float16', globalThis.Float16Array ?? Uint16Array],
  ['<f8', 'float64', Float64Array], ['|i1', 'int8', Int8Array], ['|u1', 'uint8', Uint8Array],
  ['<i2', 'int16', Int16Array], ['<u2', 'uint16', Uint16Array], ['<i4', 'int32', Int32Array],
  ['<u4', 'uint32', Uint32Array], ['<i8', 'int64', BigInt64Array], ['<u8', 'uint64', BigUint64Array],
  ['|b1', 'bool', Uint8Array],
];

function readNpy(bytes) {
  const start = bytes[6] > 1 ? 12 + bytes.readUInt32LE(8) : 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, start);
  const name = /'descr': *'([^']*)'/.exec(header)[1];
  const type = kTypes.find((one) => one[0] === name);
  if (!type || /'fortran_order': *True/.test(header)) throw Error(`cannot read ${header}`);
  const shape = /'shape': *\(([^)]*)\)/.exec(header)[1].split(',').filter((s) => s.trim()).map(Number);
  return new Tensor(type[1], new type[2](new Uint8Array(bytes.subarray(start)).buffer), shape);
}

function readNpz(path) {
  const bytes = readFileSync(path);
  const arrays = {};
  let at = bytes.readUInt32LE(bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1') + 16);
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const size = bytes.readUInt32LE(at + 20), length = bytes.readUInt16LE(at + 28);
    const local = bytes.readUInt32LE(at + 42);
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(begin, begin + size);
    const name = bytes.toString('utf8', at + 46, at + 46 + length).replace(/\.npy$/, '');
    arrays[name] = readNpy(bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(data) : data);
    at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return arrays;
}

const kCrcTable = Uint32Array.from({length: 256}, (_, n) => {
  for (let i = 0; i < 8; ++i) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) crc = kCrcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}

function writeNpz(path, tensors) {
  const parts = [], entries = [];
  let offset = 0;
  const add = (bytes) => { parts.push(bytes); offset += bytes.length; };
  for (const [name, tensor] of Object.entries(tensors)) {
    const type = kTypes.find((one) => one[1] === tensor.type);
    if (!type) continue;
    const shape = tensor.dims.length === 1 ? `(${tensor.dims[0]},)` : `(${tensor.dims.join(', ')})`;
    let header = `{'descr': '${type[0]}', 'fortran_order': False, 'shape': ${shape}, }`;
    header = header.padEnd(64 * Math.ceil((header.length + 11) / 64) - 11) + '\n';
    const length = Buffer.alloc(2);
    length.writeUInt16LE(header.length);
    const values = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
    const data = Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), length,
                                Buffer.from(header, 'latin1'), values]);
    const file = Buffer.from(name + '.npy');
    const head = Buffer.alloc(26);  // what both the local and the central header hold
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(0x800, 2);  // names are UTF-8
    head.writeUInt32LE(crc32(data), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(data.length, 18);
    head.writeUInt16LE(file.length, 22);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, more, file]));
    add(Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, file]));
    add(data);
  }
  const directory = Buffer.concat(entries), end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  writeFileSync(path, Buffer.concat([...parts, directory, end]));
}

const [model, output, ...files] = process.argv.slice(2);
const arrays = Object.assign({}, ...files.map(readNpz));
const session = await InferenceSession.create(model, {graphOptimizationLevel: 'disabled'});
const feeds = {};
for (const name of session.inputNames) {
  feeds[name] = arrays[name] ?? arrays[name.replace(/\/given$/, '')];
  if (!feeds[name]) throw Error(`no file of feeds has the input ${name}`);
}
writeNpz(output, {...feeds, ...await session.run(feeds)});
