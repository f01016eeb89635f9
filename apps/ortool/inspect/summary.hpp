// A model in figures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/ortool/inspect/cost.hpp"
#include "apps/ortool/report/json.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

struct Summary {
  std::int64_t node_count = 0;  ///< those of subgraphs and functions included
  std::map<std::string, std::int64_t> op_histogram;
  std::int64_t parameter_count = 0;
  std::int64_t weight_bytes = 0;
  Cost macs;                                           ///< of the main graph
  std::optional<std::int64_t> peak_activation_bytes;   ///< nothing where shapes are not known
  std::optional<std::int64_t> denormal_weights;        ///< nothing when weights were not read
  std::optional<std::int64_t> duplicate_weight_bytes;  ///< the same
};

/// Reads every weight once when `reads_weights`. The model's shapes must have been inferred.
Summary summarize(const Model& model, bool reads_weights);

Json summary_block(const Summary& summary);

/// A tensor that the model stores: an initialiser, or a Constant node's.
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

/// Of the main graph, its subgraphs and the functions, in order.
std::vector<Weight> weights_of(const Model& model);

/// Bytes of all values that live at once while the nodes run in order, at most: each from its
/// making to its last use, inputs from the start, outputs to the end. Nothing where a shape is not
/// known.
std::optional<std::int64_t> peak_activation_bytes(const Graph& graph);

}  // namespace ortool
