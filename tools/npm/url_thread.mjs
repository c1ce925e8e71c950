// SPDX-License-Identifier: Apache-2.0

// The thread that asks a web server while the program waits. For Node only.

import {parentPort, workerData} from 'node:worker_threads';
import {bytesOfPart, describePart} from './url_part.mjs';

const {file, state, bytes} = workerData;

function answer(kind, content) {
  bytes.set(content);
  state[1] = content.length;
  Atomics.store(state, 0, kind);
  Atomics.notify(state, 0);
}

parentPort.on('message', async ({begin, end}) => {
  try {
    const response = await fetch(file.url, {headers: {Range: describePart(begin, end)}});
    answer(1, bytesOfPart(file, begin, end, response.status, (name) => response.headers.get(name),
                          await response.arrayBuffer()));
  } catch (error) {
    answer(2, new TextEncoder().encode(error.cause ? `${file.url}: ${error.cause.message}` : error.message));
  }
});
