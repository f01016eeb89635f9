// Preload library that makes allocations of a program fail, counted from the start of main().
// FAIL_ALLOCATION=N: the N-th fails; with FAIL_ALL_LATER set, so do all later ones.
// FAIL_REPORT=FILE: writes the number of allocations there at exit.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace {

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main, int, char**, int (*)(int, char**, char**), void (*)(), void (*)(),
                          void*);

std::atomic<bool> is_armed{false};
std::atomic<long> count{0};
long fails_at = 0;
bool fails_later = false;
Main real_main = nullptr;

bool fails() {
  if (!is_armed.load(std::memory_order_relaxed)) return false;
  const long number = ++count;
  if (fails_at == 0 || number < fails_at || (number > fails_at && !fails_later)) return false;
  errno = ENOMEM;
  return true;
}

void report() {
  is_armed = false;
  const char* path = std::getenv("FAIL_REPORT");
  if (path == nullptr) return;
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%ld\n", count.load());
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && ::write(file, text, static_cast<std::size_t>(length)) == length) ::close(file);
}

int counted_main(int argc, char** argv, char** environment) {
  is_armed = true;
  const int code = real_main(argc, argv, environment);
  report();
  return code;
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  return fails() ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(number, size);
}
void* realloc(void* block, std::size_t size) {
  return fails() ? nullptr : __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  if (fails()) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block != nullptr ? 0 : ENOMEM;
}

int __libc_start_main(Main main, int argc, char** argv, int (*init)(int, char**, char**),
                      void (*fini)(), void (*end)(), void* stack) {
  if (const char* text = std::getenv("FAIL_ALLOCATION")) fails_at = std::atol(text);
  fails_later = std::getenv("FAIL_ALL_LATER") != nullptr;
  real_main = main;
  const auto start = reinterpret_cast<StartMain>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, end, stack);
}

}  // extern "C"
