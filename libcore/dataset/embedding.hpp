// Embedded image preprocessing: makes model inputs accept unprocessed images.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/io/image_tensor.hpp"
#include "libcore/optimize/surgery/embed_preprocessing.hpp"

namespace ortool {

/// The preprocessing of one input.
struct Embedding {
  std::string input;
  ValueType type;           ///< of the original input
  ImageOptions recipe;      ///< as for --image of run, for the original model
  Preprocessing nodes;      ///< the same as nodes
  std::string embedded_as;  ///< the value that replaces the old input
};

/// Inserts the preprocessing given by `texts` ("INPUT=resize:256,crop:224") before the model's
/// inputs; types need not be inferred. `has_fixed_shapes`: the caller fixed shapes, which are kept.
/// Throws ErrorCode::invalid for unknown inputs, for inputs that are not images, and for recipes
/// that do not fit.
std::vector<Embedding> embed_pictures(std::span<const std::string> texts, bool has_fixed_shapes,
                                      Model& model);

}  // namespace ortool
