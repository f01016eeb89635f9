// The weights of a model: all tensors that it stores.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A stored tensor: an initializer, or the value of a Constant node.
struct Weight {
  std::string_view name;
  DataType type;
  Shape shape;
  const Tensor* tensor;
  bool is_external;

  std::int64_t size_bytes() const;
};

/// Whether the model stores a tensor for the value: a constant, or an input's default.
bool is_stored(const Value& value);

/// The weights of the main graph, its subgraphs and the functions, in order.
std::vector<Weight> weights_of(const Model& model);

}  // namespace ortool
