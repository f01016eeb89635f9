// Kernel for QLinearConv and QuantizedConv with a depthwise post-op in NCHW16c.
#include "providers/cpu/conv/int8_depthwise_post_op.hpp"

#include <algorithm>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchwc/conv.hpp"
#include "libcore/ops/window_sizes.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/conv/compiled_nchwc_int8_conv.hpp"
#include "providers/cpu/conv/post_op_parts.hpp"

namespace ortool::cpu {
namespace {

/// What is smaller stays in caches between the kernels, which take some percent less time then than
/// one for each share.
constexpr std::int64_t least_int8_bytes = 1024 * 1024;

struct CompiledInt8PostOp {
  CompiledNchwcInt8Conv dense;
  CompiledNchwcInt8Conv depthwise;
  std::size_t dense_inputs = 0;

  std::size_t input_of_depthwise(std::int64_t index) const {
    return dense_inputs + static_cast<std::size_t>(index) - 1;
  }
};

Shape shape_between(const Shape& x, const Shape& weights, const NchwcInt8ConvOp& op) {
  std::vector<std::int64_t> shape = {x[0], weights[0]};
  for (const WindowAxis& axis :
       place_window(op.window, x.dimensions().subspan(2), weights.dimensions().subspan(2)))
    shape.push_back(axis.out);
  return Shape(shape);
}

class Int8PostOpPrepared : public Prepared {
 public:
  Int8PostOpPrepared(const CompiledInt8PostOp& post_op, const PrepareContext& context)
      : post_op_(post_op),
        sizes_(nchwc_int8_conv_sizes(context.inputs[image_input].shape,
                                     context.inputs[weights_input].shape, post_op.dense.op)),
        depthwise_sizes_(nchwc_int8_conv_sizes(
            shape_between(context.inputs[image_input].shape, context.inputs[weights_input].shape,
                          post_op.dense.op),
            context.inputs[post_op.input_of_depthwise(weights_input)].shape,
            post_op.depthwise.op)) {
    ORTOOL_CHECK(can_append_int8_depthwise(sizes_, post_op.dense.algorithm, depthwise_sizes_,
                                           post_op.depthwise.algorithm));
    space_ = layout_.add(nchwc_int8_depthwise_workspace_bytes(
        sizes_, post_op.dense.algorithm, depthwise_sizes_, post_op.depthwise.algorithm,
        post_op.dense.max_threads));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& context) const override {
    const CompiledNchwcInt8Conv& dense = post_op_.dense;
    const CompiledNchwcInt8Conv& depthwise = post_op_.depthwise;
    SizedWorkers workers(context.workers(), dense.max_threads);
    nchwc_int8_conv_with_depthwise(
        {sizes_, dense.desc, dense.weights.data(), dense.params, dense.algorithm},
        {depthwise_sizes_, depthwise.desc, depthwise.weights.data(), depthwise.params,
         depthwise.algorithm},
        context.input<std::uint8_t>(image_input), context.output<std::uint8_t>(0),
        context.workspace() + space_, workers.get(), dense.max_threads);
  }

 private:
  const CompiledInt8PostOp& post_op_;
  ConvSizes sizes_;
  ConvSizes depthwise_sizes_;
  WorkspaceLayout layout_;
  std::int64_t space_ = 0;
};

class Int8PostOpKernel : public Kernel {
 public:
  Int8PostOpKernel(const NodeView& group, const KernelRow& row, const CompileContext& context)
      : name_(post_op_name(row)) {
    const PostOpParts parts(group);
    compile_nchwc_int8_conv(parts.dense, row.isa, context, post_op_.dense);
    compile_nchwc_int8_conv(parts.depthwise, row.isa, context, post_op_.depthwise);
    post_op_.dense_inputs = parts.dense_inputs;
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const Int8PostOpPrepared>(post_op_, context);
  }
  bool needs_input(std::size_t index) const override { return index == image_input; }
  std::int64_t packed_bytes() const override {
    return post_op_.dense.weights.size_bytes() + post_op_.depthwise.weights.size_bytes();
  }

 private:
  std::string name_;
  CompiledInt8PostOp post_op_;
};

/// The algorithm that compile_nchwc_int8_conv chooses.
Int8ConvAlgorithm algorithm_of(const NodeView& group, const NchwcInt8ConvOp& op,
                               const ConvSizes& sizes, Isa isa) {
  const bool is_small = isa == Isa::amx && is_small_convolution(group, op);
  return choose_int8_conv_algorithm(sizes, false, constant_bytes(group, weights_input),
                                    weight_flip(group), is_small ? Isa::avx512 : isa);
}

}  // namespace

bool appends_int8_depthwise(const NodeView& group, const NodeView& next, const KernelRow& row) {
  constexpr Layout blocked = Layout::blocked16;
  if (group.layouts().input(0) != blocked || next.layouts().input(0) != blocked ||
      next.layouts().output(0) != blocked)
    return false;
  const NchwcInt8ConvOp dense_op = read_int8_conv(group.node());
  const NchwcInt8ConvOp depthwise_op = read_int8_conv(next.node());
  const std::optional<ConvSizes> dense = guessed_sizes(group, dense_op);
  const std::optional<ConvSizes> depthwise = guessed_sizes(next, depthwise_op);
  return dense && depthwise && volume(depthwise->in) * depthwise->channels_in >= least_int8_bytes &&
         can_append_int8_depthwise(*dense, algorithm_of(group, dense_op, *dense, row.isa),
                                   *depthwise,
                                   algorithm_of(next, depthwise_op, *depthwise, row.isa));
}

KernelPtr compile_int8_depthwise_post_op(const NodeView& group, const KernelRow& row,
                                         const CompileContext& context) {
  return std::make_unique<const Int8PostOpKernel>(group, row, context);
}

}  // namespace ortool::cpu
