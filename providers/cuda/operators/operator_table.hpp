// Operator table: which operators the device computes, and how their nodes become commands.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "providers/cuda/plan/chain.hpp"
#include "providers/cuda/plan/device_plan_builder.hpp"

namespace ortool::cuda {

/// Element types that an operator computes.
enum class OperatorTypes {
  floats,    ///< float32, float16 and bfloat16
  reals,     ///< and float64
  numbers,   ///< and bool and integers of 8 to 64 bits, but uint64
  elements,  ///< all that are stored in 1, 2, 4 or 8 bytes
};

using FusedNodes = std::span<const Node* const>;

/// An operator of the device. Inputs in the set `parameters` (bit i: input i) determine shapes or
/// commands, and are known before the run.
struct OperatorRow {
  std::string_view domain;  ///< "": also in ortool's domain
  std::string_view op_type;
  OperatorTypes types;
  std::uint32_t parameters;
  /// Why a node is refused; null: none is.
  std::string (*refuses)(const Node& node);
  /// Emits the node, and the first of the elementwise nodes that follow it; returns their number.
  std::size_t (*emit)(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes);
  /// Inputs (bit i: input i) that are packed when they are constant, and not uploaded as they are.
  std::uint32_t packed = 0;
};

/// Continues a chain by a node of one element: the chain's value is input `chain_input`.
using AppendElement = void (*)(Chain& chain, DevicePlanBuilder& builder, const Node& node,
                               std::int64_t chain_input);
struct ElementRow {
  std::string_view domain;
  std::string_view op_type;
  OperatorTypes types;
  bool takes_second;  ///< the chain's value may be input 1
  std::uint32_t parameters;
  std::string (*refuses)(const Node& node);
  AppendElement append;
};

std::span<const ElementRow> element_rows();
std::span<const OperatorRow> product_rows();
std::span<const OperatorRow> image_rows();
std::span<const OperatorRow> reduction_rows();
std::span<const OperatorRow> norm_rows();
std::span<const OperatorRow> movement_rows();
std::span<const OperatorRow> indexing_rows();
std::span<const OperatorRow> attention_rows();
std::span<const OperatorRow> recurrent_rows();
std::span<const OperatorRow> byte_product_rows();
std::span<const OperatorRow> byte_conv_rows();
std::span<const OperatorRow> byte_elementwise_rows();
/// All of the above but the elementwise ones.
std::span<const std::span<const OperatorRow>> operator_families();

/// Null: the operator is of another kind, or not in the table.
const ElementRow* find_element_row(const Node& node);
const OperatorRow* find_operator_row(const Node& node);

/// Why the device does not compute a node; empty: it does.
std::string refusal_of(const Node& node);
/// The inputs of a node that must be known before the run.
std::uint32_t parameters_of(const Node& node);
/// The inputs of a node that are packed when they are constant.
std::uint32_t packed_inputs_of(const Node& node);
/// Whether products and convolutions may fold nodes that follow into their result.
bool can_fold(const Node& node);
/// Whether `next` can continue a chain with the result of `node`, or be folded into the product
/// `head` that the chain begins with.
bool can_follow(const Node& head, const Node& node, const Node& next);

/// Emits elementwise nodes, each the only consumer of the one before it. `start` is the result of
/// the node before the first; not given: the first starts the chain.
void emit_chain(DevicePlanBuilder& builder, FusedNodes nodes, const Value* start);

// Helpers of operators.
DataType type_of(const Value* value);
bool is_real(DataType type);
std::int64_t rank_of(const Value* value);  ///< -1: unknown
bool is_used(const Node& node, std::int64_t output);
/// Copies `from`, read with strides for the shape `sizes`, to a dense tensor at `to`.
void emit_copy(DevicePlanBuilder& builder, const DeviceTensor& from, std::int64_t from_offset,
               const Shape& sizes, const std::vector<std::int64_t>& from_strides,
               const DeviceTensor& to, std::int64_t to_offset,
               const std::vector<std::int64_t>& to_strides);
/// The slices of `data` along an axis that integers name, as Gather does.
void emit_slices(DevicePlanBuilder& builder, const Node& node, const DeviceTensor& data,
                 const DeviceTensor& indices, std::int64_t axis, const DeviceTensor& to);
std::vector<std::int64_t> strides_of(const Shape& shape);
/// The sizes of a tensor's axes, outermost first.
Shape sizes_in_memory(const DeviceTensor& tensor);
/// The kernel for the element type: of float32, float16, any other float, float64.
KernelId kernel_for(DataType type, KernelId f32, KernelId f16, KernelId any, KernelId f64);

}  // namespace ortool::cuda
