// Status of mapped files, by the descriptors that the mapping guard keeps open.
#include "libcore/base/file/file_status.hpp"

#include <algorithm>
#include <chrono>
#include <unistd.h>
#include <vector>

#include <sys/stat.h>

#include "libcore/base/file/descriptor.hpp"
#include "libcore/base/file/mapping_guard.hpp"
#include "libcore/base/sha256.hpp"

namespace ortool {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::string FileStatus::to_text() const {
  std::string text;
  for (const std::int64_t part :
       {static_cast<std::int64_t>(device), static_cast<std::int64_t>(inode), size_bytes,
        modified_ns, changed_ns})
    text += std::to_string(part) + ' ';
  return text;
}

bool FileStatus::is_old() const {
  // The coarsest clock of a file system in use, that of FAT, has two seconds.
  constexpr std::int64_t least_age_ns = 3'000'000'000;
  const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  return now - std::max(modified_ns, changed_ns) > least_age_ns;
}

std::optional<MappedPlace> file_of_mapping(std::span<const std::byte> bytes) {
  const int file = remembered_file_of(bytes);
  struct stat found {};
  if (file < 0 || ::fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return MappedPlace{.status = {.device = static_cast<std::uint64_t>(found.st_dev),
                                .inode = static_cast<std::uint64_t>(found.st_ino),
                                .size_bytes = std::int64_t{found.st_size},
                                .modified_ns = nanoseconds(found.st_mtim),
                                .changed_ns = nanoseconds(found.st_ctim)},
                     .offset = bytes.data() - remembered_mapping_around(bytes).data()};
}

std::optional<std::string> sha256_of_mapped_file(std::span<const std::byte> bytes) {
  const std::optional<MappedPlace> before = file_of_mapping(bytes);
  if (!before) return std::nullopt;
  const int file = remembered_file_of(bytes);
  Sha256 hash;
  std::vector<std::byte> piece(std::size_t{1} << 20);
  for (std::int64_t at = 0; at < before->status.size_bytes;) {
    const ssize_t count =
        retry_interrupted([&] { return ::pread(file, piece.data(), piece.size(), at); });
    if (count <= 0) return std::nullopt;
    hash.update(std::span(piece).first(static_cast<std::size_t>(count)));
    at += count;
  }
  const std::optional<MappedPlace> after = file_of_mapping(bytes);
  if (!after || after->status != before->status) return std::nullopt;
  return hash.finish();
}

}  // namespace ortool
