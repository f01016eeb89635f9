// Saves a model only if the resulting file is valid.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/onnx/write/save.hpp"

namespace ortool {

/// Throws ErrorCode::invalid, "save.invalid", when the file that save_model would write violates a
/// rule that check_model reports as an error; all such errors are parts of it. Weights are not
/// checked.
void check_before_save(const Model& model, const StopToken* stop = nullptr);

/// check_before_save, then save_model. If the check throws, no file is written or changed.
std::int64_t save_checked_model(const Model& model, const std::string& path,
                                const SaveOptions& options = {});

}  // namespace ortool
