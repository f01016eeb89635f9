// Writing a model only when the file will be valid.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/onnx/write/save.hpp"

namespace ortool {

/// Throws ErrorCode::invalid, "save.invalid", when the file that save_model would write breaks a
/// rule that check_model calls an error; the error's parts are all of them. Weights are not looked
/// at.
void check_before_save(const Model& model, const StopToken* stop = nullptr);

/// check_before_save, then save_model: nothing is written, nor any file touched, where it throws.
std::int64_t save_checked_model(const Model& model, const std::string& path,
                                const SaveOptions& options = {});

}  // namespace ortool
