// The profile of this build (ORTOOL_PROFILE): full, or minimal, with chosen operators only.
#pragma once

#include <string_view>

namespace ortool {

/// Whether this is a minimal build, which has the operators of a list only.
bool is_minimal_build();

/// What to do about an operator that a minimal build lacks.
inline constexpr std::string_view minimal_build_hint =
    "this is a minimal build, which has chosen operators only: use a full build, or build again "
    "with the list that its `ortool inspect --operators MODEL.onnx` writes (-DORTOOL_OPERATORS)";

}  // namespace ortool
