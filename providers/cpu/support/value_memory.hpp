// Memory that no tensor counts, such as the texts of strings and the elements of sequences.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Throws ErrorCode::memory_limit unless the run may take so many bytes more now. They are not
/// kept: the strings or elements that are made next are counted by nobody.
inline void check_room(const DynamicContext& context, std::int64_t bytes, const char* purpose) {
  if (context.cap() == nullptr) return;
  context.cap()->take(bytes, purpose);
  context.cap()->give_back(bytes);
}

/// The same for that many elements of a sequence.
inline void check_element_room(const DynamicContext& context, std::int64_t count) {
  constexpr std::int64_t size = sizeof(RunValue) + 64;
  check_room(context, multiply_sizes(count, size), "the elements of a sequence");
}

/// And for that many strings, their texts apart.
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
