// Sub-byte kernels for data movement: runs the operator's own kernel on elements unpacked to bytes.
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/subbyte_kernel.hpp"

namespace ortool::cpu {
namespace {

constexpr const char* packed_type_names = "int4, uint4, int2, uint2, float4, float6";

bool accepts_packed_output(const NodeView& view) {
  return is_packed(view.output_type(0));
}

template <LiteralText inner>
KernelPtr compile_for_packed(const NodeView& view, const KernelRow& row,
                             const CompileContext& context) {
  const KernelRow& inner_row = kernel_row(JoinedText<inner, "">::value);
  return make_packed_kernel(row.name, inner_row.compile(view, inner_row, context));
}

template <LiteralText stem>
constexpr auto packed_row(std::string_view op_type) {
  return portable_row(JoinedText<stem, "_packed">::value, op_type, packed_type_names,
                      accepts_packed_output, compile_for_packed<stem>);
}

constexpr auto packed_movement_rows =
    join_rows(packed_row<"constant_of_shape">("ConstantOfShape"), packed_row<"pad">("Pad"),
              packed_row<"tensor_scatter">("TensorScatter"), packed_row<"transpose">("Transpose"));

}  // namespace

std::span<const KernelRow> subbyte_movement_kernels() {
  return packed_movement_rows;
}

}  // namespace ortool::cpu
