// The domain of ONNX Runtime's contrib operators.
#pragma once

namespace ortool {

inline constexpr const char* contrib_domain = "com.microsoft";

}  // namespace ortool
