// Operator list of the xnnpack module: what is refused, and how a node is defined in XNNPACK.
#pragma once

#include <string>
#include <string_view>
#include <xnnpack.h>

#include "providers/xnnpack/graph_builder.hpp"
#include "providers/xnnpack/node_reader.hpp"

namespace ortool::xnnpack {

struct KernelRow {
  std::string_view op_type;
  /// Why XNNPACK does not compute the node; empty: it does.
  std::string (*refuses)(const NodeReader& node);
  /// Defines a node that is not refused, with known shapes.
  xnn_status (*define)(GraphBuilder& graph, const NodeReader& node);
};

/// The row of the node's operator; null: there is none.
const KernelRow* find_row(const NodeReader& node);

std::string refuses_conv(const NodeReader& node);
xnn_status define_conv(GraphBuilder& graph, const NodeReader& node);
std::string refuses_pool(const NodeReader& node);
xnn_status define_pool(GraphBuilder& graph, const NodeReader& node);
std::string refuses_global_pool(const NodeReader& node);
xnn_status define_global_pool(GraphBuilder& graph, const NodeReader& node);
std::string refuses_product(const NodeReader& node);
xnn_status define_product(GraphBuilder& graph, const NodeReader& node);
std::string refuses_binary(const NodeReader& node);
xnn_status define_binary(GraphBuilder& graph, const NodeReader& node);
std::string refuses_unary(const NodeReader& node);
xnn_status define_unary(GraphBuilder& graph, const NodeReader& node);
std::string refuses_softmax(const NodeReader& node);
xnn_status define_softmax(GraphBuilder& graph, const NodeReader& node);
std::string refuses_prelu(const NodeReader& node);
xnn_status define_prelu(GraphBuilder& graph, const NodeReader& node);
std::string refuses_reshape(const NodeReader& node);
xnn_status define_reshape(GraphBuilder& graph, const NodeReader& node);
std::string refuses_pad(const NodeReader& node);
xnn_status define_pad(GraphBuilder& graph, const NodeReader& node);
std::string refuses_resize(const NodeReader& node);
xnn_status define_resize(GraphBuilder& graph, const NodeReader& node);
std::string refuses_depth_to_space(const NodeReader& node);
xnn_status define_depth_to_space(GraphBuilder& graph, const NodeReader& node);

}  // namespace ortool::xnnpack
