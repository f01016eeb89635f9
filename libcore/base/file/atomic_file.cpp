// Atomic replacement of files: write a temporary file, fsync, rename, fsync the folder.
#include "libcore/base/file/atomic_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/file/mapping_guard.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

enum SlotState : int { slot_free, slot_filling, slot_used };

struct FileSlot {
  std::atomic<int> state{slot_free};
  std::array<char, PATH_MAX> path{};
};

constinit std::array<FileSlot, 32> file_slots{};
constinit std::atomic<unsigned> next_number{0};

/// -1 when the table is full or the name too long. Such a file is left behind only if the process
/// is killed.
int remember(const std::string& path) noexcept {
  if (path.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < file_slots.size(); ++i) {
    int expected = slot_free;
    if (!file_slots[i].state.compare_exchange_strong(expected, slot_filling)) continue;
    std::memcpy(file_slots[i].path.data(), path.c_str(), path.size() + 1);
    file_slots[i].state.store(slot_used);
    return static_cast<int>(i);
  }
  return -1;
}

void forget(int slot) noexcept {
  if (slot >= 0) file_slots[static_cast<std::size_t>(slot)].state.store(slot_free);
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

[[noreturn]] void fail_to_write(const std::string& path, std::string_view action, int number) {
  std::string hint;
  if (number == ENOSPC || number == EDQUOT) hint = "free disk space, or name another folder";
  if (number == ENOENT || number == ENOTDIR) hint = "create the folder first";
  if (number == EACCES || number == EPERM || number == EROFS)
    hint = "name a folder you may write to";
  throw Error(ErrorCode::write_failed, format("{} ({})", action, error_text(number)),
              std::move(hint))
      .with_id("output.write")
      .in(shorten(path));
}

}  // namespace

std::string link_target(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string target = resolved;
  ::free(resolved);
  return target;
}

std::string temporary_name(const std::string& target) {
  const auto slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : target.substr(0, slash + 1);
  const std::string base = slash == std::string::npos ? target : target.substr(slash + 1);
  // Keeps the name below the usual limit of 255 bytes.
  return format("{}.{}.{}-{}.tmp", folder, base.substr(0, 200), ::getpid(), next_number++);
}

AtomicFile::AtomicFile(std::string path, OnLink on_link) : path_(std::move(path)), target_(path_) {
  if (path_.empty()) {
    throw Error(ErrorCode::write_failed, "no name is given for the output file");
  }
  struct stat status {};
  const bool exists = on_link == OnLink::follow && ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail("is a folder", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = Descriptor(
        retry_interrupted([&] { return ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY); }));
    if (!descriptor_.is_open()) fail("cannot be opened for writing", errno);
    return;
  }
  if (exists) target_ = link_target(path_);
  for (int attempt = 0; attempt < 100 && !descriptor_.is_open(); ++attempt) {
    temporary_ = temporary_name(target_);
    slot_ = remember(temporary_);
    descriptor_ = Descriptor(retry_interrupted(
        [&] { return ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
    if (descriptor_.is_open()) break;
    const int number = errno;
    forget(std::exchange(slot_, -1));
    if (number != EEXIST) {
      temporary_.clear();
      fail("cannot be written", number);
    }
  }
  if (!descriptor_.is_open()) fail("cannot be written", EEXIST);
  if (exists && ::fchmod(descriptor_.number(), status.st_mode & 07777) != 0) {
    const int number = errno;
    remove_temporary();
    fail("cannot be given its previous permissions", number);
  }
}

AtomicFile::~AtomicFile() {
  remove_temporary();
}

void AtomicFile::remove_temporary() noexcept {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  forget(std::exchange(slot_, -1));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  // The kernel transfers at most 2 GiB in one call.
  constexpr std::size_t max_bytes_a_call = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t count = retry_interrupted([&] {
      return ::write(descriptor_.number(), bytes.data(), std::min(bytes.size(), max_bytes_a_call));
    });
    if (count < 0 && errno == EFAULT) fail_for_lost_mapping(bytes);
    if (count < 0) fail("cannot be written", errno);
    if (count == 0) fail("cannot be written", ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFile::commit(const StopToken* stop) {
  const bool is_renamed = !temporary_.empty();
  check_mappings();
  // Pipes, devices and some network file systems do not support fsync.
  if (retry_interrupted([&] { return ::fsync(descriptor_.number()); }) != 0 && is_renamed &&
      errno != EINVAL && errno != ENOTSUP) {
    fail("cannot be flushed to the disk", errno);
  }
  close_and_rename(stop);
  if (!is_renamed) return;
  const Descriptor folder(retry_interrupted(
      [&] { return ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  // A folder that is writable but not readable cannot be synced; the file itself is safe.
  if (folder.is_open() && ::fsync(folder.number()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail("was renamed, but its folder cannot be flushed to the disk", errno);
  }
}

void AtomicFile::commit_unsynced(const StopToken* stop) {
  check_mappings();
  close_and_rename(stop);
}

void AtomicFile::close_and_rename(const StopToken* stop) {
  if (const int number = descriptor_.close(); number != 0 && number != EINTR) {
    fail("cannot be closed", number);
  }
  if (temporary_.empty()) return;
  if (stop != nullptr) stop->poll();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be renamed to", errno);
  temporary_.clear();
  forget(std::exchange(slot_, -1));
}

void AtomicFile::fail(std::string_view action, int number) const {
  fail_to_write(path_, action, number);
}

std::optional<FreshFile> FreshFile::reserve(const std::string& path) {
  const Descriptor descriptor(retry_interrupted(
      [&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
  if (descriptor.is_open()) return FreshFile(path, remember(path));
  if (errno == EEXIST) return std::nullopt;
  fail_to_write(path, "cannot be written", errno);
}

FreshFile::FreshFile(FreshFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), slot_(std::exchange(other.slot_, -1)) {}

FreshFile& FreshFile::operator=(FreshFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(slot_, other.slot_);
  return *this;
}

FreshFile::~FreshFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
  forget(slot_);
}

void FreshFile::keep() noexcept {
  path_.clear();
  forget(std::exchange(slot_, -1));
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void remove_temporary_files() noexcept {
  for (FileSlot& slot : file_slots) {
    if (slot.state.load() == slot_used) ::unlink(slot.path.data());
  }
}

}  // namespace ortool
