// Anonymous temporary files: O_TMPFILE if supported, else a file that is unlinked at once.
#include "libcore/base/file/anonymous_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/file/mapping_guard.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::int64_t alignment = 64;
constexpr std::int64_t page_bytes = 4096;
/// Large, since only few mappings can be recorded; it costs address space only.
constexpr std::int64_t window_bytes = std::int64_t{256} << 20;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

std::optional<AnonymousFile> AnonymousFile::open(const std::string& folder) {
  const std::string place = folder.empty() ? "." : folder;
  Descriptor descriptor(retry_interrupted(
      [&] { return ::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }));
  if (!descriptor.is_open()) {
    std::string name = place + "/.ortool-XXXXXX";
    descriptor = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (descriptor.is_open()) ::unlink(name.c_str());
  }
  if (!descriptor.is_open()) return std::nullopt;
  return AnonymousFile(std::move(descriptor), place);
}

void AnonymousFile::write(std::span<const std::byte> bytes, std::int64_t offset) const {
  constexpr std::size_t max_bytes_a_call = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t count = retry_interrupted([&] {
      return ::pwrite(descriptor_.number(), bytes.data(), std::min(bytes.size(), max_bytes_a_call),
                      offset);
    });
    if (count < 0 && errno == EFAULT) fail_for_lost_mapping(bytes);
    if (count <= 0) {
      throw Error(ErrorCode::write_failed,
                  format("data cannot be saved to a temporary file ({})",
                         error_text(count < 0 ? errno : ENOSPC)),
                  "free disk space there, or use another folder: the model's, or TMPDIR for others")
          .with_id("output.write")
          .in(shorten(folder_));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
}

void AnonymousFile::map_window(std::int64_t min_bytes) {
  const auto size =
      static_cast<std::size_t>(rounded_up(std::max(min_bytes, window_bytes), page_bytes));
  const std::int64_t start = rounded_up(end_, page_bytes);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor_.number(), start);
  if (address == MAP_FAILED) {
    throw Error(ErrorCode::memory_limit,
                format("{} bytes cannot be mapped ({})", size, error_text(errno)))
        .with_id("file.map")
        .in(shorten(folder_));
  }
  remember_mapping(address, size, -1, folder_);
  window_ = {static_cast<const std::byte*>(address), size};
  window_owner_ = std::shared_ptr<const void>(address, [size](void* begin) {
    forget_mapping(begin);
    ::munmap(begin, size);
  });
  window_start_ = start;
  end_ = start;
}

MappedBytes AnonymousFile::keep(std::span<const std::byte> bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::int64_t start = rounded_up(end_, alignment);
  const std::int64_t window_end = window_start_ + static_cast<std::int64_t>(window_.size());
  if (window_owner_ == nullptr || start + size > window_end) {
    map_window(size);
    start = end_;
  }
  write(bytes, start);
  end_ = start + size;
  return {window_.subspan(static_cast<std::size_t>(start - window_start_), bytes.size()),
          window_owner_};
}

}  // namespace ortool
