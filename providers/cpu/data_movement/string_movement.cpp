// String kernels for data movement: each runs the operator's own kernel on numbers that stand for
// the strings.
#include <algorithm>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/indexing/scatter_elements.hpp"
#include "libcore/ops/tensor/indexing/scatter_nd.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/string_kernel.hpp"

namespace ortool::cpu {
namespace {

bool accepts_string_operand(const NodeView& view) {
  for (std::int64_t i = 0; i < view.node().input_count(); ++i) {
    if (view.input_type(i) == DataType::string) return true;
  }
  return false;
}

template <typename Op>
bool accepts_string_scatter(const NodeView& view) {
  return accepts_string_operand(view) &&
         read_op<Op>(view.node()).reduction == ScatterReduction::none;
}

template <LiteralText inner, bool compares>
KernelPtr compile_for_strings(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  const KernelRow& inner_row = kernel_row(JoinedText<inner, "">::value);
  return make_string_kernel(row.name, inner_row.compile(view, inner_row, context), compares);
}

template <LiteralText stem, LiteralText inner = stem, bool compares = false>
constexpr auto string_row(std::string_view op_type,
                          decltype(KernelRow::accepts) accepts = accepts_string_operand) {
  return portable_row(JoinedText<stem, "_string">::value, op_type, "string", accepts,
                      compile_for_strings<inner, compares>);
}

constexpr auto string_movement_rows = join_rows(
    string_row<"concat">("Concat"), string_row<"depth_to_space">("DepthToSpace"),
    string_row<"equal", "equal_baseline", true>("Equal"), string_row<"expand">("Expand"),
    string_row<"flatten">("Flatten"), string_row<"gather">("Gather"),
    string_row<"gather_elements">("GatherElements"), string_row<"gather_nd">("GatherND"),
    string_row<"one_hot">("OneHot"), string_row<"pad">("Pad"), string_row<"reshape">("Reshape"),
    string_row<"reverse_sequence">("ReverseSequence"),
    string_row<"scatter">("Scatter", accepts_string_scatter<Scatter>),
    string_row<"scatter_elements", "scatter_elements_baseline">(
        "ScatterElements", accepts_string_scatter<ScatterElements>),
    string_row<"scatter_nd", "scatter_nd_baseline">("ScatterND", accepts_string_scatter<ScatterND>),
    string_row<"shape">("Shape"), string_row<"size">("Size"), string_row<"slice">("Slice"),
    string_row<"space_to_depth">("SpaceToDepth"), string_row<"split">("Split"),
    string_row<"squeeze">("Squeeze"), string_row<"tensor_scatter">("TensorScatter"),
    string_row<"tile">("Tile"), string_row<"transpose">("Transpose"), string_row<"trilu">("Trilu"),
    string_row<"unsqueeze">("Unsqueeze"), string_row<"where", "where_baseline">("Where"));

}  // namespace

std::span<const KernelRow> string_movement_kernels() {
  return string_movement_rows;
}

}  // namespace ortool::cpu
