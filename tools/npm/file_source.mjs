// SPDX-License-Identifier: Apache-2.0

// A file of the machine that is read where it is. For Node only.

import fs from 'node:fs';

export function openFile(path) {
  const descriptor = fs.openSync(path, 'r');
  return {
    size: fs.fstatSync(descriptor).size,
    read: (bytes, position) => fs.readSync(descriptor, bytes, 0, bytes.length, position),
    close: () => fs.closeSync(descriptor),
  };
}
