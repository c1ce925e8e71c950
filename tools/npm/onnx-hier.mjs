#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// The command: the program's arguments, streams and files are this process's own. It runs in a thread
// of its own, so that this one hears signals, and an interrupted run removes what it has begun.

import os from 'node:os';
import v8 from 'node:v8';
import {Worker, isMainThread, parentPort, workerData} from 'node:worker_threads';

import {readProgram} from './program_file.mjs';

const kSecondsToEnd = 3;
// What both threads know: the number of a signal, and whether the program waits for standard input.
const kSignal = 0;
const kWaits = 1;

function runInThread() {
  // A run of a tenth of a second would end by waiting longer for the code that it made faster.
  v8.setFlagsFromString('--wasm-tiering-budget=100000000');
  const heard = new Int32Array(new SharedArrayBuffer(8));
  let signal = null;
  const thread = new Worker(new URL(import.meta.url), {argv: process.argv.slice(2), workerData: heard});
  // While the other thread begins.
  readProgram().then((compiled) => thread.postMessage(compiled), (error) => {
    console.error(error);
    process.exit(2);
  });
  const end = () => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  };
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.on(name, () => {
      signal = name;
      Atomics.store(heard, kSignal, os.constants.signals[name]);
      // It hears of it when it next asks the system for something.
      if (Atomics.load(heard, kWaits)) end();
      setTimeout(end, kSecondsToEnd * 1000).unref();
    });
  }
  thread.on('error', (error) => {
    console.error(error);
    process.exitCode = 2;
  });
  thread.on('exit', (code) => {
    if (signal === null) process.exitCode ??= code;
    else end();
  });
}

async function run() {
  // In this thread only: the other one has nothing to do with them.
  const compiled = new Promise((resolve) => parentPort.once('message', resolve));
  const [{nodeHost}, {runProgram, useProgram}] =
      await Promise.all([import('./node_host.mjs'), import('./program.mjs')]);
  useProgram(await compiled);
  // The program knows one kind of slash.
  const slashes = (argument) =>
      process.platform === 'win32' ? argument.replaceAll('\\', '/') : argument;
  const host = {...nodeHost, signal: () => Atomics.load(workerData, kSignal)};
  host.stream = (number) => {
    const stream = nodeHost.stream(number);
    const read = stream.read.bind(stream);
    stream.read = (...given) => {
      Atomics.store(workerData, kWaits, 1);
      try {
        return read(...given);
      } finally {
        Atomics.store(workerData, kWaits, 0);
      }
    };
    return stream;
  };
  process.exit(await runProgram(process.argv.slice(2).map(slashes), host));
}

if (isMainThread) runInThread();
else await run();
