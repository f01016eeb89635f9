// Reads standard input to the end, within the memory limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace ortool {

class MemoryCap;

/// The content of standard input, valid while `owner` or a copy of it lives.
struct StandardInput {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// Reads to the end. The bytes count against `cap`, which must outlive them; if it is null, half of
/// the machine's memory is the limit. Throws ErrorCode::invalid when the input cannot be read, and
/// ErrorCode::memory_limit when it exceeds what the cap has left, or `max_bytes` if that is not
/// negative.
StandardInput read_standard_input(MemoryCap* cap, std::int64_t max_bytes = -1);

}  // namespace ortool
