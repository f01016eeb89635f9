// Launcher of the archive for other distributions: starts lib/ortool/ortool by the dynamic loader that lies beside it.
//
// The C library of an older system lacks functions that the program needs, and one C library cannot be loaded by the
// loader of another: so the archive has a loader, a C library and a C++ library of its own. This file is linked
// statically, since it runs before any of them is found.
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <unistd.h>

#include <sys/auxv.h>

namespace {

/// As the program does for what is missing or invalid.
constexpr int exit_code = 2;

[[noreturn]] void fail(const char* what, const char* where, const char* hint) {
  std::fprintf(stderr, "error: %s '%s'\nhint: %s\n", what, where, hint);
  std::exit(exit_code);
}

#if defined(__aarch64__)
constexpr const char* loader_name = "ld-linux-aarch64.so.1";
#else
constexpr const char* loader_name = "ld-linux-x86-64.so.2";
#endif

struct Path {
  char text[PATH_MAX + 64];
};

Path below(const char* folder, const char* name) {
  Path path;
  const int size = std::snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
  if (size < 0 || static_cast<std::size_t>(size) >= sizeof path.text)
    fail("the path is too long:", folder, "move the archive's folder");
  return path;
}

/// The folder that the archive was unpacked into.
Path archive_folder() {
  Path path;
  const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  // There may be no /proc.
  if (realpath("/proc/self/exe", path.text) == nullptr &&
      (started == nullptr || realpath(started, path.text) == nullptr))
    fail("cannot find the folder of", started == nullptr ? "ortool" : started, "start it by its full path");
  for (int level = 0; level < 2; ++level) {
    char* slash = std::strrchr(path.text, '/');
    if (slash == nullptr) fail("not in the folder bin of the archive:", path.text, "unpack the archive again");
    *slash = '\0';
  }
  return path;
}

/// Whether ORTOOL_RUNTIME asks for the loader, C library and C++ library of the system.
bool takes_system_runtime() {
  const char* choice = std::getenv("ORTOOL_RUNTIME");
  if (choice == nullptr || *choice == '\0' || std::strcmp(choice, "archive") == 0) return false;
  if (std::strcmp(choice, "system") != 0)
    fail("ORTOOL_RUNTIME is", choice, "it is 'archive' or 'system'");
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  const Path root = archive_folder();
  if (std::strpbrk(root.text, ":;$") != nullptr)
    fail("the dynamic loader takes no folder with ':', ';' or '$' in its name:", root.text, "move the archive's folder");
  const Path self = below(root.text, "bin/ortool");
  const Path libraries = below(root.text, "lib/ortool");
  const Path runtime = below(libraries.text, "runtime");
  const Path program = below(libraries.text, "ortool");
  const Path loader = below(runtime.text, loader_name);
  const bool is_system = takes_system_runtime();

  // Libraries of custom operators may need those that LD_LIBRARY_PATH leads to; the loader's option takes its place.
  const char* others = std::getenv("LD_LIBRARY_PATH");
  if (others == nullptr) others = "";
  const std::size_t size = std::strlen(others) + 2 * sizeof(Path) + 3;
  auto* search = static_cast<char*>(std::malloc(size));
  // The loader, --argv0 and --library-path with their values, the program, the arguments and a null pointer.
  auto** command = static_cast<char**>(std::calloc(static_cast<std::size_t>(count) + 7, sizeof(char*)));
  if (search == nullptr || command == nullptr) fail("out of memory, starting", program.text, "free some memory");
  std::snprintf(search, size, "%s%s%s%s%s", is_system ? "" : runtime.text, is_system ? "" : ":", libraries.text,
                *others == '\0' ? "" : ":", others);

  // bench --isolate starts the program again: by its name, or where that is the system's loader, by /proc/self/exe.
  int next = 0;
  if (is_system) {
    setenv("LD_LIBRARY_PATH", search, 1);
    command[next++] = const_cast<char*>(self.text);
  } else {
    const std::initializer_list<const char*> start = {loader.text,      "--argv0", self.text,
                                                      "--library-path", search,    program.text};
    for (const char* word : start) command[next++] = const_cast<char*>(word);
  }
  for (int i = 1; i < count; ++i) command[next++] = arguments[i];
  const char* started = is_system ? program.text : loader.text;
  execv(started, command);
  std::fprintf(stderr, "error: cannot start '%s': %s\nhint: unpack the archive again, with all its files\n", started,
               std::strerror(errno));
  return exit_code;
}
