// Opens files below a folder with openat2, or by walking through descriptors.
#include "libcore/base/file/open_beneath.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace ortool {
namespace {

constexpr int open_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

Descriptor fail(int number) {
  errno = number;
  return Descriptor();
}

}  // namespace

Descriptor open_beneath(int folder, const std::string& path) {
  open_how how = {};
  how.flags = open_flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const auto number = static_cast<int>(retry_interrupted(
      [&] { return ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how); }));
  // Older kernels lack the call, and sandboxes may forbid it.
  const bool is_unknown = number < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL ||
                                         errno == E2BIG || errno == EAGAIN);
  return is_unknown ? open_beneath_by_steps(folder, path) : Descriptor(number);
}

Descriptor open_beneath_by_steps(int folder, const std::string& path) {
  if (path.empty()) return fail(ENOENT);
  if (path.front() == '/') return fail(EXDEV);
  Descriptor current;
  std::string_view rest = path;
  while (true) {
    const auto slash = rest.find('/');
    const bool is_last = slash == std::string_view::npos;
    const std::string component(rest.substr(0, slash));
    rest = is_last ? std::string_view() : rest.substr(slash + 1);
    if (component == "..") return fail(EXDEV);
    // "a//b" means "a/b", and "a/" the folder a.
    const std::string name = component.empty() ? "." : component;
    const int base = current.is_open() ? current.number() : folder;
    const int flags = is_last ? open_flags | O_NOFOLLOW : O_PATH | O_NOFOLLOW | O_CLOEXEC;
    Descriptor next(retry_interrupted([&] { return ::openat(base, name.c_str(), flags); }));
    if (!next.is_open() || is_last) return next;
    // O_PATH with O_NOFOLLOW opens a link itself; nothing can be opened below it (ENOTDIR), but the
    // caller should get the true reason.
    struct stat status {};
    if (::fstat(next.number(), &status) == 0 && S_ISLNK(status.st_mode)) return fail(ELOOP);
    current = std::move(next);
  }
}

}  // namespace ortool
