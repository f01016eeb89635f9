// Kernel row of Dropout as inference has it: the input handed on, with a mask of ones where asked.
#include "libcore/ops/nn/dropout.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/half_bits.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/tensor/float_formats.hpp"
#include "providers/cpu/float_bits.hpp"
#include "providers/cpu/function_kernel.hpp"
#include "providers/cpu/kernel_files.hpp"

namespace ortool::cpu {
namespace {

[[noreturn]] void refuse_training() {
  throw Error(ErrorCode::unsupported, "the node is set to training, with a ratio above 0",
              "export the model for inference (training_mode false, or ratio 0)");
}

bool is_zero(DataType type, const std::byte* ratio) {
  switch (type) {
    case DataType::float32:
      return *reinterpret_cast<const float*>(ratio) == 0.0F;
    case DataType::float64:
      return *reinterpret_cast<const double*>(ratio) == 0.0;
    case DataType::float16:
    case DataType::bfloat16:
      return (*reinterpret_cast<const std::uint16_t*>(ratio) & 0x7fffU) == 0;
    default:
      return decode_float(type, *reinterpret_cast<const std::uint8_t*>(ratio)) == 0.0;
  }
}

/// Fills the mask: true, or 1 of the input's type.
void fill_mask(DataType type, std::int64_t count, std::byte* mask) {
  switch (type) {
    case DataType::boolean:
      std::memset(mask, 1, static_cast<std::size_t>(count));
      break;
    case DataType::float64:
      std::fill_n(reinterpret_cast<double*>(mask), count, 1.0);
      break;
    case DataType::float32:
      std::fill_n(reinterpret_cast<float*>(mask), count, 1.0F);
      break;
    default:
      std::fill_n(reinterpret_cast<std::uint16_t*>(mask), count, to_float16(1.0F).bits);
      break;
  }
}

PreparedPtr prepare_dropout(const Dropout& op, const PrepareContext& context) {
  const Operand& x = context.inputs[0];
  const bool asks_mode = !op.is_training.is_known() && context.has_input(2);
  const bool asks_ratio = !op.ratio.is_known() && context.has_input(1);
  const DataType ratio_type = asks_ratio ? context.inputs[1].type : DataType::undefined;
  // A ratio that is left out is 0.5.
  const bool is_safe_ratio = op.ratio.is_known() && *op.ratio.value == 0.0F;
  if (op.is_training.value.value_or(false) && !is_safe_ratio && !asks_ratio) refuse_training();
  const bool may_train = !is_safe_ratio && (asks_mode || op.is_training.value.value_or(false));
  const std::int64_t count = x.shape.element_count();
  const std::int64_t bytes = bytes_of(x.type, count);
  const bool has_mask = context.has_output(1);
  const DataType mask_type = has_mask ? context.outputs[1].type : DataType::undefined;
  Preparation preparation{.overwritable = {0}};
  if (!may_train && !has_mask) preparation.view_of = 0;
  return make_prepared(preparation, [=](const RunContext& run) {
    if (may_train) {
      const bool trains = !asks_mode || *run.input<std::uint8_t>(2) != 0;
      if (trains && !(asks_ratio && is_zero(ratio_type, run.input<std::byte>(1))))
        refuse_training();
    }
    const auto* in = run.input<std::byte>(0);
    auto* out = run.output<std::byte>(0);
    if (in != out && bytes > 0) std::memcpy(out, in, static_cast<std::size_t>(bytes));
    if (has_mask) fill_mask(mask_type, count, run.output<std::byte>(1));
  });
}

KernelPtr compile_dropout(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Dropout>(view.node());
  return make_kernel(row.name,
                     [op](const PrepareContext& context) { return prepare_dropout(op, context); });
}

constexpr std::array<KernelRow, 1> dropout_rows = {{
    {"dropout", "", "Dropout", Isa::baseline, float_or_float8_names, accepts_float_or_float8,
     compile_dropout},
}};

}  // namespace

std::span<const KernelRow> dropout_kernels() {
  return dropout_rows;
}

}  // namespace ortool::cpu
