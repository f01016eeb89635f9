// The cpu provider's kernels as data: best first for each operator.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/node_view.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool::cpu {

/// Of a row that is for operators of any domain: those that have no row with `layouts` of their
/// own.
inline constexpr std::string_view any_operator = "*";

/// One kernel variant of one operator. The first row of the list that this processor can run and
/// whose `accepts` says yes is the one that compiles the node; where a value is blocked, the first
/// of those with `layouts`.
struct KernelRow {
  std::string_view name;     ///< "softmax_f32_avx512"
  std::string_view domain;   ///< empty for ai.onnx
  std::string_view op_type;  ///< any_operator: `accepts` and `layouts` say which
  Isa isa;                   ///< the level it is written for
  std::string_view types;    ///< for the user: "float32", "all numbers"
  bool (*accepts)(const NodeView& view);
  KernelPtr (*compile)(const NodeView& view, const KernelRow& row, const CompileContext& context);
  /// Whether the kernel also computes `next`, the only reader of the group's only used output.
  /// Null: it never does.
  bool (*absorbs)(const NodeView& group, const Node& next) = nullptr;
  /// The ways to compute a group with blocked values, the plain one (by another row) first; empty:
  /// none for this group. A row that has this computes such groups only, and claims nothing.
  std::vector<LayoutChoice> (*layouts)(const NodeView& view, const KernelRow& row) = nullptr;
};

/// The row of that name, which must be there.
const KernelRow& kernel_row(std::string_view name);

/// Every row, best first within an operator. Each entry of the outer list is one operator's file.
std::span<const std::span<const KernelRow>> kernel_list();

/// Adds rows for operators of a program's own (see register_op) behind all others. The rows have to
/// stay where they are. Providers made before do not know them.
void register_kernels(std::span<const KernelRow> rows);

}  // namespace ortool::cpu
