// Models and graphs as ONNX's textual syntax (docs/text-format.md).
#pragma once

#include <cstdint>
#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

struct PrintOptions {
  /// Tensors with more elements print as `{...}`, which does not read back; -1: all elements.
  std::int64_t most_elements = -1;
};

/// Text that parse_model reads back as an equal model. Not written: doc strings and metadata of
/// graphs, nodes and values.
std::string print_model(const Model& model, const PrintOptions& options = {});
/// Without the opsets.
std::string print_graph(const Graph& graph, const PrintOptions& options = {});
/// One node, without a line end; subgraphs span lines.
std::string print_node(const Node& node, const PrintOptions& options = {});

std::string print_type(const ValueType& type);
/// `float[2] {1, 2}`.
std::string print_tensor(const Tensor& tensor, const PrintOptions& options = {});

}  // namespace ortool
