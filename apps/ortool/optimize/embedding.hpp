// --embed-preprocessing: inputs that take pictures as they are.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/option_values.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/io/image_tensor.hpp"
#include "libcore/optimize/surgery/embed_preprocessing.hpp"

namespace ortool {

/// What one --embed-preprocessing asks for.
struct Embedding {
  std::string input;
  ValueType type;           ///< that the input had
  ImageOptions recipe;      ///< as --image of run would have it for the model as it was
  Preprocessing nodes;      ///< the same as nodes
  std::string embedded_as;  ///< the value that stands for the old input
};

/// Puts what the options ask for in front of the model's inputs; types need not be inferred. Throws
/// ErrorCode::invalid for unknown inputs, ones that take no picture, and recipes that do not fit.
std::vector<Embedding> embed_pictures(const OptionValues& options, Model& model);

}  // namespace ortool
