// oneDNN kernels for Conv and ConvTranspose.
#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/provider/fold_epilogue.hpp"
#include "providers/onednn/conv_prepared.hpp"
#include "providers/onednn/kernel_list.hpp"
#include "providers/onednn/whole_conv.hpp"

namespace ortool::onednn {
namespace {

/// Weights at run time and those of ConvTranspose cannot be scaled.
EpilogueSupport conv_epilogue_support(const NodeView& view) {
  if (view.constant(1) == nullptr) return {};
  EpilogueSupport support = product_form(view).value_or(EpilogueSupport{});
  support.has_functions = false;
  return support;
}

ProductEpilogue conv_epilogue(const NodeView& view) {
  std::optional<ProductEpilogue> epilogue = match_epilogue(view, conv_epilogue_support(view));
  ORTOOL_CHECK(epilogue.has_value());
  return std::move(*epilogue);
}

/// For outputs without elements.
PreparedPtr prepare_nothing() {
  class NothingPrepared : public Prepared {
   public:
    void run(const RunContext&) const override {}
  };
  return std::make_unique<const NothingPrepared>();
}

/// Whether there is nothing to multiply.
bool is_empty(const Shape& image, const Shape& weights, const ConvShape& shape) {
  return image.element_count() == 0 || weights.element_count() == 0 || shape.out_pixels() == 0;
}

class ConvKernel : public Kernel {
 public:
  ConvKernel(const NodeView& view, const KernelRow& row, const Tools& tools,
             const CompileContext& context)
      : name_(row.name), conv_(view.node()) {
    conv_.tools = tools;
    conv_.max_threads = context.max_threads;
    conv_.blocked = {view.layouts().input(0) != Layout::plain,
                     view.layouts().output(0) != Layout::plain};
    conv_.epilogue = conv_epilogue(view);
    conv_.reads_bias = view.node().input(2) != nullptr && view.constant(2) == nullptr;
    conv_.bias = folded_bias(view.constant(2), conv_.epilogue);
    if (view.constant(1) == nullptr) return;
    conv_.has_constant_weights = true;
    conv_.constant_weights = *view.constant(1);
    pack(view, context);
    conv_.constant_weights =
        fits_every_image(view) ? Tensor() : view.original(*view.node().input(1));
  }

  std::string_view name() const override { return name_; }

  PreparedPtr prepare(const PrepareContext& context) const override {
    const ConvShape shape = conv_.op.place(context.inputs[0].shape, context.inputs[1].shape);
    if (conv_.blocked.out && context.outputs[0].size_bytes() == 0) return prepare_nothing();
    std::optional<ConvFormat> image_format;
    if (!is_empty(context.inputs[0].shape, context.inputs[1].shape, shape))
      image_format = find_format(shape);
    if (!image_format && (conv_.blocked.in || conv_.blocked.out))
      throw Error(ErrorCode::unsupported, "oneDNN has no kernel for this image in a blocked layout",
                  "run with --provider cpu");
    if (!image_format) return prepare_whole_conv(conv_, shape, context);
    return prepare_conv(conv_, shape, *image_format, context);
  }

  bool needs_input(std::size_t index) const override {
    if (index == 1) return !conv_.image_format.has_value();
    if (index == 2 && conv_.reads_bias) return true;
    return index == 0 || static_cast<std::int64_t>(index) == conv_.epilogue.residual;
  }
  std::int64_t packed_bytes() const override {
    return conv_.weights.size_bytes() + std::ssize(conv_.bias) * std::int64_t{sizeof(float)};
  }

 private:
  void pack(const NodeView& view, const CompileContext& context) {
    const std::optional<ConvShape> shape = likely_conv(view, conv_.op);
    if (!shape) return;
    PrimitiveCache& cache = *conv_.tools.cache;
    const std::optional<ConvFormat> image_format =
        choose_conv_format(*shape, conv_.tools.block, conv_.blocked, cache);
    if (!image_format) return;
    const ConvPartition partition = partition_conv(*shape, *image_format, conv_.has_bias());
    const std::array<PrimitivePtr, 2> primitives = find_conv_primitives(partition, {}, cache);
    const ConvWeightPacker packer(*shape, partition, primitives, cache);
    conv_.weights = pack_constant_weights(conv_, partition, packer, context.cap, context.workers);
    for (std::size_t kind = 0; kind < 2; ++kind) {
      if (partition.has_kind(kind)) conv_.layouts[kind] = primitives[kind]->operand_layout(1);
    }
    conv_.image_format = image_format;
  }

  /// Whether no form other than that of the packed weights is ever needed.
  bool fits_every_image(const NodeView& view) const {
    const std::optional<Shape> image = view.input_shape(0);
    if (!conv_.image_format || !image) return false;
    try {
      const Shape& weights = view.constant(1)->shape();
      const ConvShape shape = conv_.op.place(*image, weights);
      if (is_empty(*image, weights, shape)) return false;
      const ConvPartition partition = partition_conv(shape, *conv_.image_format, conv_.has_bias());
      return are_fast(partition,
                      find_conv_primitives(partition, conv_.layouts, *conv_.tools.cache));
    } catch (const Error&) {
      return false;
    }
  }

  /// The form of the packed weights, if it also suits the shapes.
  std::optional<ConvFormat> find_format(const ConvShape& shape) const {
    PrimitiveCache& cache = *conv_.tools.cache;
    if (conv_.image_format) {
      const ConvPartition partition = partition_conv(shape, *conv_.image_format, conv_.has_bias());
      if (are_fast(partition, find_conv_primitives(partition, conv_.layouts, cache)))
        return conv_.image_format;
    }
    return choose_conv_format(shape, conv_.tools.block, conv_.blocked, cache);
  }

  std::string_view name_;
  CompiledConv conv_;
};

}  // namespace

std::string refuses_conv(const NodeView& view, const Tools& tools) {
  for (std::int64_t i = 0; i < view.node().input_count(); ++i) {
    if (view.node().input(i) != nullptr && view.input_type(i) != DataType::float32)
      return format("it supports {} in float32 only", view.node().op_type());
  }
  const std::int64_t rank = std::max(view.input_rank(0), view.input_rank(1));
  if (rank < 0) return "the rank of the image is unknown";
  if (rank < 3 || rank > 5)
    return format("it supports convolution along 1 to 3 axes, not {}", rank - 2);
  const ConvOp op(view.node());
  const std::optional<ConvShape> shape = likely_conv(view, op);
  if (!shape) return {};
  if (!choose_conv_format(*shape, tools.block, {}, *tools.cache))
    return "oneDNN has only a slow kernel for these channels and this window";
  return {};
}

bool conv_absorbs(const NodeView& group, const Node& next) {
  return can_join_epilogue(group, next, conv_epilogue_support(group));
}

std::vector<LayoutChoice> conv_layouts(const NodeView& group, const Tools& tools) {
  const Value* bias = group.node().input(2);
  const PartialShape& image = group.node().input(0)->type().shape;
  if (group.constant(1) == nullptr || (bias != nullptr && group.constant(2) == nullptr)) return {};
  if (!image || !(*image)[1].is_known() || group.node().input(0)->is_constant()) return {};
  const std::optional<ConvShape> shape = likely_conv(group, ConvOp(group.node()));
  if (!shape || shape->in_pixels() == 0 || shape->out_pixels() == 0) return {};
  const std::optional<ConvFormat> image_format =
      choose_conv_format(*shape, tools.block, {false, true}, *tools.cache);
  if (!image_format) return {};
  const bool is_one = shape->sizes.groups == 1 || shape->is_depthwise();
  const bool can_read =
      image_format->in == ImageFormat::blocks && (is_one || shape->group_in() % tools.block == 0);
  const bool can_write = is_one || shape->group_out() % tools.block == 0;
  // Measured on a core of an Emerald Rapids Xeon; on other processors both alternatives are slower.
  constexpr double product_ns = 0.0125;
  constexpr double reorder_ns = 0.4;
  const double work =
      static_cast<double>(shape->group_in() * shape->kernel_points()) *
      static_cast<double>(shape->sizes.channels_out) *
      static_cast<double>(shape->is_transposed ? shape->in_pixels() : shape->out_pixels());
  const double into =
      image_format->in == ImageFormat::blocks
          ? reorder_ns * static_cast<double>(shape->sizes.channels_in * shape->in_pixels())
          : 0.0;
  const double back =
      reorder_ns * static_cast<double>(shape->sizes.channels_out * shape->out_pixels());
  const std::int64_t residual = conv_epilogue(group).residual;
  std::vector<LayoutChoice> choices(1);
  choices[0].nanoseconds = work * product_ns + into + back;
  const auto add = [&](bool in, bool out) {
    LayoutChoice& choice = choices.emplace_back();
    if (in) choice.inputs = {tools.blocked};
    if (out) choice.outputs = {tools.blocked};
    if (out && residual >= 0) {
      choice.inputs.resize(static_cast<std::size_t>(residual) + 1, Layout::plain);
      choice.inputs.back() = tools.blocked;
    }
    choice.nanoseconds = work * product_ns + (in ? 0 : into) + (out ? 0 : back);
  };
  if (can_read) add(true, false);
  if (can_write) add(false, true);
  if (can_read && can_write) add(true, true);
  return choices;
}

KernelPtr compile_conv(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context) {
  return std::make_unique<const ConvKernel>(view, row, tools, context);
}

}  // namespace ortool::onednn
