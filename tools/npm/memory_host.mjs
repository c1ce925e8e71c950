// SPDX-License-Identifier: Apache-2.0

// A host for the program (see system.js): files in memory, and ones that are read where they are.
//
// Such a source has a `size` in bytes and `read(bytes, position)`, which fills the array from there on
// and returns how many bytes it has put in, without waiting.

const kFolder = 0o040000;
const kRegular = 0o100000;
const kPipe = 0o010000;

function fail(code) {
  throw Object.assign(new Error(code), {code});
}

// '/in/../a//b' -> '/a/b'
function normal(path) {
  const parts = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return '/' + parts.join('/');
}

const folderOf = (path) => path.slice(0, Math.max(path.lastIndexOf('/'), 1));

let nodes = 0;

class Node {
  // `contents`: bytes, or a source.
  constructor(mode, contents = new Uint8Array(0)) {
    this.number = BigInt(++nodes);
    this.mode = mode;
    this.names = 1;
    this.time = BigInt(Date.now()) * 1000000n;
    const isSource = !(contents instanceof Uint8Array);
    this.source = isSource ? contents : null;
    this.room = isSource ? new Uint8Array(0) : contents;
    this.size = isSource ? contents.size : contents.length;
  }
  get isFolder() {
    return (this.mode & kFolder) !== 0;
  }
  get bytes() {
    return this.room.subarray(0, this.size);
  }
  status() {
    return {dev: 1n, ino: this.number, mode: BigInt(this.mode), nlink: BigInt(this.names), uid: 0n,
            gid: 0n, size: BigInt(this.size), mtimeNs: this.time};
  }
  setMode(mode) {
    this.mode = (this.mode & ~0o7777) | mode;
  }
  setSize(size) {
    if (this.source) fail('EROFS');
    if (size > this.room.length) {
      let room;
      try {
        // Grown by halves, so that many small writes do not copy all each time.
        room = new Uint8Array(Math.max(size, Math.ceil(this.room.length * 1.5)));
      } catch {
        fail('ENOSPC');
      }
      room.set(this.bytes);
      this.room = room;
    } else {
      this.room.fill(0, size, Math.max(size, this.size));
    }
    this.size = size;
  }
}

// An open file or folder.
class Opened {
  constructor(node) {
    this.node = node;
    this.isTerminal = false;
    this.isStream = false;
  }
  read(bytes, position) {
    if (this.node.isFolder) fail('EISDIR');
    if (this.node.source) return this.node.source.read(bytes, position);
    const part = this.node.bytes.subarray(position, position + bytes.length);
    bytes.set(part);
    return part.length;
  }
  write(bytes, position) {
    if (position + bytes.length > this.node.size) this.node.setSize(position + bytes.length);
    this.node.room.set(bytes, position);
    return bytes.length;
  }
  status() {
    return this.node.status();
  }
  setSize(size) {
    this.node.setSize(size);
  }
  setMode(mode) {
    this.node.setMode(mode);
  }
  setOwner() {}
  sync() {}
  close() {}
}

class Stream {
  constructor(input) {
    this.isTerminal = false;
    this.isStream = true;
    this.input = input;
    this.at = 0;
    this.written = [];
  }
  read(bytes) {
    const part = this.input.subarray(this.at, this.at + bytes.length);
    bytes.set(part);
    this.at += part.length;
    return part.length;
  }
  write(bytes) {
    this.written.push(bytes.slice());
    return bytes.length;
  }
  status() {
    return new Node(kPipe).status();
  }
  sync() {}
  close() {}
  async text() {
    return new Blob(this.written).text();
  }
  async bytes() {
    return new Uint8Array(await new Blob(this.written).arrayBuffer());
  }
}

export class MemoryHost {
  // `files` by path: Uint8Arrays, or sources. `input` is what standard input has. `crypto`, the
  // standard one, gives random numbers.
  constructor(files, input, crypto) {
    this.crypto = crypto;
    this.tree = new Map();
    for (const path of ['/', '/out', '/var', '/var/tmp']) this.tree.set(path, new Node(kFolder | 0o777));
    this.streams = [new Stream(input), new Stream(), new Stream()];
    for (const [path, file] of Object.entries(files)) this.addFile(normal(path), file);
  }

  addFile(path, file) {
    for (let folder = folderOf(path); !this.tree.has(folder); folder = folderOf(folder)) {
      this.tree.set(folder, new Node(kFolder | 0o777));
    }
    this.tree.set(path, new Node(kRegular | 0o666, file));
  }

  // All files, by path.
  *files() {
    for (const [path, node] of this.tree) if (!node.isFolder) yield [path, node];
  }

  find(path) {
    return this.tree.get(path) ?? fail('ENOENT');
  }
  // Whether a name can be put there.
  checkFolderAround(path) {
    if (!this.find(folderOf(path)).isFolder) fail('ENOTDIR');
  }

  stream(number) {
    return this.streams[number];
  }
  open(name, how, mode) {
    const path = normal(name);
    let node = this.tree.get(path);
    if (path === '/dev/null') return new Stream(new Uint8Array(0));
    if (node && how.create && how.exclusive) fail('EEXIST');
    if (!node) {
      if (!how.create) fail('ENOENT');
      this.checkFolderAround(path);
      node = new Node(kRegular | (mode & 0o777));
      this.tree.set(path, node);
    }
    if (how.folder && !node.isFolder) fail('ENOTDIR');
    if (how.write && node.isFolder) fail('EISDIR');
    if (how.write && node.source) fail('EROFS');
    if (how.truncate) node.setSize(0);
    return new Opened(node);
  }
  status(path) {
    return this.find(normal(path)).status();
  }
  setMode(path, mode) {
    this.find(normal(path)).setMode(mode);
  }
  makeFolder(name, mode) {
    const path = normal(name);
    if (this.tree.has(path)) fail('EEXIST');
    this.checkFolderAround(path);
    this.tree.set(path, new Node(kFolder | (mode & 0o777)));
  }
  remove(name) {
    const path = normal(name);
    const node = this.find(path);
    if (node.isFolder) fail('EISDIR');
    node.names -= 1;
    this.tree.delete(path);
  }
  removeFolder(name) {
    const path = normal(name);
    if (!this.find(path).isFolder) fail('ENOTDIR');
    if (this.list(path).length > 0) fail('ENOTEMPTY');
    this.tree.delete(path);
  }
  rename(name, newName) {
    const [path, newPath] = [normal(name), normal(newName)];
    const node = this.find(path);
    if (node.isFolder) fail('ENOTSUP');
    const replaced = this.tree.get(newPath);
    if (replaced === node) return;
    if (replaced?.isFolder) fail('EISDIR');
    this.checkFolderAround(newPath);
    if (replaced) replaced.names -= 1;
    this.tree.delete(path);
    this.tree.set(newPath, node);
  }
  link(name, newName) {
    const newPath = normal(newName);
    const node = this.find(normal(name));
    if (this.tree.has(newPath)) fail('EEXIST');
    this.checkFolderAround(newPath);
    node.names += 1;
    this.tree.set(newPath, node);
  }
  readLink() {
    fail('EINVAL');
  }
  list(path) {
    const folder = normal(path);
    return [...this.tree.keys()].filter((key) => key !== '/' && folderOf(key) === folder)
        .map((key) => key.slice(key.lastIndexOf('/') + 1));
  }
  folder() {
    return '/';
  }
  user() {
    return 0;
  }
  fillRandom(bytes) {
    // At most so many at a time.
    for (let i = 0; i < bytes.length; i += 65536) {
      this.crypto.getRandomValues(bytes.subarray(i, i + 65536));
    }
  }
}
