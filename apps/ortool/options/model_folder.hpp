// Folder given as a model: which file in it is meant.
#pragma once

#include <string>

namespace ortool {

/// The folder's model.onnx, or its only .onnx file. Throws ErrorCode::invalid that says which
/// models there are, or which framework's model the folder holds.
std::string find_model_in_folder(const std::string& folder);

}  // namespace ortool
