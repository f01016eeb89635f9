// Kernel for Conv with a depthwise post-op in NCHWc, in float32, with the same epilogues as alone.
#include "providers/cpu/conv/depthwise_post_op.hpp"

#include <algorithm>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/conv/compiled_nchwc_conv.hpp"
#include "providers/cpu/conv/conv_cost.hpp"
#include "providers/cpu/conv/conv_params.hpp"
#include "providers/cpu/conv/post_op_parts.hpp"
#include "providers/cpu/support/fused_epilogue.hpp"

namespace ortool::cpu {
namespace {

/// Decided at compile time, once per group.
struct CompiledPostOp {
  CompiledNchwcConv dense;
  CompiledNchwcConv depthwise;
  std::size_t dense_inputs = 0;

  /// The merged group's position of an input of the depthwise convolution other than the first.
  std::size_t input_of_depthwise(std::int64_t index) const {
    return dense_inputs + static_cast<std::size_t>(index) - 1;
  }
};

Shape result_shape(const Shape& x, const Shape& weights, const ortool::Conv& op) {
  std::vector<std::int64_t> shape = {x[0], weights[0]};
  for (const WindowAxis& axis : op.place(x, weights)) shape.push_back(axis.out);
  return Shape(shape);
}

Epilogue float_epilogue(const CompiledNchwcConv& conv, const float* residual) {
  Epilogue epilogue;
  if (conv.bias.size_bytes() > 0) {
    epilogue.addend = Addend::per_row;
    epilogue.added = conv.bias.as<float>();
  }
  epilogue.residual = residual;
  epilogue.activation = conv.epilogue.activation;
  epilogue.low = conv.epilogue.low;
  epilogue.high = conv.epilogue.high;
  return epilogue;
}

class DepthwisePostOpPrepared : public Prepared {
 public:
  DepthwisePostOpPrepared(const CompiledPostOp& post_op, const PrepareContext& context)
      : post_op_(post_op),
        sizes_(conv_sizes(context.inputs[0].shape, context.inputs[1].shape, post_op.dense.op)),
        depthwise_sizes_(conv_sizes(
            result_shape(context.inputs[0].shape, context.inputs[1].shape, post_op.dense.op),
            context.inputs[post_op.input_of_depthwise(1)].shape, post_op.depthwise.op)) {
    const CompiledNchwcConv& dense = post_op.dense;
    is_appended_ = can_append_depthwise(sizes_, dense.path, depthwise_sizes_) &&
                   is_worth_appending_depthwise(sizes_, dense.path, depthwise_sizes_, dense.isa);
    if (is_appended_) {
      space_ = layout_.add(nchwc_depthwise_post_op_workspace_bytes(
          sizes_, dense.path, depthwise_sizes_, dense.isa, dense.max_threads));
      return;
    }
    const std::int64_t block = block_of(blocked_layout(dense.isa));
    const std::int64_t channels = (sizes_.channels_out + block - 1) / block * block;
    between_ =
        layout_.add(bytes_of(DataType::float32, sizes_.batch * channels * volume(sizes_.out)));
    space_ = layout_.add(
        std::max(nchwc_conv_workspace_bytes(sizes_, dense.path, dense.isa, dense.max_threads),
                 nchwc_conv_workspace_bytes(depthwise_sizes_, post_op.depthwise.path, dense.isa,
                                            dense.max_threads)));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& context) const override {
    const CompiledNchwcConv& dense = post_op_.dense;
    const CompiledNchwcConv& depthwise = post_op_.depthwise;
    SizedWorkers workers(context.workers(), dense.max_threads);
    const std::int64_t residual = depthwise.epilogue.residual;
    const Epilogue first = float_epilogue(dense, residual_of(dense.epilogue, context));
    const Epilogue second = float_epilogue(
        depthwise,
        residual < 0 ? nullptr : context.input<float>(post_op_.input_of_depthwise(residual)));
    const InputImage x{.floats = context.input<float>(0)};
    const OutputImage y{.floats = context.output<float>(0)};
    std::byte* const space = context.workspace() + space_;
    if (is_appended_) {
      conv_nchwc_with_depthwise(sizes_, dense.path, x, dense.weights.as<float>(), first,
                                {depthwise_sizes_, depthwise.weights.as<float>(), second}, y,
                                dense.isa, space, workers.get());
      return;
    }
    auto* const between = reinterpret_cast<float*>(context.workspace() + between_);
    conv_nchwc(sizes_, dense.path, x, dense.weights.as<float>(), {.floats = between}, first,
               dense.isa, space, workers.get());
    conv_nchwc(depthwise_sizes_, depthwise.path, {.floats = between}, depthwise.weights.as<float>(),
               y, second, dense.isa, space, workers.get());
  }

 private:
  const CompiledPostOp& post_op_;
  ConvSizes sizes_;
  ConvSizes depthwise_sizes_;
  bool is_appended_ = false;  ///< otherwise the image between them is whole
  WorkspaceLayout layout_;
  std::int64_t between_ = 0;
  std::int64_t space_ = 0;
};

class DepthwisePostOpKernel : public Kernel {
 public:
  DepthwisePostOpKernel(const NodeView& group, const KernelRow& row, const CompileContext& context)
      : name_(post_op_name(row)) {
    const PostOpParts parts(group);
    post_op_.dense = compile_nchwc_conv(parts.dense, row.isa, Precision::float32, context);
    post_op_.depthwise = compile_nchwc_conv(parts.depthwise, row.isa, Precision::float32, context);
    post_op_.dense_inputs = parts.dense_inputs;
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const DepthwisePostOpPrepared>(post_op_, context);
  }
  bool needs_input(std::size_t index) const override {
    const std::int64_t residual = post_op_.depthwise.epilogue.residual;
    return index == 0 || static_cast<std::int64_t>(index) == post_op_.dense.epilogue.residual ||
           (residual >= 0 && index == post_op_.input_of_depthwise(residual));
  }
  std::int64_t packed_bytes() const override {
    return post_op_.dense.packed_bytes() + post_op_.depthwise.packed_bytes();
  }

 private:
  std::string name_;
  CompiledPostOp post_op_;
};

/// Whether the model specifies height and width of the first input.
bool has_known_pixels(const NodeView& view) {
  const PartialShape& shape = view.node().input(0)->type().shape;
  return shape && shape->size() > 2 &&
         std::all_of(shape->begin() + 2, shape->end(),
                     [](const Dimension& each) { return each.is_known(); });
}

}  // namespace

bool appends_depthwise(const NodeView& group, const NodeView& next, const KernelRow& row) {
  const Layout blocked = blocked_layout(row.isa);
  const Layout first = group.layouts().input(0);
  if ((first != Layout::plain && first != blocked) || next.layouts().input(0) != blocked ||
      next.layouts().output(0) != blocked)
    return false;
  const auto dense_op = read_op<ortool::Conv>(group.node());
  const auto depthwise_op = read_op<ortool::Conv>(next.node());
  if (dense_op.groups != 1 || depthwise_op.groups <= 1) return false;
  const Tensor& dense_weights = *group.constant(1);
  const auto dense = common_conv_sizes(group, dense_weights.shape(), dense_op);
  const auto depthwise = common_conv_sizes(next, next.constant(1)->shape(), depthwise_op);
  if (!dense || !depthwise || !adds_in_place(group, epilogue_of(group)) ||
      !adds_in_place(next, epilogue_of(next)))
    return false;
  const bool from_nchw = first == Layout::plain;
  const NchwcConvAlgorithm path =
      from_nchw ? NchwcConvAlgorithm::from_nchw : choose_nchwc_algorithm(*dense);
  if (!can_append_depthwise(*dense, path, *depthwise)) return false;
  // Otherwise decided for the sizes of a run.
  return !has_known_pixels(next) || is_worth_appending_depthwise(*dense, path, *depthwise, row.isa);
}

KernelPtr compile_depthwise_post_op(const NodeView& group, const KernelRow& row,
                                    const CompileContext& context) {
  return std::make_unique<const DepthwisePostOpKernel>(group, row, context);
}

}  // namespace ortool::cpu
