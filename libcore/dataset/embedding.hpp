// Embedding image preprocessing into a model: inputs that take pictures as they are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/io/image_tensor.hpp"
#include "libcore/optimize/surgery/embed_preprocessing.hpp"

namespace ortool {

/// What one text asks for.
struct Embedding {
  std::string input;
  ValueType type;           ///< that the input had
  ImageOptions recipe;      ///< as --image of run would have it for the model as it was
  Preprocessing nodes;      ///< the same as nodes
  std::string embedded_as;  ///< the value that stands for the old input
};

/// Puts what `texts` ask for ("INPUT=resize:256,crop:224") in front of the model's inputs; types
/// need not be inferred. `has_fixed_shapes`: the caller fixed shapes, which then stay. Throws
/// ErrorCode::invalid for unknown inputs, ones that take no picture, and recipes that do not fit.
std::vector<Embedding> embed_pictures(std::span<const std::string> texts, bool has_fixed_shapes,
                                      Model& model);

}  // namespace ortool
