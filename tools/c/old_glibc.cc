// SPDX-License-Identifier: Apache-2.0

// For one shared object that is for all systems since glibc 2.17, of 2012: of functions that have
// several versions the linker takes the youngest, so the old ones are asked for here by name.
// tests/python looks at what comes of it.
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>

// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier,
// cppcoreguidelines-macro-usage): glibc's names.
#if defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#else
#define OLDEST "GLIBC_2.2.5"
#endif

// A function with the parameters and arguments in parentheses; what it says of exceptions as its
// header has it.
#define OF_OLD(result, name, parameters, arguments, exceptions) \
  result name##_of_old parameters;                              \
  __asm__(".symver " #name "_of_old, " #name "@" OLDEST);       \
  result name parameters exceptions { return name##_of_old arguments; }

extern "C" {

OF_OLD(int, pthread_join, (pthread_t thread, void** end), (thread, end), noexcept(false))
OF_OLD(int, pthread_once, (pthread_once_t * once, void (*run)()), (once, run), noexcept(false))
OF_OLD(int, pthread_detach, (pthread_t thread), (thread), noexcept)
OF_OLD(void*, pthread_getspecific, (pthread_key_t key), (key), noexcept)
OF_OLD(int, pthread_key_create, (pthread_key_t * key, void (*end)(void*)), (key, end), noexcept)
OF_OLD(int, pthread_key_delete, (pthread_key_t key), (key), noexcept)
OF_OLD(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex), noexcept)
OF_OLD(int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* before), (how, set, before),
       noexcept)
OF_OLD(int, pthread_create,
       (pthread_t * thread, const pthread_attr_t* with, void* (*run)(void*), void* argument),
       (thread, with, run, argument), noexcept)
// Of results that may be an ulp away, where glibc is older than 2.27.
OF_OLD(float, expf, (float x), (x), noexcept)
OF_OLD(double, log2, (double x), (x), noexcept)
#undef OF_OLD

// Declared as one that does not read the value, which need not be set.
__attribute__((access(none, 2))) int pthread_setspecific_of_old(pthread_key_t key,
                                                                const void* value);
__asm__(".symver pthread_setspecific_of_old, pthread_setspecific@" OLDEST);
int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  return pthread_setspecific_of_old(key, value);
}

int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, folder, path, status, flags));
}
int stat(const char* path, struct stat* status) noexcept {
  return fstatat(AT_FDCWD, path, status, 0);
}
int lstat(const char* path, struct stat* status) noexcept {
  return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int fstat(int file, struct stat* status) noexcept {
  return static_cast<int>(syscall(SYS_fstat, file, status));
}
int fstat64(int file, struct stat64* status) noexcept {
  return static_cast<int>(syscall(SYS_fstat, file, status));
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier,
// cppcoreguidelines-macro-usage)
