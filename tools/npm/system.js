// SPDX-License-Identifier: Apache-2.0

// What the program asks of its system, in WebAssembly: the C library's system calls, passed on to the
// host that runs it (Module.host: node_host.mjs, or memory_host.mjs). Compiled in by emscripten, whose
// own file system keeps all files in memory, tells of an open file by its path and counts in 32 bits.
//
// A host's methods throw errors that have a `code`, such as 'ENOENT', as Node's do.

mergeInto(LibraryManager.library, {
  $System__deps: ['$ERRNO_CODES'],
  $System: {
    // By descriptor: {file, path, flags, position}. Two of one open file share it. A stream has no
    // position.
    open: null,

    host: function() {
      const host = Module['host'];
      if (!System.open) {
        System.open = [0, 1, 2].map((number) => {
          return {file: host.stream(number), path: '', flags: number ? 1 : 0, position: null};
        });
      }
      return host;
    },

    fail: function(code) {
      const error = new Error(code);
      error.code = code;
      throw error;
    },

    // Lets the program know of a signal that its host has got: at every call, for it may not listen yet.
    hearSignal: function() {
      const number = Module['host'].signal ? Module['host'].signal() : 0;
      if (number !== 0) Module['_raise'](number);
    },

    // The number of the error that `work` throws; 0 if it throws none.
    errorOf: function(work) {
      System.hearSignal();
      try {
        work();
        return 0;
      } catch (error) {
        const number = ERRNO_CODES[error.code];
        if (number === undefined) throw error;
        return number;
      }
    },

    // What a system call gives: the result of `work`, or an error's number below 0.
    call: function(work) {
      let result = 0;
      const error = System.errorOf(() => { result = work(System.host()); });
      return error ? -error : result || 0;
    },

    at: function(descriptor) {
      System.host();
      const entry = System.open[descriptor];
      if (!entry) System.fail('EBADF');
      return entry;
    },

    add: function(entry) {
      let descriptor = 0;
      while (System.open[descriptor]) ++descriptor;
      System.open[descriptor] = entry;
      return descriptor;
    },

    path: function(folder, pointer) {
      const path = UTF8ToString(pointer);
      if (path === '') System.fail('ENOENT');
      const isAbsolute = path[0] === '/' || /^[A-Za-z]:/.test(path);
      if (isAbsolute || folder === {{{ cDefine('AT_FDCWD') }}}) return path;
      return System.at(folder).path + '/' + path;
    },

    memory: function() {
      return new DataView(HEAPU8.buffer);
    },

    putStatus: function(at, status) {
      at >>>= 0;
      HEAPU8.fill(0, at, at + {{{ C_STRUCTS.stat.__size__ }}});
      const memory = System.memory();
      const put = (offset, value) => memory.setUint32(at + offset, Number(BigInt.asUintN(32, value)), true);
      put({{{ C_STRUCTS.stat.st_dev }}}, status.dev);
      put({{{ C_STRUCTS.stat.__st_ino_truncated }}}, status.ino);
      put({{{ C_STRUCTS.stat.st_mode }}}, status.mode);
      put({{{ C_STRUCTS.stat.st_nlink }}}, status.nlink);
      put({{{ C_STRUCTS.stat.st_uid }}}, status.uid);
      put({{{ C_STRUCTS.stat.st_gid }}}, status.gid);
      put({{{ C_STRUCTS.stat.st_blksize }}}, BigInt(4096));
      memory.setBigUint64(at + {{{ C_STRUCTS.stat.st_size }}}, status.size, true);
      memory.setBigUint64(at + {{{ C_STRUCTS.stat.st_ino }}}, status.ino, true);
      const putTime = (offset, time) => {
        put(offset, time / BigInt(1000000000));
        put(offset + 4, time % BigInt(1000000000));
      };
      putTime({{{ C_STRUCTS.stat.st_mtim.tv_sec }}}, status.mtimeNs);
    },

    // Calls `move` with each piece of memory of a list of them, until one was not moved whole.
    eachPiece: function(pieces, count, move) {
      let total = 0;
      for (let i = 0; i < count; ++i) {
        const begin = HEAPU32[(pieces + i * 8) >>> 2];
        const size = HEAPU32[(pieces + i * 8 + 4) >>> 2];
        if (size === 0) continue;
        const moved = move(HEAPU8.subarray(begin, begin + size), total);
        total += moved;
        if (moved < size) break;
      }
      return total;
    },

    // Reads or writes at an open file's own position, or at `offset`.
    move: function(verb, descriptor, pieces, count, offset, result) {
      return System.errorOf(() => {
        const entry = System.at(descriptor);
        const isStream = entry.position === null;
        if (isStream && offset !== null) System.fail('ESPIPE');
        const begin = offset === null ? entry.position : Number(offset);
        const total = System.eachPiece(pieces, count, (bytes, before) => {
          return entry.file[verb](bytes, isStream ? null : begin + before);
        });
        if (offset === null && !isStream) entry.position += total;
        HEAPU32[result >>> 2] = total;
      });
    },
  },

  __syscall_openat__deps: ['$System'],
  __syscall_openat: function(folder, path, flags, rest) {
    return System.call((host) => {
      const has = (flag) => (flags & flag) !== 0;
      const access = flags & {{{ cDefine('O_ACCMODE') }}};
      const name = System.path(folder, path);
      const file = host.open(name, {
        read: access !== {{{ cDefine('O_WRONLY') }}},
        write: access !== {{{ cDefine('O_RDONLY') }}},
        create: has({{{ cDefine('O_CREAT') }}}),
        exclusive: has({{{ cDefine('O_EXCL') }}}),
        truncate: has({{{ cDefine('O_TRUNC') }}}),
        folder: has({{{ cDefine('O_DIRECTORY') }}}),
        noFollow: has({{{ cDefine('O_NOFOLLOW') }}}),
        noWait: has({{{ cDefine('O_NONBLOCK') }}}),
      }, rest ? HEAPU32[rest >>> 2] : 0);
      return System.add({file, path: name, flags, position: file.isStream ? null : 0});
    });
  },
  __syscall_open__deps: ['__syscall_openat'],
  __syscall_open: function(path, flags, rest) {
    return ___syscall_openat({{{ cDefine('AT_FDCWD') }}}, path, flags, rest);
  },

  fd_close__deps: ['$System'],
  fd_close: function(descriptor) {
    return System.errorOf(() => {
      const entry = System.at(descriptor);
      System.open[descriptor] = null;
      if (!System.open.includes(entry)) entry.file.close();
    });
  },
  __syscall_fcntl64__deps: ['$System'],
  __syscall_fcntl64: function(descriptor, command, rest) {
    return System.call(() => {
      const entry = System.at(descriptor);
      switch (command) {
        case {{{ cDefine('F_DUPFD') }}}:
        case 1030:  // F_DUPFD_CLOEXEC
          return System.add(entry);
        case {{{ cDefine('F_GETFL') }}}:
          return entry.flags;
        case {{{ cDefine('F_GETFD') }}}:
        case {{{ cDefine('F_SETFD') }}}:
          return 0;  // nothing is ever executed
        default:
          System.fail('EINVAL');
      }
    });
  },

  // Called by emscripten at the end; its own has lines that were not ended.
  $flush_NO_FILESYSTEM: function() {},
  fd_read__deps: ['$System'],
  fd_read: function(descriptor, pieces, count, result) {
    return System.move('read', descriptor, pieces, count, null, result);
  },
  fd_write__deps: ['$System', '$flush_NO_FILESYSTEM'],
  fd_write: function(descriptor, pieces, count, result) {
    return System.move('write', descriptor, pieces, count, null, result);
  },
  fd_pread__deps: ['$System'],
  fd_pread: function(descriptor, pieces, count, offset, result) {
    return System.move('read', descriptor, pieces, count, offset, result);
  },
  fd_pwrite__deps: ['$System'],
  fd_pwrite: function(descriptor, pieces, count, offset, result) {
    return System.move('write', descriptor, pieces, count, offset, result);
  },
  fd_seek__deps: ['$System'],
  fd_seek: function(descriptor, offset, from, result) {
    return System.errorOf(() => {
      const entry = System.at(descriptor);
      if (entry.position === null) System.fail('ESPIPE');
      const begin = from === 0 ? 0 : from === 1 ? entry.position : Number(entry.file.status().size);
      entry.position = begin + Number(offset);
      if (entry.names) entry.names = null;  // a list that is read once more
      System.memory().setBigUint64(result >>> 0, BigInt(entry.position), true);
    });
  },
  fd_sync__deps: ['$System'],
  fd_sync: function(descriptor) {
    return System.errorOf(() => System.at(descriptor).file.sync());
  },
  fd_fdstat_get__deps: ['$System'],
  fd_fdstat_get: function(descriptor, result) {
    return System.errorOf(() => {
      const isTerminal = System.at(descriptor).file.isTerminal;
      HEAPU8[(result + {{{ C_STRUCTS.__wasi_fdstat_t.fs_filetype }}}) >>> 0] =
          isTerminal ? {{{ cDefine('__WASI_FILETYPE_CHARACTER_DEVICE') }}} :
                       {{{ cDefine('__WASI_FILETYPE_REGULAR_FILE') }}};
    });
  },
  __syscall_ioctl__deps: ['$System'],
  __syscall_ioctl: function(descriptor) {
    return System.call(() => {
      if (!System.at(descriptor).file.isTerminal) System.fail('ENOTTY');
    });
  },
  __syscall_poll__deps: ['$System'],
  __syscall_poll: function(list, count) {
    // A read waits.
    for (let i = 0; i < count; ++i) {
      const entry = (list + i * {{{ C_STRUCTS.pollfd.__size__ }}}) >>> 0;
      HEAPU16[(entry + {{{ C_STRUCTS.pollfd.revents }}}) >>> 1] =
          HEAPU16[(entry + {{{ C_STRUCTS.pollfd.events }}}) >>> 1];
    }
    return count;
  },

  __syscall_fstat64__deps: ['$System'],
  __syscall_fstat64: function(descriptor, result) {
    return System.call(() => System.putStatus(result, System.at(descriptor).file.status()));
  },
  __syscall_fstatat64__deps: ['$System'],
  __syscall_fstatat64: function(folder, path, result, flags) {
    const follow = (flags & {{{ cDefine('AT_SYMLINK_NOFOLLOW') }}}) === 0;
    return System.call((host) => System.putStatus(result, host.status(System.path(folder, path), follow)));
  },
  __syscall_stat64__deps: ['__syscall_fstatat64'],
  __syscall_stat64: function(path, result) {
    return ___syscall_fstatat64({{{ cDefine('AT_FDCWD') }}}, path, result, 0);
  },
  __syscall_lstat64__deps: ['__syscall_fstatat64'],
  __syscall_lstat64: function(path, result) {
    return ___syscall_fstatat64({{{ cDefine('AT_FDCWD') }}}, path, result, {{{ cDefine('AT_SYMLINK_NOFOLLOW') }}});
  },

  __syscall_ftruncate64__deps: ['$System'],
  __syscall_ftruncate64: function(descriptor, low, high) {
    return System.call(() => System.at(descriptor).file.setSize((high >>> 0) * 4294967296 + (low >>> 0)));
  },
  __syscall_fchmod__deps: ['$System'],
  __syscall_fchmod: function(descriptor, mode) {
    return System.call(() => System.at(descriptor).file.setMode(mode));
  },
  __syscall_chmod__deps: ['$System'],
  __syscall_chmod: function(path, mode) {
    return System.call((host) => host.setMode(System.path({{{ cDefine('AT_FDCWD') }}}, path), mode));
  },
  __syscall_fchown32__deps: ['$System'],
  __syscall_fchown32: function(descriptor, owner, group) {
    return System.call(() => System.at(descriptor).file.setOwner(owner, group));
  },

  __syscall_mkdirat__deps: ['$System'],
  __syscall_mkdirat: function(folder, path, mode) {
    return System.call((host) => host.makeFolder(System.path(folder, path), mode));
  },
  __syscall_mkdir__deps: ['__syscall_mkdirat'],
  __syscall_mkdir: function(path, mode) {
    return ___syscall_mkdirat({{{ cDefine('AT_FDCWD') }}}, path, mode);
  },
  __syscall_unlinkat__deps: ['$System'],
  __syscall_unlinkat: function(folder, path, flags) {
    return System.call((host) => {
      const name = System.path(folder, path);
      if (flags & {{{ cDefine('AT_REMOVEDIR') }}}) {
        host.removeFolder(name);
      } else {
        host.remove(name);
      }
    });
  },
  __syscall_unlink__deps: ['__syscall_unlinkat'],
  __syscall_unlink: function(path) {
    return ___syscall_unlinkat({{{ cDefine('AT_FDCWD') }}}, path, 0);
  },
  __syscall_rmdir__deps: ['__syscall_unlinkat'],
  __syscall_rmdir: function(path) {
    return ___syscall_unlinkat({{{ cDefine('AT_FDCWD') }}}, path, {{{ cDefine('AT_REMOVEDIR') }}});
  },
  __syscall_renameat__deps: ['$System'],
  __syscall_renameat: function(folder, path, newFolder, newPath) {
    return System.call((host) => host.rename(System.path(folder, path), System.path(newFolder, newPath)));
  },
  __syscall_linkat__deps: ['$System'],
  __syscall_linkat: function(folder, path, newFolder, newPath) {
    return System.call((host) => host.link(System.path(folder, path), System.path(newFolder, newPath)));
  },
  __syscall_readlink__deps: ['$System'],
  __syscall_readlink: function(path, result, size) {
    return System.call((host) => {
      const text = host.readLink(System.path({{{ cDefine('AT_FDCWD') }}}, path));
      const bytes = new TextEncoder().encode(text).subarray(0, size);
      HEAPU8.set(bytes, result >>> 0);
      return bytes.length;
    });
  },
  __syscall_getcwd__deps: ['$System'],
  __syscall_getcwd: function(result, size) {
    return System.call((host) => {
      const bytes = new TextEncoder().encode(host.folder() + '\0');
      if (bytes.length > size) System.fail('EINVAL');
      HEAPU8.set(bytes, result >>> 0);
      return bytes.length;
    });
  },
  __syscall_getdents64__deps: ['$System'],
  __syscall_getdents64: function(descriptor, result, size) {
    return System.call((host) => {
      const entry = System.at(descriptor);
      if (!entry.names) {
        entry.names = host.list(entry.path).filter((name) => new TextEncoder().encode(name).length < 256);
      }
      const each = {{{ C_STRUCTS.dirent.__size__ }}};
      let end = result >>> 0;
      while (end + each <= (result >>> 0) + size && entry.position < entry.names.length) {
        const name = new TextEncoder().encode(entry.names[entry.position]);
        HEAPU8.fill(0, end, end + each);
        const memory = System.memory();
        // The inode is not known, but must not be 0.
        memory.setUint32(end + {{{ C_STRUCTS.dirent.d_ino }}}, 1, true);
        memory.setUint32(end + {{{ C_STRUCTS.dirent.d_off }}}, entry.position + 1, true);
        memory.setUint16(end + {{{ C_STRUCTS.dirent.d_reclen }}}, each, true);
        HEAPU8.set(name, end + {{{ C_STRUCTS.dirent.d_name }}});
        entry.position += 1;
        end += each;
      }
      return end - (result >>> 0);
    });
  },

  __syscall_geteuid32__deps: ['$System'],
  __syscall_geteuid32: function() {
    return System.call((host) => host.user());
  },
  getentropy__deps: ['$System'],
  getentropy: function(result, size) {
    // A copy: an area that may grow is refused.
    const bytes = new Uint8Array(size);
    System.host().fillRandom(bytes);
    HEAPU8.set(bytes, result >>> 0);
    return 0;
  },
  environ_sizes_get__deps: ['$System'],
  environ_sizes_get: function(count, size) {
    HEAPU32[count >>> 2] = 0;  // the program reads none of it
    HEAPU32[size >>> 2] = 0;
    return 0;
  },
  environ_get: function() {
    return 0;
  },
});
