// Kernels for com.microsoft.DynamicQuantizeLSTM; constant weights are packed once.
#include "libcore/ops/contrib/quantized/dynamic_quantize_lstm.hpp"

#include <array>
#include <memory>

#include "kernels/cpu/recurrent/dynamic_quantized_recurrent.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/recurrent/recurrent_params.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Decided at compile time, once per node.
struct CompiledDynamicLstm {
  RecurrentLayerParams params;
  Isa isa = Isa::baseline;
  bool has_signed_weights = false;
  PackedBytes weights;  ///< empty if they come at run time
};

constexpr std::int64_t first_scale = 8;  ///< of W; then its zero point, and those of R

/// W (input 1) or R (input 2), whose scale and zero point start at input `scale`;
/// `pointer_of(input)` and `count_of(input)` return an input's data and size.
template <typename PointerOf, typename CountOf>
QuantizedRecurrentFactor codes_from(std::int64_t input, bool is_signed, PointerOf pointer_of,
                                    CountOf count_of) {
  const std::int64_t scale = first_scale + (input - 1) * 2;
  QuantizedRecurrentFactor codes;
  codes.codes = static_cast<const std::uint8_t*>(pointer_of(input));
  codes.is_signed = is_signed;
  codes.scales = static_cast<const float*>(pointer_of(scale));
  codes.scale_count = count_of(scale);
  codes.zero_points = static_cast<const std::uint8_t*>(pointer_of(scale + 1));
  codes.zero_point_count = count_of(scale + 1);
  return codes;
}

PreparedPtr prepare_dynamic_lstm(const std::shared_ptr<const CompiledDynamicLstm>& lstm,
                                 const PrepareContext& context) {
  const RecurrentLayerParams& params = lstm->params;
  const RecurrentSizes sizes =
      recurrent_sizes(params, context.inputs[0].shape, context.inputs[2].shape[1]);
  const DynamicRecurrentProducts unbound(params, sizes.input, sizes.hidden, lstm->isa, nullptr);
  WorkspaceLayout layout;
  layout.add(recurrent_workspace_bytes(params, sizes, unbound));
  const bool packs = lstm->weights.size_bytes() == 0;
  const std::int64_t packed_at =
      packs ? layout.add(packed_dynamic_bytes(params, sizes.input, sizes.hidden, lstm->isa)) : 0;
  std::array<std::int64_t, 4> counts = {};
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = context.inputs[static_cast<std::size_t>(first_scale) + i].shape.element_count();
  return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
    const auto operands = recurrent_operands<float>(params, sizes, run);
    const std::byte* packed = lstm->weights.data();
    if (packs) {
      const auto codes = [&](std::int64_t input) {
        return codes_from(
            input, lstm->has_signed_weights,
            [&](std::int64_t of) -> const void* {
              return run.input<std::byte>(static_cast<std::size_t>(of));
            },
            [&](std::int64_t of) { return counts[static_cast<std::size_t>(of - first_scale)]; });
      };
      std::byte* own = run.workspace() + packed_at;
      pack_dynamic(params, sizes.input, sizes.hidden, codes(1), codes(2), lstm->isa, own);
      packed = own;
    }
    const DynamicRecurrentProducts products(params, sizes.input, sizes.hidden, lstm->isa, packed);
    recurrent_layer(params, sizes, operands, products, lstm->isa, run.workspace(), run.workers());
  });
}

/// Whether the weights and their quantization parameters are all constant.
bool has_constant_weights(const NodeView& view) {
  for (const std::int64_t input : {1, 2, 8, 9, 10, 11}) {
    if (view.constant(input) == nullptr) return false;
  }
  return true;
}

KernelPtr compile_dynamic_lstm(const NodeView& view, const KernelRow& row,
                               const CompileContext& context) {
  auto lstm = std::make_shared<CompiledDynamicLstm>();
  lstm->params = form_of(read_op<DynamicQuantizeLSTM>(view.node()));
  lstm->params.is_same_on_isas = true;
  lstm->isa = row.isa;
  lstm->has_signed_weights = view.input_type(1) == DataType::int8;
  Compilation compilation;
  if (has_constant_weights(view)) {
    std::array<Tensor, first_scale + 4> constants;
    for (const std::int64_t input : {1, 2, 8, 9, 10, 11})
      constants[static_cast<std::size_t>(input)] = view.constant(input)->aligned();
    const auto codes = [&](std::int64_t input) {
      return codes_from(
          input, lstm->has_signed_weights,
          [&](std::int64_t of) -> const void* {
            return constants[static_cast<std::size_t>(of)].bytes();
          },
          [&](std::int64_t of) { return constants[static_cast<std::size_t>(of)].element_count(); });
    };
    const std::int64_t input = constants[1].shape()[1];
    const std::int64_t hidden = constants[2].shape()[1];
    lstm->weights = context.pack(packed_dynamic_bytes(lstm->params, input, hidden, row.isa),
                                 {static_cast<std::int64_t>(row.isa)}, [&](std::byte* packed) {
                                   pack_dynamic(lstm->params, input, hidden, codes(1), codes(2),
                                                row.isa, packed);
                                 });
    compilation = {.packed = {1, 2}, .packed_bytes = lstm->weights.size_bytes()};
  }
  return make_kernel(
      row.name,
      [lstm = std::shared_ptr<const CompiledDynamicLstm>(std::move(lstm))](
          const PrepareContext& prepare) { return prepare_dynamic_lstm(lstm, prepare); },
      compilation);
}

bool accepts_any_dynamic_lstm(const NodeView&) {
  return true;
}

constexpr auto dynamic_lstm_rows =
    int8_isa_rows<"dynamic_lstm">("DynamicQuantizeLSTM", "float32 by int8, uint8",
                                  accepts_any_dynamic_lstm, compile_dynamic_lstm, contrib_domain);

}  // namespace

std::span<const KernelRow> dynamic_quantize_lstm_kernels() {
  return dynamic_lstm_rows;
}

}  // namespace ortool::cpu
