// SPDX-License-Identifier: Apache-2.0

// What systems give differently, and not every one gives at all. Everything else that this room
// asks of a system is plain POSIX.
//
// Two files have these functions, of which a build takes one (ONNX_HIER_PLAIN_FILES):
//   system_linux.cc   the kernel's own calls
//   system_plain.cc   plain POSIX: macOS, WebAssembly, and to be tried on Linux
//
// Results are as a system call's: 0, or -1 and errno. What a system has not fails with ENOTSUP.
#ifndef ONNX_HIER_LIB_FILES_SYSTEM_H_
#define ONNX_HIER_LIB_FILES_SYSTEM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/files/posix_io.h"

namespace onnx_hier {

// A file without a name in an open folder, which goes with its descriptor: no killed process leaves
// it behind. Such a file can be given a name later, which must be free.
UniqueFd OpenUnnamed(int folder, uint32_t mode);
int NameUnnamed(int file, int folder, const std::string& name);
// One in memory, in which holes take none.
UniqueFd OpenInMemory();

// Renames a file from one open folder to another. The name must be free (EEXIST), at the moment of
// the renaming where the system can see to that.
int RenameToFree(int folder, const std::string& name, int new_folder, const std::string& new_name);
// Lets two files change places, in one step.
int Exchange(int folder, const std::string& name, int other_folder, const std::string& other_name);

// Opens a folder that may be used but not read.
UniqueFd OpenUnreadFolder(const std::string& path);

// Locks an open file or folder for itself alone, until it is closed: EWOULDBLOCK where it is
// locked.
int Lock(int fd);

// Room on the disk for the bytes [begin, end).
int ReserveSpace(int fd, uint64_t begin, uint64_t end);
// Lets `out` hold the blocks of `in` instead of copies: whole blocks, whose numbers are in bytes.
int ShareBlocks(int in, uint64_t from, uint64_t length, int out, uint64_t to);
// Lets the disk begin with a file that is to be synced later, while the program goes on. Advice
// only: the sync finds out what went wrong.
void StartWriteBack(int fd);

// Names of a file's extended attributes. Reading one gives its size, or -1; writing one may be
// refused.
std::vector<std::string> AttributeNames(int fd);
int64_t ReadAttribute(int fd, const std::string& name, std::string* value);
int WriteAttribute(int fd, const std::string& name, const std::string& value);
// Rights beside the mode, which a folder may hand out to all files that are made in it.
void RemoveAccessList(int fd);

// Address space for `size` bytes, which take memory where they are written to; null: there is none.
// It begins where AskForHugePage() may be asked for a page, if it holds one.
constexpr uint64_t kHugePage = 2 << 20;
char* ReserveAddresses(uint64_t size);
void ReleaseAddresses(char* begin, uint64_t size);
// Advice only: first touches of small pages can cost more than what is done with them.
void AskForHugePage(char* page);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_SYSTEM_H_
