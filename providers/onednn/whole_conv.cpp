// Fallback convolution: a shape known only at run time may be one that oneDNN would compute a
// hundred times slower.
#include "providers/onednn/whole_conv.hpp"

#include <algorithm>

#include "kernels/cpu/conv/conv_transpose.hpp"
#include "libcore/provider/fold_epilogue.hpp"
#include "libcore/provider/workspace_layout.hpp"

namespace ortool::onednn {
namespace {

cpu::ConvTransposeSizes transposed_sizes(const cpu::ConvSizes& sizes) {
  cpu::ConvTransposeSizes result;
  result.batch = sizes.batch;
  result.groups = sizes.groups;
  result.channels_in = sizes.channels_in;
  result.channels_out = sizes.channels_out;
  for (std::size_t i = 0; i < 3; ++i) {
    result.in[i] = sizes.in[i];
    result.out[i] = sizes.out[i];
    result.kernel[i] = sizes.kernel[i];
    result.stride[i] = sizes.stride[i];
    result.dilation[i] = sizes.dilation[i];
    result.pad[i] = sizes.pad[i];
  }
  return result;
}

/// The constant weights multiplied by the fused scale, or an empty tensor.
Tensor scaled_weights(const CompiledConv& conv, MemoryCap* cap) {
  if (!conv.has_constant_weights) return {};
  return folded_weights(conv.constant_weights.aligned(), conv.epilogue, cap);
}

class WholeConvPrepared : public Prepared {
 public:
  WholeConvPrepared(const CompiledConv& conv, const ConvShape& shape, const PrepareContext& context)
      : conv_(conv), shape_(shape), weights_(scaled_weights(conv, context.cap)) {
    if (shape.is_transposed) return;
    const cpu::Isa isa = conv.tools.isa;
    path_ = cpu::choose_conv_path(shape.sizes);
    if (path_ == cpu::ConvPath::winograd) path_ = cpu::ConvPath::columns;
    kernel_space_ =
        layout_.add(cpu::conv_workspace_bytes(shape.sizes, path_, isa, conv.max_threads));
    weight_space_ = layout_.add(cpu::packed_conv_weight_bytes(shape.sizes, path_, isa));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }
  std::int64_t held_bytes() const override {
    return conv_.epilogue.scale.empty() ? 0 : weights_.size_bytes();
  }

  void run(const RunContext& context) const override {
    SizedWorkers sized(context.workers(), conv_.max_threads);
    const float* weights =
        weights_.is_empty() ? context.input<float>(1) : weights_.data<float>().data();
    const float* bias = conv_.has_bias() ? conv_.bias.data() : nullptr;
    if (conv_.reads_bias) bias = context.input<float>(2);
    if (shape_.is_transposed) {
      cpu::conv_transpose_reference(transposed_sizes(shape_.sizes), context.input<float>(0),
                                    weights, bias, context.output<float>(0), sized.get());
      return;
    }
    const cpu::Isa isa = conv_.tools.isa;
    auto* packed = reinterpret_cast<float*>(context.workspace() + weight_space_);
    cpu::pack_conv_weights(shape_.sizes, path_, weights, isa, packed, sized.get());
    cpu::Epilogue epilogue;
    if (bias != nullptr) epilogue.addend = cpu::Addend::per_row;
    epilogue.added = bias;
    epilogue.activation = conv_.epilogue.activation;
    epilogue.low = conv_.epilogue.low;
    epilogue.high = conv_.epilogue.high;
    if (conv_.epilogue.residual >= 0)
      epilogue.residual = context.input<float>(static_cast<std::size_t>(conv_.epilogue.residual));
    cpu::conv(shape_.sizes, path_, context.input<float>(0), packed, context.output<float>(0),
              epilogue, isa, context.workspace() + kernel_space_, sized.get());
  }

 private:
  const CompiledConv& conv_;
  ConvShape shape_;
  Tensor weights_;
  cpu::ConvPath path_ = cpu::ConvPath::columns;
  WorkspaceLayout layout_;
  std::int64_t kernel_space_ = 0;
  std::int64_t weight_space_ = 0;
};

}  // namespace

PreparedPtr prepare_whole_conv(const CompiledConv& conv, const ConvShape& shape,
                               const PrepareContext& context) {
  return std::make_unique<const WholeConvPrepared>(conv, shape, context);
}

}  // namespace ortool::onednn
