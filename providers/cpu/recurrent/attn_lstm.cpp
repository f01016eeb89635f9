// Kernels for com.microsoft.AttnLSTM; constant weights are packed once.
#include "libcore/ops/contrib/legacy/attn_lstm.hpp"

#include <memory>
#include <optional>
#include <vector>

#include "kernels/cpu/recurrent/attentive_products.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/recurrent/recurrent_params.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Decided at compile time, once per node.
struct CompiledAttnLstm {
  RecurrentLayerParams params;
  Isa isa = Isa::baseline;
  AlignedBuffer weights;
  bool has_weights = false;
};

/// The shapes of MW and AW, whose rank is 0 if it is omitted.
AttentionMemory memory_of(const Shape& keys, const Shape& layer, std::int64_t steps) {
  return {
      .steps = steps, .depth = keys[1], .size = keys[2], .layer = layer.rank() == 3 ? layer[2] : 0};
}

void check_memory_lengths(const std::int32_t* lengths, std::int64_t batch, std::int64_t steps) {
  for (std::int64_t i = 0; lengths != nullptr && i < batch; ++i) {
    if (lengths[i] >= 1 && lengths[i] <= steps) continue;
    throw Error(ErrorCode::invalid,
                format("'memory_seq_lens' holds {} (expected 1 to {}, the steps of 'M')",
                       lengths[i], steps));
  }
}

template <typename T>
PreparedPtr prepare_attn_lstm(const std::shared_ptr<const CompiledAttnLstm>& lstm,
                              const PrepareContext& context) {
  const RecurrentLayerParams& params = lstm->params;
  const Shape& memory_shape = context.inputs[11].shape;
  const RecurrentSizes sizes =
      recurrent_sizes(params, context.inputs[0].shape, context.inputs[2].shape[2]);
  const AttentionMemory memory =
      memory_of(context.inputs[9].shape, context.has_input(13) ? context.inputs[13].shape : Shape(),
                memory_shape[1]);
  if (memory.steps < 1) throw Error(ErrorCode::invalid, "the memory 'M' has no steps");
  const AttentiveProducts<T> unbound(params, sizes, memory, {}, lstm->isa, nullptr);
  WorkspaceLayout layout;
  layout.add(recurrent_workspace_bytes(params, sizes, unbound));
  std::int64_t packed_at = 0;
  std::int64_t rows_at = 0;
  if (!lstm->has_weights) {
    packed_at = layout.add(bytes_of(
        DataTypeOf<T>::value,
        packed_attentive_elements<T>(params, memory, sizes.input, sizes.hidden, lstm->isa)));
    rows_at = layout.add(
        bytes_of(DataTypeOf<T>::value, 4 * sizes.hidden * (sizes.hidden + memory.width())));
  }
  return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
    const auto operands = recurrent_operands<T>(params, sizes, run);
    const AttentionWeights<T> weights = {run.input<T>(8),
                                         run.input<T>(9),
                                         run.input<T>(10),
                                         run.input<T>(11),
                                         run.input<std::int32_t>(12),
                                         run.input<T>(13)};
    check_memory_lengths(weights.lengths, sizes.batch, memory.steps);
    const T* packed = lstm->weights.template as<T>();
    if (!lstm->has_weights) {
      T* const own = reinterpret_cast<T*>(run.workspace() + packed_at);
      pack_attentive(params, memory, sizes.input, sizes.hidden, run.input<T>(1), run.input<T>(2),
                     lstm->isa, reinterpret_cast<T*>(run.workspace() + rows_at), own,
                     run.workers());
      packed = own;
    }
    const AttentiveProducts<T> products(params, sizes, memory, weights, lstm->isa, packed);
    recurrent_layer(params, sizes, operands, products, lstm->isa, run.workspace(), run.workers());
  });
}

/// Packs W and R if they, and the shapes that say how W is divided, are constant.
template <typename T>
void pack_constants(const NodeView& view, const CompileContext& context, CompiledAttnLstm& lstm) {
  const Tensor* const w = view.constant(1);
  const Tensor* const r = view.constant(2);
  const Tensor* const keys = view.constant(9);
  const Tensor* const layer = view.constant(13);
  const bool has_layer = view.node().input(13) != nullptr;
  if (w == nullptr || r == nullptr || keys == nullptr || (has_layer && layer == nullptr)) return;
  const AttentionMemory memory = memory_of(keys->shape(), has_layer ? layer->shape() : Shape(), 0);
  const std::int64_t hidden = r->shape()[2];
  const std::int64_t input = w->shape()[2] - memory.width();
  lstm.weights = AlignedBuffer(
      bytes_of(DataTypeOf<T>::value,
               packed_attentive_elements<T>(lstm.params, memory, input, hidden, lstm.isa)),
      context.cap, "packed weights");
  std::vector<T> rows(static_cast<std::size_t>(4 * hidden * (hidden + memory.width())));
  const Tensor plain_w = w->aligned();
  const Tensor plain_r = r->aligned();
  pack_attentive(lstm.params, memory, input, hidden, plain_w.data<T>().data(),
                 plain_r.data<T>().data(), lstm.isa, rows.data(), lstm.weights.as<T>(),
                 context.workers);
  lstm.has_weights = true;
}

template <typename T>
KernelPtr make_attn_lstm(const NodeView& view, const KernelRow& row,
                         const CompileContext& context) {
  auto lstm = std::make_shared<CompiledAttnLstm>();
  lstm->params = form_of(read_op<AttnLSTM>(view.node()));
  lstm->isa = row.isa;
  pack_constants<T>(view, context, *lstm);
  Compilation compilation;
  if (lstm->has_weights)
    compilation = {.packed = {1, 2}, .packed_bytes = lstm->weights.size_bytes()};
  return make_kernel(
      row.name,
      [lstm = std::shared_ptr<const CompiledAttnLstm>(std::move(lstm))](
          const PrepareContext& prepare) { return prepare_attn_lstm<T>(lstm, prepare); },
      compilation);
}

KernelPtr compile_attn_lstm(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  return view.input_type(0) == DataType::float64 ? make_attn_lstm<double>(view, row, context)
                                                 : make_attn_lstm<float>(view, row, context);
}

constexpr auto attn_lstm_rows = isa_rows<"attn_lstm">(
    "AttnLSTM", "float32, float64", accepts_anything, compile_attn_lstm, contrib_domain);

}  // namespace

std::span<const KernelRow> attn_lstm_kernels() {
  return attn_lstm_rows;
}

}  // namespace ortool::cpu
