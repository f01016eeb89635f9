// The operator domain "ortool", whose operators only sessions create.
#pragma once

#include <cstdint>

namespace ortool {

/// The domain, and the version in which it is imported: `newest_opset`, since it also contains
/// ONNX's newest operators.
inline constexpr const char* own_domain = "ortool";
inline constexpr std::int64_t own_opset = 28;

}  // namespace ortool
