// Opening of regular files; the file type is checked on the descriptor, not on the path.
#include "libcore/base/file/file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/descriptor.hpp"
#include "libcore/base/file/list_folder.hpp"
#include "libcore/base/file/mapping_guard.hpp"
#include "libcore/base/file/standard_input.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

/// Suggests "did you mean 'model.onnx'?" for a name that is not in its folder.
std::string hint_for_missing(const std::string& path) {
  const std::filesystem::path wanted(path);
  const std::string name = wanted.filename().string();
  NearestName nearest(name);
  std::error_code failed;
  const auto folder = wanted.has_parent_path() ? wanted.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, failed)) {
    return format("there is no folder {}; check the path", quote(folder.string()));
  }
  int looked_at = 0;
  list_folder(folder.string(), [&](const std::string& entry) {
    nearest.offer(entry);
    return ++looked_at < 10000;
  });
  if (nearest.best().empty()) return "check the path";
  return format("did you mean {}?", quote((wanted.parent_path() / nearest.best()).string()));
}

[[noreturn]] void fail_to_open(const std::string& path, int number) {
  if (number == ENOENT || number == ENOTDIR) {
    throw Error(ErrorCode::invalid, "there is no such file", hint_for_missing(path))
        .with_id("file.missing")
        .in(shorten(path));
  }
  std::string hint;
  if (number == EACCES || number == EPERM) hint = "get permission to read it";
  if (number == ENAMETOOLONG) hint = "check the path";
  throw Error(ErrorCode::invalid, format("cannot be opened ({})", error_text(number)),
              std::move(hint))
      .with_id("file.open")
      .in(shorten(path));
}

void check_is_regular(const struct stat& status, const std::string& name) {
  if (S_ISREG(status.st_mode)) return;
  const char* kind = "not a regular file";
  const char* hint = "name a regular file";
  if (S_ISDIR(status.st_mode)) {
    kind = "a folder, not a file";
    hint = "name the file inside it";
  } else if (S_ISFIFO(status.st_mode)) {
    kind = "a pipe, not a file";
    hint = "give '-' as the name and pipe into standard input";
  } else if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) {
    kind = "a device, not a file";
  } else if (S_ISSOCK(status.st_mode)) {
    kind = "a socket, not a file";
  }
  throw Error(ErrorCode::invalid, format("is {}", kind), hint)
      .with_id("file.kind")
      .in(shorten(name));
}

}  // namespace

MappedFile MappedFile::open(const std::string& path) {
  // The system would stop at the null character and open another file.
  if (path.find('\0') != std::string::npos) {
    throw Error(ErrorCode::invalid, "its name contains a zero byte", "no file can have such a name")
        .with_id("file.name")
        .in(shorten(path));
  }
  // Without O_NONBLOCK, opening a FIFO would block before its type can be checked.
  const Descriptor descriptor(retry_interrupted(
      [&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); }));
  if (!descriptor.is_open()) fail_to_open(path, errno);
  return from_descriptor(descriptor.number(), path);
}

MappedFile MappedFile::from_descriptor(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail_to_open(name, errno);
  check_is_regular(status, name);
  MappedFile file;
  if (status.st_size == 0) return file;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) {
    const int number = errno;
    throw Error(number == ENOMEM ? ErrorCode::memory_limit : ErrorCode::invalid,
                format("{} bytes cannot be mapped ({})", size, error_text(number)))
        .with_id("file.map")
        .in(shorten(name));
  }
  remember_mapping(address, size, descriptor, name);
  file.bytes_ = {static_cast<const std::byte*>(address), size};
  file.owner_ = std::shared_ptr<const void>(address, [size](void* start) {
    forget_mapping(start);
    ::munmap(start, size);
  });
  return file;
}

bool drop_pages(std::span<const std::byte> bytes) noexcept {
  const std::span<const std::byte> mapping = remembered_mapping_around(bytes);
  if (mapping.empty()) return false;
  // Reading a page also maps its neighborhood, up to the size of a large page.
  constexpr std::uintptr_t max_page_bytes = std::uintptr_t{2} << 20;
  const auto number_of = [](const std::byte* address) {
    return reinterpret_cast<std::uintptr_t>(address);
  };
  const auto rounded_up = [](std::uintptr_t address) {
    return (address + max_page_bytes - 1) / max_page_bytes * max_page_bytes;
  };
  const auto begin = std::max(number_of(mapping.data()),
                              number_of(bytes.data()) / max_page_bytes * max_page_bytes);
  const auto end = std::min(number_of(mapping.data() + mapping.size()),
                            rounded_up(number_of(bytes.data() + bytes.size())));
  // Mappings are read-only, so only the cached copy of the pages is dropped.
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  return true;
}

std::string read_text_file(const std::string& path, std::int64_t max_bytes, MemoryCap* cap) {
  if (path == "-") return std::string(read_standard_input(cap, max_bytes).text());
  const MappedFile file = MappedFile::open(path);
  if (file.size_bytes() > max_bytes) {
    throw Error(ErrorCode::invalid,
                format("has {} bytes where {} are allowed", file.size_bytes(), max_bytes))
        .with_id("file.size")
        .in(shorten(path));
  }
  const MemoryReservation room(cap, file.size_bytes(), "the text of a file");
  const auto bytes = file.bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string error_text(int number) {
  return std::generic_category().message(number);
}

}  // namespace ortool
