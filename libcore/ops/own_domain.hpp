// The domain of operators that only a session makes.
#pragma once

#include <cstdint>

namespace ortool {

/// The domain, and the version it is imported in: that of ONNX's newest operators
/// (`newest_opset`), which it holds too.
inline constexpr const char* own_domain = "ortool";
inline constexpr std::int64_t own_opset = 28;

}  // namespace ortool
