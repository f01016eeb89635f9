// A fixed table of mappings that a signal handler can read.
#include "libcore/base/mapping_guard.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <signal.h>
#include <unistd.h>

#include "libcore/base/atomic_file.hpp"
#include "libcore/base/error.hpp"

namespace ortool {
namespace {

struct Slot {
  std::atomic<std::uintptr_t> begin{0};  ///< 0: free, 1: being filled
  std::atomic<std::uintptr_t> end{0};
  std::array<char, 256> name{};
};

constinit std::array<Slot, 64> slots{};

void write_to_standard_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void end_after_lost_mapping(int, siginfo_t* information, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(information->si_addr);
  remove_temporary_files();
  write_to_standard_error("error: ");
  for (const Slot& slot : slots) {
    if (slot.begin.load() <= 1 || address < slot.begin.load() || address >= slot.end.load()) {
      continue;
    }
    write_to_standard_error(std::string_view(slot.name.data()));
    write_to_standard_error(": ");
    break;
  }
  write_to_standard_error("the file was cut short or its disk failed while it was being read\n");
  ::_exit(static_cast<int>(ErrorCode::invalid));
}

}  // namespace

void remember_mapping(const void* address, std::size_t size_bytes, std::string_view name) noexcept {
  for (Slot& slot : slots) {
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
    slot.begin.store(begin);
    return;
  }
}

std::span<const std::byte> remembered_mapping_around(std::span<const std::byte> bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  for (const Slot& slot : slots) {
    const std::uintptr_t first = slot.begin.load();
    const std::uintptr_t end = slot.end.load();
    if (first > 1 && begin >= first && begin < end && bytes.size() <= end - begin)
      return {reinterpret_cast<const std::byte*>(first), end - first};
  }
  return {};
}

void forget_mapping(const void* address) noexcept {
  for (Slot& slot : slots) {
    auto begin = reinterpret_cast<std::uintptr_t>(address);
    if (slot.begin.compare_exchange_strong(begin, 0)) return;
  }
}

void end_cleanly_when_mapping_is_lost() {
  struct sigaction action {};
  action.sa_sigaction = end_after_lost_mapping;
  action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace ortool
