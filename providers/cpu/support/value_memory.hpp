// Memory checks for data that no tensor counts, such as string contents and sequence elements.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Throws ErrorCode::memory_limit unless the run may allocate that many more bytes now. They are
/// not reserved: the strings or elements created next are not counted.
inline void check_room(const DynamicContext& context, std::int64_t bytes, const char* purpose) {
  if (context.cap() == nullptr) return;
  context.cap()->take(bytes, purpose);
  context.cap()->give_back(bytes);
}

/// The same for `count` elements of a sequence.
inline void check_element_room(const DynamicContext& context, std::int64_t count) {
  constexpr std::int64_t size = sizeof(RunValue) + 64;
  check_room(context, multiply_sizes(count, size), "the elements of a sequence");
}

/// The same for `count` strings, without their contents.
inline void check_string_room(const DynamicContext& context, std::int64_t count) {
  constexpr std::int64_t size = sizeof(std::string);
  check_room(context, multiply_sizes(count, size), "a tensor of strings");
}

inline std::int64_t bytes_of_texts(std::span<const std::string> texts) {
  std::int64_t bytes = 0;
  for (const std::string& text : texts) bytes += static_cast<std::int64_t>(text.size());
  return bytes;
}

}  // namespace ortool::cpu
