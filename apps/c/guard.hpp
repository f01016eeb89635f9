// Guard of the C interface: turns exceptions into error objects, and checks arguments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "apps/c/ortool/ortool.h"
#include "libcore/base/error.hpp"

namespace ortool::c {

/// The exception that is being handled, as the program would report it.
Error current_error();

/// Writes the exception that is being handled to `error`, unless that is null. Never throws.
ortool_status hand_over_error(ortool_error** error) noexcept;

/// Runs the body of a function of the interface.
template <typename Body>
ortool_status guarded(ortool_error** error, Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return ORTOOL_OK;
  } catch (...) {
    return hand_over_error(error);
  }
}

/// A text that ortool_text_free() frees.
char* copy_text(const std::string& text);

[[noreturn]] void refuse_null(std::string_view parameter);
[[noreturn]] void refuse_size(std::string_view parameter, std::size_t size);

inline void require(const void* pointer, std::string_view parameter) {
  if (pointer == nullptr) refuse_null(parameter);
}

/// The caller's struct, which may be that of an older header and shorter; zeros where it ends, and
/// for null. Throws ErrorCode::invalid if its size was not set.
template <typename Struct>
Struct completed(const Struct* given, std::string_view parameter) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  Struct result = {};
  if (given == nullptr) return result;
  if (given->size < sizeof(std::size_t)) refuse_size(parameter, given->size);
  std::memcpy(&result, given, std::min(given->size, sizeof(Struct)));
  return result;
}

}  // namespace ortool::c
