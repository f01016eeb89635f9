// Folder listing by opendir and readdir.
#include "libcore/base/file/list_folder.hpp"

#include <cerrno>
#include <dirent.h>
#include <memory>

namespace ortool {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

int list_folder(const std::string& path, FunctionRef<bool(const std::string& name)> visit) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  if (folder == nullptr) return errno;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) return errno;
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && !visit(name)) return 0;
  }
}

}  // namespace ortool
