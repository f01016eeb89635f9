// Kernel list of the cpu provider as data: rows are ordered best first for each operator.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/node_view.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool::cpu {

/// Operator type of a row for operators of any domain that have no row with `layouts` of their own.
inline constexpr std::string_view any_operator = "*";

/// One kernel variant of one operator. A node is compiled by the first row of the list that this
/// processor can run and whose `accepts` returns true; if a value is in NCHWc, by the first such
/// row with `layouts`.
struct KernelRow {
  std::string_view name;     ///< "softmax_f32_avx512"
  std::string_view domain;   ///< empty for ai.onnx
  std::string_view op_type;  ///< any_operator: `accepts` and `layouts` decide
  Isa isa;                   ///< the instruction set it is written for
  std::string_view types;    ///< for the user: "float32", "all numbers"
  bool (*accepts)(const NodeView& view);
  KernelPtr (*compile)(const NodeView& view, const KernelRow& row, const CompileContext& context);
  /// Whether the kernel can fuse `next`, sole consumer of the group's sole used output. Null:
  /// never.
  bool (*absorbs)(const NodeView& group, const Node& next) = nullptr;
  /// The choices for computing a group with NCHWc values, preceded by NCHW (by another row); empty:
  /// none for this group. A row with `layouts` computes such groups only and claims no nodes.
  std::vector<LayoutChoice> (*layouts)(const NodeView& view, const KernelRow& row) = nullptr;
  /// Whether `compile` takes `group` merged with `next`, which the same row computes
  /// (PostOpProvider::appends). Null: never.
  bool (*appends)(const NodeView& group, const NodeView& next, const KernelRow& row) = nullptr;
};

/// The row of that name, which must exist.
const KernelRow& kernel_row(std::string_view name);

/// All rows, best first within an operator. Each entry of the outer list is one operator's file.
std::span<const std::span<const KernelRow>> kernel_list();

/// Adds rows for a program's own operators (see register_op) after all others. The rows must stay
/// at their address. Existing providers do not see them.
void register_kernels(std::span<const KernelRow> rows);

}  // namespace ortool::cpu
