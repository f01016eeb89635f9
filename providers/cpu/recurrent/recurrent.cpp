// Kernels for LSTM, GRU and RNN; constant weights are packed once.
#include <memory>

#include "kernels/cpu/recurrent/recurrent_products.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/recurrent/recurrent_params.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/float_constant.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Decided at compile time, once per node.
struct CompiledLayer {
  RecurrentLayerParams params;
  Isa isa = Isa::baseline;
  PackedBytes weights;
  bool has_weights = false;
};

template <typename T>
PreparedPtr prepare_layer(const std::shared_ptr<const CompiledLayer>& layer,
                          const PrepareContext& context) {
  const RecurrentLayerParams& params = layer->params;
  const RecurrentSizes sizes =
      recurrent_sizes(params, context.inputs[0].shape, context.inputs[2].shape[2]);
  const PackedRecurrentProducts<T> unbound(params, sizes.input, sizes.hidden, layer->isa, nullptr);
  WorkspaceLayout layout;
  layout.add(recurrent_workspace_bytes(params, sizes, unbound));
  std::int64_t packed_at = 0;
  if (!layer->has_weights) {
    packed_at = layout.add(
        bytes_of(DataTypeOf<T>::value,
                 packed_recurrent_elements<T>(params, sizes.input, sizes.hidden, layer->isa)));
  }
  return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
    const auto operands = recurrent_operands<T>(params, sizes, run);
    const T* packed = layer->weights.template as<T>();
    if (!layer->has_weights) {
      T* own = reinterpret_cast<T*>(run.workspace() + packed_at);
      pack_recurrent(params, sizes.input, sizes.hidden, run.input<T>(1), run.input<T>(2),
                     layer->isa, own, run.workers());
      packed = own;
    }
    const PackedRecurrentProducts<T> products(params, sizes.input, sizes.hidden, layer->isa,
                                              packed);
    recurrent_layer(params, sizes, operands, products, layer->isa, run.workspace(), run.workers());
  });
}

bool has_weight_constant(const NodeView& view, std::int64_t input) {
  const Tensor* constant = view.constant(input);
  return constant != nullptr &&
         (view.input_type(0) == DataType::float64 || is_float_like(constant->type()));
}

/// Aligned, in the type that the layer computes in.
Tensor weight_constant(const NodeView& view, std::int64_t input, MemoryCap* cap) {
  const Tensor& constant = *view.constant(input);
  return view.input_type(0) == DataType::float64 ? constant.aligned() : float_tensor(constant, cap);
}

template <typename T>
KernelPtr make_layer(const NodeView& view, const KernelRow& row, const CompileContext& context,
                     const RecurrentLayerParams& params) {
  auto layer = std::make_shared<CompiledLayer>();
  layer->params = params;
  layer->isa = row.isa;
  Compilation compilation;
  if (has_weight_constant(view, 1) && has_weight_constant(view, 2)) {
    const std::int64_t input = view.constant(1)->shape()[2];
    const std::int64_t hidden = view.constant(2)->shape()[2];
    layer->weights =
        context.pack(bytes_of(DataTypeOf<T>::value,
                              packed_recurrent_elements<T>(params, input, hidden, row.isa)),
                     {static_cast<std::int64_t>(row.isa)}, [&](std::byte* packed) {
                       const Tensor w = weight_constant(view, 1, context.cap);
                       const Tensor r = weight_constant(view, 2, context.cap);
                       pack_recurrent(params, input, hidden, w.data<T>().data(), r.data<T>().data(),
                                      row.isa, reinterpret_cast<T*>(packed), context.workers);
                     });
    layer->has_weights = true;
    compilation = {.packed = {1, 2}, .packed_bytes = layer->weights.size_bytes()};
  }
  return make_kernel(
      row.name,
      [layer = std::shared_ptr<const CompiledLayer>(std::move(layer))](
          const PrepareContext& prepare) { return prepare_layer<T>(layer, prepare); },
      compilation);
}

template <typename Op>
KernelPtr compile_recurrent(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  const RecurrentLayerParams params = form_of(read_op<Op>(view.node()));
  if (view.input_type(0) == DataType::float64)
    return make_layer<double>(view, row, context, params);
  KernelPtr kernel = make_layer<float>(view, row, context, params);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto recurrent_rows =
    join_rows(isa_rows<"gru">("GRU", float_type_names, accepts_floats, compile_recurrent<GRU>),
              isa_rows<"lstm">("LSTM", float_type_names, accepts_floats, compile_recurrent<LSTM>),
              isa_rows<"rnn">("RNN", float_type_names, accepts_floats, compile_recurrent<RNN>));

}  // namespace

std::span<const KernelRow> recurrent_kernels() {
  return recurrent_rows;
}

}  // namespace ortool::cpu
