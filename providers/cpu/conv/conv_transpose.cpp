// Kernels for ConvTranspose; constant weights are packed once.
#include "libcore/ops/nn/conv/conv_transpose.hpp"

#include <array>
#include <memory>

#include "kernels/cpu/conv/conv_transpose.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/window_sizes.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/float_constant.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Groups with at most this many input channels are too shallow for a matrix product.
constexpr std::int64_t fewest_channels = 3;

ConvTransposeSizes conv_transpose_sizes(const Shape& x, const Shape& weights,
                                        const ConvTranspose& op) {
  constexpr std::size_t max_axes = 3;
  const std::vector<WindowAxis> window = op.place(x, weights);
  if (window.size() > max_axes) {
    throw Error(ErrorCode::unsupported,
                format("a transposed convolution along {} axes is not supported (at most {})",
                       window.size(), max_axes));
  }
  ConvTransposeSizes sizes;
  sizes.batch = x[0];
  sizes.groups = op.groups;
  sizes.channels_in = x[1];
  sizes.channels_out = weights[1] * op.groups;
  put_window(window, sizes);
  return sizes;
}

/// The sizes that packing needs: all except the image.
ConvTransposeSizes weight_sizes(const Shape& weights, std::int64_t groups) {
  ConvTransposeSizes sizes;
  sizes.groups = groups;
  sizes.channels_in = weights[0];
  sizes.channels_out = weights[1] * groups;
  for (std::int64_t i = 2; i < weights.rank(); ++i)
    sizes.kernel[3 - weights.rank() + i] = weights[i];
  return sizes;
}

bool is_product(const ConvTransposeSizes& sizes) {
  return sizes.channels_in / sizes.groups > fewest_channels;
}

struct CompiledConvTranspose {
  ConvTranspose op;
  Isa isa = Isa::baseline;
  PackedBytes weights;
  bool has_weights = false;
};

PreparedPtr prepare_conv_transpose(const std::shared_ptr<const CompiledConvTranspose>& conv,
                                   const PrepareContext& context) {
  const ConvTransposeSizes sizes =
      conv_transpose_sizes(context.inputs[0].shape, context.inputs[1].shape, conv->op);
  if (!is_product(sizes)) {
    return make_prepared({}, [=](const RunContext& run) {
      conv_transpose_reference(sizes, run.input<float>(0), run.input<float>(1), run.input<float>(2),
                               run.output<float>(0), run.workers());
    });
  }
  std::int64_t bytes = conv_transpose_workspace_bytes(sizes, conv->isa);
  const std::int64_t packed_at = (bytes + 63) / 64 * 64;
  if (!conv->has_weights) bytes = packed_at + packed_conv_transpose_bytes(sizes, conv->isa);
  return make_prepared({.workspace_bytes = bytes}, [=](const RunContext& run) {
    const float* weights = conv->weights.as<float>();
    if (!conv->has_weights) {
      auto* packed = reinterpret_cast<float*>(run.workspace() + packed_at);
      pack_conv_transpose_weights(sizes, run.input<float>(1), conv->isa, packed, run.workers());
      weights = packed;
    }
    conv_transpose(sizes, run.input<float>(0), weights, run.input<float>(2), run.output<float>(0),
                   conv->isa, run.workspace(), run.workers());
  });
}

KernelPtr compile_conv_transpose(const NodeView& view, const KernelRow& row,
                                 const CompileContext& context) {
  auto conv = std::make_shared<CompiledConvTranspose>();
  conv->op = read_op<ConvTranspose>(view.node());
  conv->isa = row.isa;
  Compilation compilation;
  const Tensor* weights = view.constant(1);
  if (weights != nullptr && is_float_like(weights->type()) && weights->shape().rank() >= 3 &&
      weights->shape().rank() <= 5) {
    const ConvTransposeSizes sizes = weight_sizes(weights->shape(), conv->op.groups);
    if (is_product(sizes)) {
      conv->weights = context.pack(packed_conv_transpose_bytes(sizes, row.isa),
                                   {static_cast<std::int64_t>(row.isa)}, [&](std::byte* packed) {
                                     const Tensor floats = float_tensor(*weights, context.cap);
                                     pack_conv_transpose_weights(
                                         sizes, floats.data<float>().data(), row.isa,
                                         reinterpret_cast<float*>(packed), context.workers);
                                   });
      conv->has_weights = true;
      compilation = {.packed = {1}, .packed_bytes = conv->weights.size_bytes()};
    }
  }
  KernelPtr kernel = make_kernel(
      row.name,
      [conv = std::shared_ptr<const CompiledConvTranspose>(std::move(conv))](
          const PrepareContext& prepare) { return prepare_conv_transpose(conv, prepare); },
      compilation);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

KernelPtr compile_double_conv_transpose(const NodeView& view, const KernelRow& row,
                                        const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<ConvTranspose>(view.node())](const PrepareContext& context) {
        const ConvTransposeSizes sizes =
            conv_transpose_sizes(context.inputs[0].shape, context.inputs[1].shape, op);
        return make_prepared({}, [=](const RunContext& run) {
          conv_transpose_reference(sizes, run.input<double>(0), run.input<double>(1),
                                   run.input<double>(2), run.output<double>(0), run.workers());
        });
      });
}

constexpr auto conv_transpose_rows =
    join_rows(isa_rows<"conv_transpose">("ConvTranspose", float_like_type_names, accepts_float_like,
                                         compile_conv_transpose),
              portable_row("conv_transpose_float64", "ConvTranspose", "float64", accepts_float64,
                           compile_double_conv_transpose));

}  // namespace

std::span<const KernelRow> conv_transpose_kernels() {
  return conv_transpose_rows;
}

}  // namespace ortool::cpu
