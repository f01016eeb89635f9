// Where the levels of weights stand that bodies of If, Loop and Scan read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Weights in fewer bits: constants of one graph.
struct StoredLevels {
  Value* levels = nullptr;
  Value* scales = nullptr;
  Value* zero_points = nullptr;  ///< null: all zero
};

/// ONNX Runtime makes one node of DequantizeLinear and the MatMul behind it, and refuses a file
/// whose MatMul stands in another graph than the levels (1.31: "Missing required weight"). So each
/// graph that reads weights has a copy of their levels, as long as all copies together take less
/// than the floats did; else they become floats once, where they lie.
class BodyLevels {
 public:
  /// Tells that a node of `graph` reads `weights`, before the first question about them.
  void expect(const Value& weights, const Graph& graph) { readers_[&weights].insert(&graph); }

  bool takes_copies(const Value& weights, DataType levels) const;
  /// The levels as constants of `graph`; they share their bytes.
  StoredLevels copy_in(Graph& graph, const StoredLevels& stored);
  /// The floats made of `stored` where it lies; null until the caller has made them.
  Value*& floats_of(const StoredLevels& stored) { return floats_[stored.levels]; }

 private:
  std::map<const Value*, std::set<const Graph*>> readers_;
  std::map<std::pair<const Value*, const Graph*>, StoredLevels> copies_;
  std::map<const Value*, Value*> floats_;
};

}  // namespace ortool
