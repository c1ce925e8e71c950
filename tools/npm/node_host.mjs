// SPDX-License-Identifier: Apache-2.0

// A host for the program (see system.js): the files of the machine, by way of Node.

import fs from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import tty from 'node:tty';

const isWindows = process.platform === 'win32';
const {O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC} = fs.constants;
// Systems without them have nothing that they would be needed for.
const {O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0} = fs.constants;

// A stream that has nothing at the moment is asked again.
const kPauseMilliseconds = 5;
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, kPauseMilliseconds);

function persistently(action) {
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (error.code === 'EOF') return 0;  // Windows, at the end of a pipe
      if (error.code !== 'EAGAIN') throw error;
      pause();
    }
  }
}

// Where the program keeps standard input while it reads it.
const onThisMachine = (path) =>
    isWindows && path.startsWith('/var/tmp/') ? join(tmpdir(), path.slice('/var/tmp/'.length)) : path;

class File {
  constructor(descriptor) {
    this.descriptor = descriptor;
    this.isTerminal = false;
    const status = fs.fstatSync(descriptor);
    this.isStream = status.isFIFO() || status.isSocket() || status.isCharacterDevice();
  }
  read(bytes, position) {
    return persistently(() => fs.readSync(this.descriptor, bytes, 0, bytes.length, position));
  }
  write(bytes, position) {
    return persistently(() => fs.writeSync(this.descriptor, bytes, 0, bytes.length, position));
  }
  status() {
    return fs.fstatSync(this.descriptor, {bigint: true});
  }
  setSize(size) {
    fs.ftruncateSync(this.descriptor, size);
  }
  setMode(mode) {
    fs.fchmodSync(this.descriptor, mode);
  }
  setOwner(owner, group) {
    fs.fchownSync(this.descriptor, owner, group);
  }
  sync() {
    fs.fsyncSync(this.descriptor);
  }
  close() {
    fs.closeSync(this.descriptor);
  }
}

// The program's standard streams outlive it.
class Stream extends File {
  constructor(descriptor) {
    super(descriptor);
    this.isTerminal = tty.isatty(descriptor);
  }
  sync() {}
  close() {}
}

// Windows opens no folders.
class Folder {
  constructor(path) {
    this.path = path;
    this.isTerminal = false;
    fs.opendirSync(path).closeSync();  // ENOTDIR where it is none
  }
  status() {
    return fs.statSync(this.path, {bigint: true});
  }
  setMode() {}
  setOwner() {}
  sync() {}
  close() {}
}

// Node's own random numbers come with all of its cryptography: ten milliseconds.
function fillRandom(bytes) {
  try {
    const source = fs.openSync('/dev/urandom', 'r');
    try {
      if (fs.readSync(source, bytes, 0, bytes.length, null) === bytes.length) return;
    } finally {
      fs.closeSync(source);
    }
  } catch {
    // Windows has none.
  }
  createRequire(import.meta.url)('node:crypto').randomFillSync(bytes);
}

export const nodeHost = {
  stream: (number) => new Stream(number),
  open(path, how, mode) {
    if (isWindows && how.folder) return new Folder(path);
    const flags = (how.read && how.write ? O_RDWR : how.write ? O_WRONLY : O_RDONLY) |
        (how.create ? O_CREAT : 0) | (how.exclusive ? O_EXCL : 0) | (how.truncate ? O_TRUNC : 0) |
        (how.folder ? O_DIRECTORY : 0) | (how.noFollow ? O_NOFOLLOW : 0) |
        (how.noWait ? O_NONBLOCK : 0);
    return new File(fs.openSync(onThisMachine(path), flags, mode));
  },
  status: (path, follow) => (follow ? fs.statSync : fs.lstatSync)(path, {bigint: true}),
  setMode: (path, mode) => fs.chmodSync(path, mode),
  makeFolder: (path, mode) => fs.mkdirSync(path, {mode}),
  remove: (path) => fs.unlinkSync(onThisMachine(path)),
  removeFolder: (path) => fs.rmdirSync(path),
  rename: (path, newPath) => fs.renameSync(path, newPath),
  link: (path, newPath) => fs.linkSync(path, newPath),
  readLink: (path) => fs.readlinkSync(path),
  list: (path) => fs.readdirSync(path),
  folder: () => process.cwd(),
  user: () => (isWindows ? 0 : process.geteuid()),
  fillRandom,
};
