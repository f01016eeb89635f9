// Operators that users define as text: ONNX functions, which models get that call them.
#pragma once

#include <string>
#include <string_view>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Defines operators by functions in the textual syntax, for the whole process. A definition
/// replaces an earlier one of the same name, domain and overload. `name` denotes the text in
/// errors. Throws ErrorCode::invalid for other text, and for functions without a domain of their
/// own.
void define_ops(std::string_view text, const std::string& name);

/// Adds the defined functions that the model's nodes call, directly or through other functions, and
/// that it does not have itself: passes that inline functions then inline them. Loaders of files
/// call this.
void add_defined_ops(Model& model);

}  // namespace ortool
