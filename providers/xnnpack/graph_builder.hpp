// Graph builder: an XNNPACK subgraph in the making, with the constants that it refers to.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>
#include <xnnpack.h>

#include "providers/xnnpack/node_reader.hpp"

namespace ortool::xnnpack {

/// Constants stay at their addresses; a runtime refers to them.
using Constants = std::deque<std::vector<float>>;

class GraphBuilder {
 public:
  /// Throws ModuleFailure for graphs with unknown or empty shapes, and where XNNPACK refuses one.
  GraphBuilder(const ortool_provider_graph& graph, Constants& constants);
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  xnn_subgraph_t subgraph() const { return subgraph_; }
  /// The id of a value that a node computes or that is an input. Images have their channels
  /// innermost.
  std::uint32_t id_of(const ortool_provider_value* value);
  /// A constant as XNNPACK is to see it.
  std::uint32_t constant(std::vector<std::size_t> shape, std::vector<float> elements);
  /// An operand of an elementwise operator, for a result of that rank: constants get leading
  /// dimensions of 1, and channels innermost.
  std::uint32_t operand(const ortool_provider_value* value, std::int32_t result_rank);
  /// Throws ModuleFailure unless XNNPACK has defined the node.
  void check(xnn_status status, const NodeReader& node) const;

 private:
  void define(const ortool_provider_value& value, std::uint32_t external_id, std::uint32_t flags);

  xnn_subgraph_t subgraph_ = nullptr;
  Constants& constants_;
  std::unordered_map<const ortool_provider_value*, std::uint32_t> ids_;
};

/// The dimensions as XNNPACK has them. Throws ModuleFailure if one is unknown or 0.
std::vector<std::size_t> layout_shape(const ortool_provider_value& value);
/// [N,C,H,W] as [N,H,W,C].
std::vector<float> channels_last(const float* elements, const std::vector<std::size_t>& nchw);

}  // namespace ortool::xnnpack
