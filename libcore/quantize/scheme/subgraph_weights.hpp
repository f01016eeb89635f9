// Placement of quantized weights that subgraphs (bodies of If, Loop and Scan) read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "libcore/graph/node.hpp"

namespace ortool {

/// Quantized weights, as constants of one graph.
struct QuantizedConstants {
  Value* codes = nullptr;
  Value* scales = nullptr;
  Value* zero_points = nullptr;  ///< null: all zero
};

/// ONNX Runtime fuses DequantizeLinear with the MatMul that follows, and rejects a file where the
/// two are in different graphs (1.31: "Missing required weight"). So each graph that reads weights
/// gets a copy of the quantized values, as long as all copies together are smaller than the
/// original floats; otherwise they are dequantized once, in the graph that holds them.
class SubgraphWeights {
 public:
  /// Announces that a node of `graph` reads `weights`; all calls precede the first query.
  void expect(const Value& weights, const Graph& graph) { consumers_[&weights].insert(&graph); }

  bool takes_copies(const Value& weights, DataType codes) const;
  /// The weights as constants of `graph`, sharing their memory.
  QuantizedConstants copy_in(Graph& graph, const QuantizedConstants& stored);
  /// The value dequantized in the graph of `stored`; null until the caller has created it.
  Value*& floats_of(const QuantizedConstants& stored) { return floats_[stored.codes]; }

 private:
  std::map<const Value*, std::set<const Graph*>> consumers_;
  std::map<std::pair<const Value*, const Graph*>, QuantizedConstants> copies_;
  std::map<const Value*, Value*> floats_;
};

}  // namespace ortool
