// A fixed table of file mappings, readable from a signal handler.
#include "libcore/base/file/mapping_guard.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <unistd.h>

#include <sys/stat.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/atomic_file.hpp"

namespace ortool {
namespace {

struct MappingSlot {
  std::atomic<std::uintptr_t> begin{0};  ///< 0: free, 1: being filled
  std::atomic<std::uintptr_t> end{0};
  std::atomic<int> file{-1};  ///< file descriptor
  std::array<char, 256> name{};
};

constinit std::array<MappingSlot, 64> mapping_slots{};

void write_to_standard_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

constexpr std::string_view what_happened =
    "the file was truncated or its disk failed while it was being read";

const MappingSlot* slot_around(std::uintptr_t address) noexcept {
  for (const MappingSlot& slot : mapping_slots) {
    const std::uintptr_t begin = slot.begin.load();
    if (begin > 1 && address >= begin && address < slot.end.load()) return &slot;
  }
  return nullptr;
}

/// The slot of the mapping that contains all of these bytes, or null.
const MappingSlot* slot_holding(std::span<const std::byte> bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  for (const MappingSlot& slot : mapping_slots) {
    const std::uintptr_t first = slot.begin.load();
    const std::uintptr_t end = slot.end.load();
    if (first > 1 && begin >= first && begin < end && bytes.size() <= end - begin) return &slot;
  }
  return nullptr;
}

[[noreturn]] void fail_for(const MappingSlot* slot) {
  Error error(ErrorCode::invalid, std::string(what_happened),
              "try again when nothing writes to the file");
  error.with_id("file.cut_short");
  if (slot != nullptr) error.in(std::string_view(slot->name.data()));
  throw error;
}

constinit std::atomic<bool> is_ending{false};

/// The first faulting thread ends the process; all others wait for that.
void end_after_lost_mapping(int, siginfo_t* information, void*) {
  if (is_ending.exchange(true)) {
    for (;;) ::pause();
  }
  remove_temporary_files();
  write_to_standard_error("error: ");
  if (const MappingSlot* slot =
          slot_around(reinterpret_cast<std::uintptr_t>(information->si_addr))) {
    write_to_standard_error(std::string_view(slot->name.data()));
    write_to_standard_error(": ");
  }
  write_to_standard_error(what_happened);
  write_to_standard_error("\n");
  ::_exit(static_cast<int>(ErrorCode::invalid));
}

}  // namespace

void remember_mapping(const void* address, std::size_t size_bytes, int descriptor,
                      std::string_view name) noexcept {
  for (MappingSlot& slot : mapping_slots) {
    std::uintptr_t free = 0;
    if (!slot.begin.compare_exchange_strong(free, 1)) continue;
    const std::size_t length = std::min(name.size(), slot.name.size() - 1);
    for (std::size_t i = 0; i < length; ++i) {
      const bool is_control = static_cast<unsigned char>(name[i]) < 0x20 || name[i] == 0x7f;
      slot.name[i] = is_control ? '?' : name[i];
    }
    slot.name[length] = '\0';
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    slot.end.store(begin + size_bytes);
    slot.file.store(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
    slot.begin.store(begin);
    return;
  }
}

std::span<const std::byte> remembered_mapping_around(std::span<const std::byte> bytes) noexcept {
  const MappingSlot* slot = slot_holding(bytes);
  if (slot == nullptr) return {};
  const std::uintptr_t first = slot->begin.load();
  return {reinterpret_cast<const std::byte*>(first), slot->end.load() - first};
}

int remembered_file_of(std::span<const std::byte> bytes) noexcept {
  const MappingSlot* slot = slot_holding(bytes);
  return slot != nullptr ? slot->file.load() : -1;
}

void forget_mapping(const void* address) noexcept {
  for (MappingSlot& slot : mapping_slots) {
    auto begin = reinterpret_cast<std::uintptr_t>(address);
    if (!slot.begin.compare_exchange_strong(begin, 1)) continue;
    if (const int file = slot.file.exchange(-1); file >= 0) ::close(file);
    slot.begin.store(0);
    return;
  }
}

void fail_for_lost_mapping(std::span<const std::byte> bytes) {
  fail_for(slot_around(reinterpret_cast<std::uintptr_t>(bytes.data())));
}

void check_mappings() {
  for (const MappingSlot& slot : mapping_slots) {
    const std::uintptr_t begin = slot.begin.load();
    const std::uintptr_t end = slot.end.load();
    struct stat status {};
    if (begin <= 1 || ::fstat(slot.file.load(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (slot.begin.load() == begin && static_cast<std::uint64_t>(status.st_size) < end - begin)
      fail_for(&slot);
  }
}

void end_cleanly_when_mapping_is_lost() {
  struct sigaction action {};
  action.sa_sigaction = end_after_lost_mapping;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace ortool
