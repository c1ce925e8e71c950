// SPDX-License-Identifier: Apache-2.0

// A web server for api.mjs, in a thread of its own: the program's thread waits for what it reads.
// The file `begin` and then zeros, `size` in all, by most names; `bytes` by three.

import http from 'node:http';
import {parentPort, workerData} from 'node:worker_threads';

const {begin, size, bytes} = workerData;
const requests = [];

const server = http.createServer(({url, headers}, response) => {
  const isFirst = !requests.includes(url);
  requests.push(url);
  const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range);
  if (url === '/gone.onnx') return response.writeHead(404).end();
  if (url === '/breaks.onnx' && !isFirst) return response.destroy();
  if (url === '/whole.onnx' || range === null) return response.end(bytes);
  if (url === '/unsized.onnx') return response.writeHead(206).end(bytes.subarray(0, 100));
  const total = url === '/small.onnx' ? bytes.length : size;
  const first = Number(range[1]) + (url === '/other.onnx' ? 7 : 0);
  const part = new Uint8Array(Math.min(Number(range[2]) + 1, total) - first);
  part.set(begin.subarray(first, first + part.length));
  response.writeHead(206, {'Content-Range': `bytes ${first}-${first + part.length - 1}/${total}`,
                           'ETag': url === '/changes.onnx' && isFirst ? '"1"' : '"2"'});
  response.end(part);
});

parentPort.on('message', () => parentPort.postMessage(requests.length));
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
