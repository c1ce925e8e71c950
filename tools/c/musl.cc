// SPDX-License-Identifier: Apache-2.0

// For the shared object of systems with musl, such as Alpine: Debian's C++ library and headers are
// glibc's, so what they ask of it and musl does not have, or has otherwise, is here. All else the
// linker finds in musl itself, or says so.
#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/types.h>
#include <unistd.h>

#include <clocale>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <type_traits>

// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier,
// readability-inconsistent-declaration-parameter-name): glibc's names.
extern "C" {

// Where glibc has its tables of characters, and musl, for programs that were built with glibc's.
const unsigned short** __ctype_b_loc() noexcept;
const int32_t** __ctype_tolower_loc() noexcept;
const int32_t** __ctype_toupper_loc() noexcept;

// The C++ library reads these tables right out of glibc's locales, which begin with 13 pointers,
// and musl's with 6: so ours, of "C", is both. There is no other, and nobody gives it back.
struct BothLocales {
  const void* categories[13];
  const unsigned short* classes;
  const int32_t* to_lower;
  const int32_t* to_upper;
  const char* names[13];
};
constexpr size_t kCategoriesOfMusl = 6;
static_assert(sizeof(BothLocales) == sizeof(std::remove_pointer_t<locale_t>));

locale_t __newlocale(int, const char*, locale_t) noexcept {
  static BothLocales* const c = [] {
    static BothLocales both{};
    std::memcpy(both.categories, newlocale(LC_ALL_MASK, "C", nullptr),
                kCategoriesOfMusl * sizeof(void*));
    both.classes = *__ctype_b_loc();
    both.to_lower = *__ctype_tolower_loc();
    both.to_upper = *__ctype_toupper_loc();
    for (const char*& name : both.names) name = "C";
    return &both;
  }();
  return reinterpret_cast<locale_t>(c);
}
locale_t __duplocale(locale_t locale) noexcept { return locale; }
void __freelocale(locale_t) noexcept {}
size_t __strftime_l(char* out, size_t size, const char* format, const struct tm* time,
                    locale_t locale) noexcept {
  return strftime_l(out, size, format, time, locale);
}

// Errors have another result there.
char* strerror_r(int error, char*, size_t) noexcept { return strerror(error); }

int __snprintf_chk(char* out, size_t size, int, size_t, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(out, size, format, arguments);
  va_end(arguments);
  return length;
}

unsigned long __getauxval(unsigned long type) noexcept { return getauxval(type); }

// Of frames it only finds the faster: it says that it has none.
int _dl_find_object(void*, struct dl_find_object*) noexcept { return -1; }

// Offsets have 64 bits by any name.
static_assert(sizeof(off_t) == sizeof(off64_t));
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }
int fseeko64(FILE* file, off64_t offset, int from) { return fseeko(file, offset, from); }
off64_t ftello64(FILE* file) { return ftello(file); }
off64_t lseek64(int file, off64_t offset, int from) noexcept { return lseek(file, offset, from); }

// Threads have 128 KiB of stack there; these get what they have elsewhere.
int __real_pthread_create(pthread_t* thread, const pthread_attr_t* with, void* (*run)(void*),
                          void* argument) noexcept;
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* with, void* (*run)(void*),
                          void* argument) noexcept {
  if (with != nullptr) return __real_pthread_create(thread, with, run, argument);
  constexpr size_t kStack = size_t{8} << 20;
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  error = pthread_attr_setstacksize(&attributes, kStack);
  if (error == 0) error = __real_pthread_create(thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier,
// readability-inconsistent-declaration-parameter-name)
