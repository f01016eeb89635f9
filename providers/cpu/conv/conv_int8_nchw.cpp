// Kernels for ConvInteger, QLinearConv and QuantizedConv in NCHW; the latter two may fuse a Clip.
#include <algorithm>
#include <optional>

#include "kernels/cpu/conv/int8_nchw/conv.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/conv_integer.hpp"
#include "libcore/ops/quantization/int8_conv_inputs.hpp"
#include "libcore/ops/quantization/qlinear_conv.hpp"
#include "libcore/ops/quantization/quantized_conv.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/conv/conv_params.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {
namespace {

/// Decided at compile time, once per node.
struct CompiledInt8Conv {
  WindowAttributes window;
  std::int64_t groups = 1;
  Int8ConvInputs inputs;
  Int8ConvDesc desc;
  DataType image_type = DataType::undefined;
  DataType weight_type = DataType::undefined;
  DataType out_type = DataType::undefined;
  Int8Bounds bounds = {0, 0};
  Isa isa = Isa::baseline;
  int max_threads = 1;
  PackedBytes weights;  ///< packed, followed by the sums of each channel's weights
  std::int64_t sums_offset = 0;
  bool has_weights = false;
};

ConvSizes int8_conv_sizes(const CompiledInt8Conv& conv, const Shape& x, const Shape& weights) {
  return placed_conv_sizes(
      x, weights, conv.groups,
      place_window(conv.window, x.dimensions().subspan(2), weights.dimensions().subspan(2)));
}

class Int8ConvPrepared : public Prepared {
 public:
  Int8ConvPrepared(const CompiledInt8Conv& conv, const PrepareContext& context)
      : conv_(conv),
        sizes_(int8_conv_sizes(conv, shape_of(context, conv.inputs.image),
                               shape_of(context, conv.inputs.weights))),
        depth_(multiply_sizes(shape_of(context, conv.inputs.weights)[1], volume_of(sizes_))),
        has_scale_list_(has_list(context, conv.inputs.weight_scale)),
        has_zero_list_(has_list(context, conv.inputs.weight_zero)) {
    const std::int64_t list_bytes = bytes_of(DataType::int32, sizes_.channels_out);
    kernel_space_ = layout_.add(int8_conv_workspace_bytes(sizes_, conv.isa, conv.max_threads));
    offset_space_ = layout_.add(list_bytes);
    zero_space_ = layout_.add(list_bytes);
    scale_space_ = layout_.add(list_bytes);
    weight_scale_space_ = layout_.add(list_bytes);
    if (conv.has_weights) return;
    weight_space_ = layout_.add(packed_int8_conv_bytes(sizes_, conv.isa));
    sum_space_ = layout_.add(list_bytes);
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& context) const override {
    SizedWorkers workers(context.workers(), conv_.max_threads);
    const auto bytes = [&](std::int64_t input) {
      return context.input<std::uint8_t>(static_cast<std::size_t>(input));
    };
    const std::byte* packed = conv_.weights.data();
    const auto* sums = reinterpret_cast<const std::int32_t*>(packed + conv_.sums_offset);
    if (!conv_.has_weights) {
      auto* own_sums = place<std::int32_t>(context, sum_space_);
      pack_int8_conv(sizes_, bytes(conv_.inputs.weights), conv_.desc.weight_flip, conv_.isa,
                     place<std::byte>(context, weight_space_), own_sums);
      packed = place<std::byte>(context, weight_space_);
      sums = own_sums;
    }
    Int8ConvParams params;
    params.image_zero =
        flipped_zero(conv_.image_type, bytes(conv_.inputs.image_zero), 0, conv_.desc.image_flip);
    params.biases = conv_.inputs.bias < 0
                        ? nullptr
                        : reinterpret_cast<const std::int32_t*>(bytes(conv_.inputs.bias));
    params.weight_zeros = weight_zeros(context);
    params.epilogue.output = EpilogueOutput::int32;
    params.epilogue.offsets = offsets(context, params, sums);
    if (conv_.inputs.out_scale >= 0) set_scales(context, params);
    Int8ConvFloats floats;
    if (conv_.inputs.has_floats) {
      floats = float_desc(context);
      params.floats = &floats;
    }
    int8_conv(sizes_, bytes(conv_.inputs.image), conv_.desc, packed, params,
              context.output<std::byte>(0), conv_.isa, place<std::byte>(context, kernel_space_),
              workers.get());
  }

 private:
  static const Shape& shape_of(const PrepareContext& context, std::int64_t input) {
    return context.inputs[static_cast<std::size_t>(input)].shape;
  }
  static std::int64_t volume_of(const ConvSizes& sizes) {
    return sizes.kernel[0] * sizes.kernel[1] * sizes.kernel[2];
  }
  static bool has_list(const PrepareContext& context, std::int64_t input) {
    return input >= 0 && context.has_input(static_cast<std::size_t>(input)) &&
           shape_of(context, input).element_count() != 1;
  }
  template <typename T>
  static T* place(const RunContext& context, std::int64_t offset) {
    return reinterpret_cast<T*>(context.workspace() + offset);
  }

  const std::int32_t* weight_zeros(const RunContext& context) const {
    const auto* given =
        context.input<std::uint8_t>(static_cast<std::size_t>(conv_.inputs.weight_zero));
    auto* zeros = place<std::int32_t>(context, zero_space_);
    bool has_any = false;
    for (std::int64_t i = 0; i < sizes_.channels_out; ++i) {
      zeros[i] =
          flipped_zero(conv_.weight_type, given, has_zero_list_ ? i : 0, conv_.desc.weight_flip);
      has_any = has_any || zeros[i] != 0;
    }
    return has_any ? zeros : nullptr;
  }

  const std::int32_t* offsets(const RunContext& context, const Int8ConvParams& params,
                              const std::int32_t* sums) const {
    auto* result = place<std::int32_t>(context, offset_space_);
    const auto depth = static_cast<std::uint32_t>(depth_);
    const auto image_zero = static_cast<std::uint32_t>(params.image_zero);
    for (std::int64_t i = 0; i < sizes_.channels_out; ++i) {
      auto sum = static_cast<std::uint32_t>(sums[i]);
      if (params.weight_zeros != nullptr)
        sum -= depth * static_cast<std::uint32_t>(params.weight_zeros[i]);
      const auto bias = static_cast<std::uint32_t>(params.biases != nullptr ? params.biases[i] : 0);
      result[i] = static_cast<std::int32_t>(bias - image_zero * sum);
    }
    return result;
  }

  void set_scales(const RunContext& context, Int8ConvParams& params) const {
    const auto input = [&](std::int64_t index) {
      return context.input<float>(static_cast<std::size_t>(index));
    };
    const float image_scale = *input(conv_.inputs.image_scale);
    const float out_scale = *input(conv_.inputs.out_scale);
    const float* weight_scales = input(conv_.inputs.weight_scale);
    auto* scales = place<float>(context, scale_space_);
    for (std::int64_t i = 0; i < sizes_.channels_out; ++i)
      scales[i] = image_scale * weight_scales[has_scale_list_ ? i : 0] / out_scale;
    params.epilogue.output = EpilogueOutput::int8;
    params.epilogue.scales = scales;
    const std::int32_t zero = flipped_zero(
        conv_.out_type,
        context.input<std::uint8_t>(static_cast<std::size_t>(conv_.inputs.out_zero)), 0, 0);
    params.epilogue.range = int8_range(conv_.bounds, zero);
  }

  Int8ConvFloats float_desc(const RunContext& context) const {
    const auto input = [&](std::int64_t index) {
      return context.input<float>(static_cast<std::size_t>(index));
    };
    const float* given = input(conv_.inputs.weight_scale);
    auto* scales = place<float>(context, weight_scale_space_);
    for (std::int64_t i = 0; i < sizes_.channels_out; ++i)
      scales[i] = given[has_scale_list_ ? i : 0];
    Int8ConvFloats result;
    result.weight_scales = scales;
    if (conv_.inputs.float_bias >= 0) result.biases = input(conv_.inputs.float_bias);
    result.image_scale = *input(conv_.inputs.image_scale);
    result.out_scale = *input(conv_.inputs.out_scale);
    return result;
  }

  const CompiledInt8Conv& conv_;
  ConvSizes sizes_;
  std::int64_t depth_;
  bool has_scale_list_;
  bool has_zero_list_;
  WorkspaceLayout layout_;
  std::int64_t kernel_space_ = 0;
  std::int64_t offset_space_ = 0;
  std::int64_t zero_space_ = 0;
  std::int64_t scale_space_ = 0;
  std::int64_t weight_scale_space_ = 0;
  std::int64_t weight_space_ = 0;
  std::int64_t sum_space_ = 0;
};

class Int8ConvKernel : public Kernel {
 public:
  Int8ConvKernel(const NodeView& view, const KernelRow& row, CompiledInt8Conv conv,
                 const CompileContext& context)
      : name_(row.name), conv_(std::move(conv)) {
    conv_.isa = row.isa;
    conv_.max_threads = context.max_threads;
    conv_.image_type = view.input_type(conv_.inputs.image);
    conv_.weight_type = view.input_type(conv_.inputs.weights);
    conv_.out_type = view.output_type(0);
    conv_.desc.image_flip = conv_.image_type == DataType::int8 ? 128 : 0;
    conv_.desc.weight_flip = conv_.weight_type == DataType::uint8 ? 128 : 0;
    if (conv_.inputs.out_scale >= 0) {
      conv_.out_type = view.input_type(conv_.inputs.out_zero);
      conv_.bounds = epilogue_of(view).bounds;
    }
    pack(view, context);
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const Int8ConvPrepared>(conv_, context);
  }
  bool needs_input(std::size_t index) const override {
    const auto position = static_cast<std::int64_t>(index);
    if (position == conv_.inputs.weights) return !conv_.has_weights;
    return position <= std::max({conv_.inputs.bias, conv_.inputs.float_bias,
                                 conv_.inputs.weight_zero, conv_.inputs.out_zero});
  }
  std::int64_t packed_bytes() const override { return conv_.weights.size_bytes(); }

 private:
  void pack(const NodeView& view, const CompileContext& context) {
    const Tensor* weights = view.constant(conv_.inputs.weights);
    if (weights == nullptr) return;
    const Shape& shape = weights->shape();
    ConvSizes sizes;
    sizes.groups = conv_.groups;
    sizes.channels_in = multiply_sizes(shape[1], conv_.groups);
    sizes.channels_out = shape[0];
    for (std::int64_t i = 2; i < shape.rank(); ++i)
      sizes.kernel[static_cast<std::int64_t>(max_spatial_axes) - shape.rank() + i] = shape[i];
    conv_.sums_offset = packed_int8_conv_bytes(sizes, conv_.isa);
    conv_.weights = context.pack(
        conv_.sums_offset + bytes_of(DataType::int32, sizes.channels_out),
        {static_cast<std::int64_t>(conv_.isa), conv_.desc.weight_flip}, [&](std::byte* packed) {
          pack_int8_conv(sizes, reinterpret_cast<const std::uint8_t*>(weights->bytes()),
                         conv_.desc.weight_flip, conv_.isa, packed,
                         reinterpret_cast<std::int32_t*>(packed + conv_.sums_offset));
        });
    conv_.has_weights = true;
  }

  std::string_view name_;
  CompiledInt8Conv conv_;
};

bool has_int8_conv_rank(const NodeView& view, const Int8ConvInputs& inputs) {
  for (const std::int64_t input : {inputs.image, inputs.weights}) {
    const std::int64_t rank = view.input_rank(input);
    if (rank >= 0 && (rank < 3 || rank > 2 + static_cast<std::int64_t>(max_spatial_axes)))
      return false;
  }
  return true;
}

bool accepts_conv_integer(const NodeView& view) {
  return has_int8_conv_rank(view, conv_integer_inputs);
}

bool accepts_qlinear_conv(const NodeView& view) {
  return has_int8_conv_rank(view, qlinear_conv_inputs);
}

template <typename Op>
KernelPtr make_int8_conv(const NodeView& view, const KernelRow& row, const Int8ConvInputs& inputs,
                         const CompileContext& context) {
  const auto op = read_op<Op>(view.node());
  CompiledInt8Conv conv;
  conv.window = op.window;
  conv.groups = op.groups;
  conv.inputs = inputs;
  // If a Clip is fused, its bounds may occupy the index of an omitted bias.
  if (view.node().input(inputs.bias) == nullptr) conv.inputs.bias = -1;
  if (inputs.has_floats && view.node().input(inputs.float_bias) == nullptr)
    conv.inputs.float_bias = -1;
  return std::make_unique<const Int8ConvKernel>(view, row, std::move(conv), context);
}

KernelPtr compile_conv_integer(const NodeView& view, const KernelRow& row,
                               const CompileContext& context) {
  return make_int8_conv<ortool::ConvInteger>(view, row, conv_integer_inputs, context);
}

KernelPtr compile_qlinear_conv(const NodeView& view, const KernelRow& row,
                               const CompileContext& context) {
  return make_int8_conv<ortool::QLinearConv>(view, row, qlinear_conv_inputs, context);
}

KernelPtr compile_constant_conv(const NodeView& view, const KernelRow& row,
                                const CompileContext& context) {
  return make_int8_conv<ortool::QuantizedConv>(view, row, quantized_conv_inputs, context);
}

constexpr std::array<KernelRow, 3> clipping(std::array<KernelRow, 3> rows) {
  for (KernelRow& row : rows) row.absorbs = absorbs_epilogue;
  return rows;
}

constexpr auto quantized_conv_rows = join_rows(
    isa_rows<"conv_integer">("ConvInteger", "int8, uint8", accepts_conv_integer,
                             compile_conv_integer),
    clipping(isa_rows<"qlinear_conv">("QLinearConv", "int8, uint8", accepts_qlinear_conv,
                                      compile_qlinear_conv)),
    clipping(isa_rows<"quantized_conv">("QuantizedConv", "int8, uint8", accepts_qlinear_conv,
                                        compile_constant_conv, "ortool")));

}  // namespace

std::span<const KernelRow> conv_int8_nchw_kernels() {
  return quantized_conv_rows;
}

}  // namespace ortool::cpu
