// Saving a model together with its packed weights, so that sessions of the file start at once.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/api/compute_options.hpp"
#include "libcore/onnx/write/save.hpp"

namespace ortool {

/// Writes `model` and what a session on `compute.providers` packs of its weights as one ONNX file.
/// Later sessions of that file with the same build, processor and settings map the packed weights;
/// others read the weights, which are in the file, too. Checks the model first, as
/// save_checked_model() does, and writes to a scratch folder beside `path` until the file is
/// complete. Returns the size of the file in bytes. Throws as save_checked_model() and Session, and
/// ErrorCode::invalid if `save` asks for external data.
std::int64_t save_packed_model(const Model& model, const std::string& path, const SaveOptions& save,
                               const ComputeOptions& compute);

}  // namespace ortool
