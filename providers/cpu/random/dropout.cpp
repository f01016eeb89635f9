// Kernel for Dropout: passes the input through or, in training mode, zeroes random elements.
#include "libcore/ops/nn/dropout.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/elementwise/cast.hpp"
#include "kernels/cpu/random/dropout.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/tensor/float_formats.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/float_bits.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/node_key.hpp"

namespace ortool::cpu {
namespace {

double ratio_value(DataType type, const std::byte* ratio) {
  switch (type) {
    case DataType::float32:
      return static_cast<double>(*reinterpret_cast<const float*>(ratio));
    case DataType::float64:
      return *reinterpret_cast<const double*>(ratio);
    case DataType::float16:
      return static_cast<double>(to_float(*reinterpret_cast<const Float16Bits*>(ratio)));
    case DataType::bfloat16:
      return static_cast<double>(to_float(*reinterpret_cast<const BFloat16Bits*>(ratio)));
    default:
      return static_cast<double>(decode_float(type, *reinterpret_cast<const std::uint8_t*>(ratio)));
  }
}

/// Writes the mask as bool, or as 1 and 0 in the input's type.
void write_mask(DataType type, const bool* kept, std::byte* mask, std::int64_t count,
                Workers& workers) {
  if (type == DataType::boolean) {
    std::memcpy(mask, kept, static_cast<std::size_t>(count));
  } else {
    cast(DataType::boolean, kept, type, mask, count, workers);
  }
}

PreparedPtr prepare_dropout(const Dropout& op, const PrepareContext& context, std::uint32_t seed) {
  const Operand& x = context.inputs[0];
  const bool asks_mode = !op.is_training.is_known() && context.has_input(2);
  const bool asks_ratio = !op.ratio.is_known() && context.has_input(1);
  const DataType ratio_type = asks_ratio ? context.inputs[1].type : DataType::undefined;
  // An omitted ratio is 0.5.
  const double known_ratio = static_cast<double>(op.ratio.value.value_or(0.5F));
  const bool may_train =
      (asks_ratio || known_ratio != 0) && (asks_mode || op.is_training.value.value_or(false));
  if (may_train && !types::floats.contains(x.type)) {
    throw Error(ErrorCode::unsupported,
                format("the node may be in training mode on {}, which needs float16 or wider",
                       name_of(x.type)),
                "export the model for inference (training_mode false, or ratio 0)");
  }
  const std::int64_t count = x.shape.element_count();
  const std::int64_t bytes = bytes_of(x.type, count);
  const bool has_mask = context.has_output(1);
  const DataType mask_type = has_mask ? context.outputs[1].type : DataType::undefined;
  Preparation preparation{.overwritable = {0}};
  if (may_train || has_mask) {
    preparation.workspace_bytes = count;
  } else {
    preparation.view_of = 0;
  }
  return make_prepared(preparation, [=, type = x.type](const RunContext& run) {
    if (count == 0) return;
    const auto* in = run.input<std::byte>(0);
    auto* out = run.output<std::byte>(0);
    const double ratio =
        asks_ratio ? ratio_value(ratio_type, run.input<std::byte>(1)) : known_ratio;
    const bool trains = may_train && ratio != 0 && (!asks_mode || *run.input<std::uint8_t>(2) != 0);
    auto* kept = run.workspace<bool>();
    if (trains) {
      if (!(ratio > 0 && ratio <= 1)) {
        throw Error(ErrorCode::invalid, format("ratio is {} (expected 0 to 1)", ratio));
      }
      draw_kept(seed, ratio, kept, count);
      drop(type, in, kept, ratio, out, count, run.workers());
    } else if (in != out) {
      std::memcpy(out, in, static_cast<std::size_t>(bytes));
    }
    if (!has_mask) return;
    if (!trains) std::fill_n(kept, count, true);
    write_mask(mask_type, kept, run.output<std::byte>(1), count, run.workers());
  });
}

KernelPtr compile_dropout(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Dropout>(view.node());
  const std::uint64_t key =
      op.seed ? static_cast<std::uint64_t>(*op.seed) : key_of_name(view.node());
  return make_kernel(row.name, [op, key](const PrepareContext& context) {
    return prepare_dropout(op, context, static_cast<std::uint32_t>(key));
  });
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
