#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// The command: the program's arguments, streams and files are this process's own.

import {runProgram} from './program.mjs';
import {nodeHost} from './node_host.mjs';

// The program knows one kind of slash.
const slashes = (argument) => process.platform === 'win32' ? argument.replaceAll('\\', '/') : argument;
process.exitCode = await runProgram(process.argv.slice(2).map(slashes), nodeHost);
