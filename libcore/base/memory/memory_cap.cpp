// Accounting against the limit, and the memory limits of the machine and its control group.
#include "libcore/base/memory/memory_cap.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <unistd.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/kept_memory.hpp"
#include "libcore/base/setting_name.hpp"

namespace ortool {

void MemoryCap::take(std::int64_t bytes, std::string_view purpose) {
  std::int64_t used = used_bytes_.fetch_add(bytes) + bytes;
  const auto is_too_much = [&] { return limit_bytes_ > 0 && (used > limit_bytes_ || used < 0); };
  if (is_too_much()) {
    used_bytes_.fetch_sub(bytes);
    release_kept_memory(*this);
    used = used_bytes_.fetch_add(bytes) + bytes;
  }
  if (is_too_much()) {
    used_bytes_.fetch_sub(bytes);
    throw Error(ErrorCode::memory_limit,
                format("{} needs {} bytes; {} of the {} allowed are in use", purpose, bytes,
                       used - bytes, limit_bytes_),
                format("raise {}, or give smaller inputs", setting_name("max-memory")))
        .with_id("memory.cap");
  }
  std::int64_t peak = peak_bytes_.load();
  while (used > peak && !peak_bytes_.compare_exchange_weak(peak, used)) {
  }
}

std::int64_t machine_memory_bytes() {
  std::int64_t bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::int64_t limit = 0;
    if (file >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace ortool
