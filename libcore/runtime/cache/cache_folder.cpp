// Cache folder: one process at a time trims it, under a lock on the folder.
#include "libcore/runtime/cache/cache_folder.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <sys/file.h>
#include <sys/stat.h>

#include "libcore/base/file/descriptor.hpp"
#include "libcore/base/file/list_folder.hpp"

namespace ortool {
namespace {

struct KeptCache {
  std::string path;
  std::int64_t size_bytes = 0;
  std::int64_t used_ns = 0;
};

std::int64_t nanoseconds_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Whether the name is that of a file which a writer has not finished.
bool is_unfinished(const std::string& name) {
  return name.starts_with('.') && name.ends_with(".tmp") &&
         (name.find(".ortcache.") != std::string::npos ||
          name.find(".sha256.") != std::string::npos);
}

std::vector<KeptCache> list_caches(const std::string& folder) {
  const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  constexpr std::int64_t hour_ns = std::int64_t{3600} * 1'000'000'000;
  std::vector<KeptCache> found;
  list_folder(folder, [&](const std::string& name) {
    const std::string path = folder + "/" + name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return true;
    const std::int64_t used_ns = nanoseconds_of(status.st_mtim);
    if (name.ends_with(".ortcache") && !name.starts_with('.')) {
      found.push_back({path, std::int64_t{status.st_size}, used_ns});
    } else if (is_unfinished(name) && now - used_ns > hour_ns) {
      ::unlink(path.c_str());
    }
    return true;
  });
  return found;
}

}  // namespace

void mark_as_used(const std::string& path) noexcept {
  static_cast<void>(::utimensat(AT_FDCWD, path.c_str(), nullptr, 0));
}

void trim_cache_folder(const std::string& folder, std::int64_t limit_bytes,
                       const std::string& kept) {
  const Descriptor lock(retry_interrupted(
      [&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  // Without a lock, as on some network file systems, two processes may remove more than they must.
  if (lock.is_open()) retry_interrupted([&] { return ::flock(lock.number(), LOCK_EX); });
  std::vector<KeptCache> caches = list_caches(folder);
  std::int64_t total_bytes = 0;
  for (const KeptCache& cache : caches) total_bytes += cache.size_bytes;
  std::sort(caches.begin(), caches.end(),
            [](const KeptCache& a, const KeptCache& b) { return a.used_ns < b.used_ns; });
  for (const KeptCache& cache : caches) {
    if (total_bytes <= limit_bytes) return;
    std::error_code failed;
    if (std::filesystem::equivalent(cache.path, kept, failed)) continue;
    if (::unlink(cache.path.c_str()) == 0) total_bytes -= cache.size_bytes;
  }
}

}  // namespace ortool
