// Kernels for Optional, OptionalHasElement and OptionalGetElement.
#include "libcore/ops/sequence/optional_ops.hpp"

#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

void run_optional(DynamicContext& context) {
  context.set_output(0, context.has_input(0) ? context.value(0).owned(context.cap()) : RunValue());
}

void run_optional_has_element(DynamicContext& context) {
  context.set_output(0, Tensor::scalar(context.has_input(0) && !context.value(0).is_none()));
}

void run_optional_get_element(DynamicContext& context) {
  if (context.value(0).is_none()) {
    throw Error(ErrorCode::invalid, "the optional is empty", "check with OptionalHasElement first");
  }
  context.set_output(0, context.value(0).owned(context.cap()));
}

template <void (*run)(DynamicContext&)>
KernelPtr compile_optional_op(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, run);
}

constexpr const char* optional_type_names = "all values";

constexpr auto optional_ops_rows =
    join_rows(portable_row("optional", "Optional", optional_type_names, accepts_anything,
                           compile_optional_op<run_optional>),
              portable_row("optional_get_element", "OptionalGetElement", optional_type_names,
                           accepts_anything, compile_optional_op<run_optional_get_element>),
              portable_row("optional_has_element", "OptionalHasElement", optional_type_names,
                           accepts_anything, compile_optional_op<run_optional_has_element>));

}  // namespace

std::span<const KernelRow> optional_ops_kernels() {
  return optional_ops_rows;
}

}  // namespace ortool::cpu
