// Elementwise kernels on NCHWc tensors: runs the NCHW kernel on a view with one more dimension.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/conv/reorder.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/nchwc_shape.hpp"

namespace ortool::cpu {
namespace {

/// Operands as their memory is laid out in an operation on images in `blocked` layout: other
/// operands of more than one element have one for each channel.
std::vector<Operand> stored(std::span<const Operand> operands, Layout blocked) {
  std::size_t rank = 0;
  for (const Operand& operand : operands) {
    if (operand.layout != Layout::plain) rank = static_cast<std::size_t>(operand.shape.rank());
  }
  std::vector<Operand> result(operands.begin(), operands.end());
  for (Operand& operand : result) {
    if (operand.layout != Layout::plain) {
      operand.shape = stored_shape(operand.shape, operand.layout);
      operand.layout = Layout::plain;
    } else if (operand.shape.element_count() > 1) {
      std::vector<std::int64_t> shape(rank + 1, 1);
      shape[1] = operand.shape.element_count() / block_of(blocked);
      shape.back() = block_of(blocked);
      operand.shape = Shape(shape);
    }
  }
  return result;
}

/// Runs a kernel, then zeroes the padding channels.
class ClearedPrepared : public Prepared {
 public:
  ClearedPrepared(PreparedPtr inner, const ReorderSizes& sizes)
      : inner_(std::move(inner)), sizes_(sizes) {}

  std::int64_t workspace_bytes() const override { return inner_->workspace_bytes(); }
  std::int64_t held_bytes() const override { return inner_->held_bytes(); }
  bool can_overwrite(std::size_t index) const override { return inner_->can_overwrite(index); }
  void run(const RunContext& context) const override {
    inner_->run(context);
    clear_filling(sizes_, context.output<float>(0), context.workers());
  }

 private:
  PreparedPtr inner_;
  ReorderSizes sizes_;
};

class StoredKernel : public Kernel {
 public:
  StoredKernel(std::string_view name, KernelPtr inner, bool keeps_zero)
      : name_(name), inner_(std::move(inner)), keeps_zero_(keeps_zero) {}

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    const Operand& output = context.outputs[0];
    const std::vector<Operand> inputs = stored(context.inputs, output.layout);
    const std::vector<Operand> outputs = stored(context.outputs, output.layout);
    PreparedPtr inner = inner_->prepare({inputs, outputs, context.cap, context.stop});
    const std::int64_t block = block_of(output.layout);
    if (keeps_zero_ || output.shape[1] % block == 0) return inner;
    const Shape& shape = output.shape;
    return std::make_unique<const ClearedPrepared>(
        std::move(inner), ReorderSizes{shape[0], shape[1], shape.product(2, shape.rank()), block});
  }
  bool needs_input(std::size_t index) const override { return inner_->needs_input(index); }
  std::int64_t packed_bytes() const override { return inner_->packed_bytes(); }

 private:
  std::string_view name_;
  KernelPtr inner_;
  bool keeps_zero_;
};

/// The known number of channels of a tensor with at least one spatial axis; otherwise -1.
std::int64_t channels_of(const Value& value) {
  const ValueType& type = value.type();
  const bool is_image = type.is_tensor() && type.shape && type.shape->size() >= 3;
  return is_image ? (*type.shape)[1].number() : -1;
}

std::size_t rank_of(const Value& value) {
  return value.type().shape ? value.type().shape->size() : 0;
}

/// The NCHW choice, and one with every image in NCHWc, which also computes padding channels.
std::vector<LayoutChoice> plain_and_blocked(const NodeView& view, const std::vector<bool>& images,
                                            Layout blocked) {
  constexpr double element_ns = 0.05;
  std::vector<LayoutChoice> choices(2);
  for (const bool is_image : images)
    choices[1].inputs.push_back(is_image ? blocked : Layout::plain);
  choices[1].outputs = {blocked};
  const std::int64_t channels = channels_of(*view.node().output(0));
  const std::int64_t block = block_of(blocked);
  const std::int64_t filling = (channels + block - 1) / block * block - channels;
  double pixels = 1;
  const Dimensions& shape = *view.node().output(0)->type().shape;
  for (std::size_t axis = 2; axis < shape.size(); ++axis)
    pixels *= shape[axis].is_known() ? static_cast<double>(shape[axis].number()) : 32.0;
  choices[1].nanoseconds = static_cast<double>(filling) * pixels * element_ns;
  return choices;
}

/// Whether a constant has one element for each channel of an image, in whole blocks.
bool is_one_per_channel(const Tensor& constant, std::int64_t channels, std::size_t rank,
                        std::int64_t block) {
  const Shape& shape = constant.shape();
  const std::int64_t axis = shape.rank() - static_cast<std::int64_t>(rank) + 1;
  return constant.element_count() == channels && channels % block == 0 && axis >= 0 &&
         shape[axis] == channels;
}

/// For elementwise operators: inputs are images with the output's channels, or constants of one
/// element, or of one for each channel.
std::vector<LayoutChoice> elementwise_layouts(const NodeView& view, const KernelRow& row) {
  const Node& node = view.node();
  const Value* output = node.output(0);
  if (output == nullptr || node.output_count() > 1 || !view.fused_nodes().empty()) return {};
  const std::int64_t channels = channels_of(*output);
  const bool is_legacy_broadcast =
      node.find_attribute("broadcast") != nullptr || node.find_attribute("axis") != nullptr;
  if (channels <= 0 || is_legacy_broadcast) return {};
  const std::int64_t block = block_of(blocked_layout(row.isa));
  std::vector<bool> images;
  for (const Value* input : view.inputs()) {
    const Tensor* constant = view.constant(input);
    const bool is_broadcast =
        input == nullptr ||
        (constant != nullptr && (constant->element_count() == 1 ||
                                 is_one_per_channel(*constant, channels, rank_of(*output), block)));
    images.push_back(!is_broadcast);
    if (is_broadcast) continue;
    if (constant != nullptr || channels_of(*input) != channels ||
        rank_of(*input) != rank_of(*output))
      return {};
  }
  if (std::find(images.begin(), images.end(), true) == images.end()) return {};
  return plain_and_blocked(view, images, blocked_layout(row.isa));
}

/// For Concat along channels: all inputs but the last have whole blocks.
std::vector<LayoutChoice> concat_layouts(const NodeView& view, const KernelRow& row) {
  const Node& node = view.node();
  const Value* output = node.output(0);
  if (output == nullptr || channels_of(*output) <= 0) return {};
  if (read_op<Concat>(node).axis != 1) return {};
  const bool has_floats = view.input_type(0) == DataType::float32;
  const Layout blocked = has_floats ? blocked_layout(row.isa) : Layout::blocked16;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr || input->is_constant()) return {};
    const std::int64_t channels = channels_of(*input);
    const bool is_last = i + 1 == node.input_count();
    if (channels <= 0 || (!is_last && channels % block_of(blocked) != 0)) return {};
  }
  return plain_and_blocked(
      view, std::vector<bool>(static_cast<std::size_t>(node.input_count()), true), blocked);
}

/// The row that computes the node in NCHW; null if there is none.
const KernelRow* find_plain_row(const NodeView& view, Isa most) {
  const Node& node = view.node();
  for (const std::span<const KernelRow> rows : kernel_list()) {
    for (const KernelRow& row : rows) {
      const bool is_own = node.domain() == own_domain && row.domain.empty();
      if (row.op_type == node.op_type() && (row.domain == node.domain() || is_own) &&
          row.isa <= most && row.layouts == nullptr && row.accepts(view))
        return &row;
    }
  }
  return nullptr;
}

/// Whether padding channels stay zero: all inputs are NCHWc, and the operator maps zeros to zero.
bool keeps_zero(const NodeView& view) {
  if (!has_trait(view.node(), OpTrait::keeps_zero)) return false;
  for (std::size_t i = 0; i < view.inputs().size(); ++i) {
    if (view.layouts().input(i) == Layout::plain) return false;
  }
  return true;
}

KernelPtr compile_stored(const NodeView& view, const KernelRow& row,
                         const CompileContext& context) {
  const KernelRow* inner = find_plain_row(view, row.isa);
  ORTOOL_CHECK(inner != nullptr);
  return std::make_unique<const StoredKernel>(row.name, inner->compile(view, *inner, context),
                                              keeps_zero(view));
}

/// Accepts float32 elementwise operators that have an NCHW kernel.
bool accepts_elementwise(const NodeView& view) {
  const OpTraits& traits = traits_of(view.node());
  const bool is_function =
      traits.has(OpTrait::elementwise) && !traits.has(OpTrait::own_result_type);
  if (!is_function || view.output_type(0) != DataType::float32) return false;
  for (std::int64_t i = 0; i < view.node().input_count(); ++i) {
    if (view.node().input(i) != nullptr && view.input_type(i) != DataType::float32) return false;
  }
  return find_plain_row(view, Isa::avx2) != nullptr;
}

constexpr KernelRow elementwise_row(std::string_view name, Isa isa) {
  return {name,           "",      any_operator,       isa, "float32", accepts_elementwise,
          compile_stored, nullptr, elementwise_layouts};
}

constexpr KernelRow concat_row(std::string_view name, Isa isa) {
  return {name,           "",      "Concat",      isa, "float32", accepts_float32,
          compile_stored, nullptr, concat_layouts};
}

bool accepts_bytes_alone(const NodeView& view) {
  return view.input_type(0) == DataType::uint8 || view.input_type(0) == DataType::int8;
}

constexpr std::array<KernelRow, 5> stored_rows = {{
    elementwise_row("elementwise_nchwc_avx512", Isa::avx512),
    elementwise_row("elementwise_nchwc_avx2", Isa::avx2),
    concat_row("concat_nchwc_avx512", Isa::avx512),
    concat_row("concat_nchwc_avx2", Isa::avx2),
    KernelRow{"concat_int8_nchwc", "", "Concat", Isa::avx2, "int8, uint8", accepts_bytes_alone,
              compile_stored, nullptr, concat_layouts},
}};

}  // namespace

std::span<const KernelRow> elementwise_nchwc_kernels() {
  return stored_rows;
}

}  // namespace ortool::cpu
