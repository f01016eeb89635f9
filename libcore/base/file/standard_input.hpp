// Standard input read whole, within the memory limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace ortool {

class MemoryCap;

/// What standard input held, for as long as `owner` or a copy of it lives.
struct StandardInput {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// Reads to the end. The bytes count against `cap` while they live, which it must outlive; null:
/// half of the machine's memory is the limit. Throws ErrorCode::invalid where it cannot be read,
/// and ErrorCode::memory_limit where it holds more than the cap has left, or than `most_bytes`
/// where that is not negative.
StandardInput read_standard_input(MemoryCap* cap, std::int64_t most_bytes = -1);

}  // namespace ortool
