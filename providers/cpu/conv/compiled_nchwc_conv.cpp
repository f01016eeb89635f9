// Compiled NCHWc convolution: chooses the algorithm, and packs weights and bias.
#include "providers/cpu/conv/compiled_nchwc_conv.hpp"

#include <algorithm>

#include "kernels/cpu/conv/bf16_nchwc/conv.hpp"
#include "kernels/cpu/isa/built_features.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/fold_epilogue.hpp"
#include "providers/cpu/conv/conv_params.hpp"
#include "providers/cpu/support/float_constant.hpp"

namespace ortool::cpu {
namespace {

void pack_weights(const NodeView& view, const ConvSizes& sizes, const CompileContext& context,
                  CompiledNchwcConv& conv) {
  const bool is_bf16 = has_16_bit_floats && conv.operands == Precision::bfloat16;
  const bool from_nchw = conv.path == NchwcConvAlgorithm::from_nchw;
  const std::int64_t bytes = is_bf16 ? packed_bf16_conv_bytes(sizes, from_nchw)
                                     : packed_nchwc_weight_bytes(sizes, conv.path, conv.isa);
  conv.weights = context.pack(
      bytes,
      {static_cast<std::int64_t>(conv.isa), static_cast<std::int64_t>(conv.operands),
       static_cast<std::int64_t>(conv.path)},
      [&](std::byte* packed) {
        const Tensor given = float_tensor(*view.constant(1), context.cap);
        const Tensor weights = folded_weights(given, conv.epilogue, context.cap);
        const float* plain = weights.data<float>().data();
        is_bf16 ? pack_bf16_conv_weights(sizes, from_nchw, plain, conv.isa,
                                         reinterpret_cast<std::uint16_t*>(packed), context.workers)
                : pack_nchwc_weights(sizes, conv.path, plain, conv.isa,
                                     reinterpret_cast<float*>(packed), context.workers);
      });
}

void make_bias(const NodeView& view, std::int64_t channels, const CompileContext& context,
               CompiledNchwcConv& conv) {
  const std::vector<float> bias = folded_bias(view.constant(2), conv.epilogue);
  if (bias.empty()) return;
  const std::int64_t block = block_of(blocked_layout(conv.isa));
  const std::int64_t stored = (channels + block - 1) / block * block;
  conv.bias =
      AlignedBuffer(bytes_of(DataType::float32, stored), context.cap, "a convolution's bias");
  std::fill_n(conv.bias.as<float>(), stored, 0.0F);
  std::copy(bias.begin(), bias.end(), conv.bias.as<float>());
}

}  // namespace

CompiledNchwcConv compile_nchwc_conv(const NodeView& view, Isa isa, Precision operands,
                                     const CompileContext& context) {
  CompiledNchwcConv conv;
  conv.operands = operands;
  conv.op = read_op<ortool::Conv>(view.node());
  conv.isa = isa;
  conv.max_threads = context.max_threads;
  conv.epilogue = epilogue_of(view);
  const ConvSizes sizes = likely_conv_sizes(view, view.constant(1)->shape(), conv.op);
  make_bias(view, sizes.channels_out, context, conv);
  const bool from_nchw = view.layouts().input(0) == Layout::plain;
  if (from_nchw) conv.path = NchwcConvAlgorithm::from_nchw;
  if (!from_nchw && operands != Precision::bfloat16) conv.path = choose_nchwc_algorithm(sizes);
  pack_weights(view, sizes, context, conv);
  return conv;
}

bool adds_in_place(const NodeView& view, const ProductEpilogue& epilogue) {
  if (epilogue.residual < 0) return true;
  const auto residual = static_cast<std::size_t>(epilogue.residual);
  const PartialShape& a = view.inputs()[residual]->type().shape;
  const PartialShape& b = view.node().output(0)->type().shape;
  if (!a || !b || a->size() != b->size()) return false;
  return std::equal(a->begin(), a->end(), b->begin(), [](const Dimension& x, const Dimension& y) {
    return !x.is_unknown() && x == y;
  });
}

}  // namespace ortool::cpu
