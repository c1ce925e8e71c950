// SPDX-License-Identifier: Apache-2.0

// A file on a web server, of which only what is asked for is fetched.
//
// The program does not wait for what it reads. A request from a browser's worker need not either, and
// Node has a thread wait for it. Elsewhere, and from a server that gives no parts, all is fetched.

import {OnnxHierError} from './index.mjs';
import {bytesOfPart, describePart, fileOf, isPart} from './url_part.mjs';

// Single places are read with what lies behind them; what is read in a row, in ever larger parts.
const kLeast = 64 << 10;
const kMost = 4 << 20;

class UrlSource {
  // `fetchPart(begin, end)` gives bytes, and `first` those at the file's begin.
  constructor(size, first, fetchPart, close) {
    this.size = size;
    this.begin = 0;
    this.part = first;
    this.ahead = kLeast;
    this.fetchPart = fetchPart;
    this.close = close;
  }
  read(bytes, position) {
    const end = Math.min(position + bytes.length, position + kMost, this.size);
    if (position >= end) return 0;
    const fetched = this.begin + this.part.length;
    if (position < this.begin || end > fetched) {
      const isInRow = position >= this.begin && position <= fetched;
      this.ahead = isInRow ? Math.min(2 * this.ahead, kMost) : kLeast;
      this.part = this.fetchPart(position, Math.min(Math.max(end, position + this.ahead), this.size));
      this.begin = position;
    }
    bytes.set(this.part.subarray(position - this.begin, end - this.begin));
    return end - position;
  }
}

function requestParts(file) {
  return (begin, end) => {
    const request = new XMLHttpRequest();
    request.open('GET', file.url, false);
    request.responseType = 'arraybuffer';
    request.setRequestHeader('Range', describePart(begin, end));
    try {
      request.send();
      return bytesOfPart(file, begin, end, request.status, (name) => request.getResponseHeader(name),
                         request.response);
    } catch (error) {
      throw new OnnxHierError(error.message, 2);
    }
  };
}

async function askThread(file) {
  const {Worker} = await import('node:worker_threads');
  const shared = {state: new Int32Array(new SharedArrayBuffer(8)),
                  bytes: new Uint8Array(new SharedArrayBuffer(kMost))};
  const thread = new Worker(new URL('./url_thread.mjs', import.meta.url), {workerData: {file, ...shared}});
  thread.unref();
  const fetchPart = (begin, end) => {
    thread.postMessage({begin, end});
    Atomics.wait(shared.state, 0, 0);
    const isError = Atomics.exchange(shared.state, 0, 0) === 2;  // see url_thread.mjs
    const answer = shared.bytes.slice(0, shared.state[1]);
    if (isError) throw new OnnxHierError(new TextDecoder().decode(answer), 2);
    return answer;
  };
  return [fetchPart, () => thread.terminate()];
}

// What the server answers, and its bytes.
async function ask(url, headers) {
  let response, bytes;
  try {
    response = await fetch(url, {headers});
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw new OnnxHierError(`${url.href}: ${error.cause?.message ?? error.message}`, 2);
  }
  if (response.status === 416) return {response, bytes: new Uint8Array(0)};  // there is no first byte
  if (!response.ok) throw new OnnxHierError(`${url.href}: ${response.status} ${response.statusText}`, 2);
  return {response, bytes};
}

async function askWhole(url) {
  const {response, bytes} = await ask(url, {});
  if (response.status !== 206) return bytes;
  throw new OnnxHierError(`${url.href}: the server gives a part where all was asked for`, 2);
}

/** Bytes, or a source. */
export async function openUrl(url) {
  const isNode = typeof process !== 'undefined' && process.versions?.node !== undefined;
  const isWorker = typeof FileReaderSync !== 'undefined';
  if (!isNode && !isWorker) return askWhole(url);
  const {response, bytes} = await ask(url, {Range: describePart(0, kLeast)});
  if (response.status !== 206) return bytes;
  const header = (name) => response.headers.get(name);
  const file = fileOf(response.url, header);
  // Another site may keep the size to itself.
  if (file.size === undefined) return askWhole(url);
  if (!isPart(header, 0, kLeast) || bytes.length !== Math.min(kLeast, file.size)) {
    throw new OnnxHierError(`${url.href}: the server gives another part`, 2);
  }
  if (file.size === bytes.length) return bytes;
  const [fetchPart, close] = isWorker ? [requestParts(file), () => {}] : await askThread(file);
  return new UrlSource(file.size, bytes, fetchPart, close);
}
