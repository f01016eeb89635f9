// Matrix products of int8 and uint8: the library's int32 sums, and a kernel that corrects them by
// zero points and requantizes or scales them.
#include <array>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "providers/cuda/operators/byte_operands.hpp"
#include "providers/cuda/operators/byte_residual.hpp"
#include "providers/cuda/operators/matrices.hpp"

namespace ortool::cuda {
namespace {

/// Input indices of the operands; -1 if the operator has no such operand.
struct ByteProductInputs {
  std::int64_t a = 0;
  std::int64_t a_scale = -1;
  std::int64_t a_zero = 2;
  std::int64_t b = 1;
  std::int64_t b_scale = -1;
  std::int64_t b_zero = 3;
  std::int64_t y_scale = -1;
  std::int64_t y_zero = -1;
};

constexpr ByteProductInputs integer_inputs;
constexpr ByteProductInputs linear_inputs = {0, 1, 2, 3, 4, 5, 6, 7};
/// Scales are known before the run.
constexpr std::uint32_t linear_parameters = 0b1010010;

/// The second operand: its columns as rows.
ByteRows pack_second(DevicePlanBuilder& builder, const Node& node, std::int64_t input,
                     const Matrices& b, std::int64_t padded_size) {
  if (!node.input(input)->is_constant() || b.count() > 1)
    return pack_columns(builder, b.tensor, b.count(), b.columns, b.rows, padded_size);
  WeightLayout layout;
  layout.rows = b.columns;
  layout.size = b.rows;
  layout.padded_rows = padded_columns(b.columns);
  layout.padded_size = padded_size;
  layout.source = [columns = b.columns](std::int64_t row, std::int64_t place) {
    return place * columns + row;
  };
  const PackedWeights packed = pack_weights(builder, node, input, layout, {0, padded_size});
  return {packed.bytes, padded_size, packed.sums};
}

/// The nodes that follow and that the kernel behind the product computes: a Cast of exact sums and
/// a Mul, or a Clip of bytes and a DequantizeLinear; then an Add. Or a Clip and a sum of bytes.
class ByteEpilogue {
 public:
  ByteEpilogue(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes,
               std::int64_t columns, bool is_integer)
      : builder_(builder),
        fused_nodes_(fused_nodes),
        columns_(columns),
        result_(&node),
        bounds_(bounds_of(type_of(node.output(0)))) {
    if (is_integer) {
      fold_cast();
    } else {
      if (fold_clip(builder, fused_nodes, bounds_)) take();
      if (const std::optional<DeviceTensor> bytes =
              fold_residual(builder, *result_, fused_nodes.subspan(folded_), false, residual_)) {
        residual_.bytes = static_cast<const std::uint8_t*>(bytes->pointer());
        take();
        return;
      }
      fold_dequantization();
    }
    if (!is_real_) return;
    if (const DeviceTensor addend = other_operand("Add");
        addend.is_given() && addend.count() == columns) {
      addends_ = addend;
      take();
    }
  }

  std::size_t folded() const { return folded_; }
  const Node& result() const { return *result_; }
  const ByteBounds& bounds() const { return bounds_; }
  void set(SumEpilogue& epilogue, const DeviceTensor& out) const {
    epilogue.out = out.pointer();
    epilogue.out_type = out.element();
    epilogue.low = bounds_.low;
    epilogue.high = bounds_.high;
    epilogue.residual = residual_;
    if (!is_real_) return;
    epilogue.result = SumResult::reals;
    epilogue.step = step_;
    epilogue.step_zero = step_zero_;
    epilogue.factors = factors_.pointer();
    epilogue.factor_type = factors_.element();
    epilogue.has_factor_list = factors_.is_given() && factors_.count() > 1 ? 1 : 0;
    epilogue.addends = addends_.pointer();
    epilogue.addend_type = addends_.element();
  }

 private:
  void take() { result_ = fused_nodes_[folded_++]; }
  const Node* next(std::string_view op_type) const {
    if (folded_ == fused_nodes_.size()) return nullptr;
    const Node& node = *fused_nodes_[folded_];
    return node.op_type() == op_type && node.domain().empty() ? &node : nullptr;
  }
  void fold_cast() {
    if (next("Cast") == nullptr) return;
    take();
    is_real_ = true;
    if (const DeviceTensor factor = other_operand("Mul"); factor.is_given()) {
      factors_ = factor;
      take();
    }
  }
  void fold_dequantization() {
    const Node* node = next("DequantizeLinear");
    if (node == nullptr) return;
    step_ = known_floats(builder_, *node, 1).front();
    step_zero_ = zero_points(builder_, *node, 2, type_of(node->input(0)));
    take();
    is_real_ = true;
  }
  /// One number, or one for each column; not given: another node follows.
  DeviceTensor other_operand(std::string_view op_type) const {
    const Node* node = next(op_type);
    if (node == nullptr || builder_.output_shape(*node) != builder_.output_shape(*result_))
      return {};
    const DeviceTensor other =
        builder_.stored_input(*node, node->input(0) == result_->output(0) ? 1 : 0);
    const std::int64_t rank = other.shape.rank();
    const bool is_row = rank > 0 && other.count() == columns_ && other.shape[rank - 1] == columns_;
    return other.count() == 1 || is_row ? other : DeviceTensor{};
  }

  DevicePlanBuilder& builder_;
  FusedNodes fused_nodes_;
  std::int64_t columns_;
  const Node* result_;
  ByteBounds bounds_;
  ByteResidual residual_ = {};
  std::size_t folded_ = 0;
  bool is_real_ = false;
  float step_ = 0;
  ZeroPointList step_zero_ = {};
  DeviceTensor factors_;
  DeviceTensor addends_;
};

void set_requantization(DevicePlanBuilder& builder, const Node& node,
                        const ByteProductInputs& inputs, std::int64_t columns,
                        SumEpilogue& epilogue) {
  epilogue.result = SumResult::bytes;
  epilogue.scales = upload_floats(
      builder, column_scales(known_floats(builder, node, inputs.a_scale).front(),
                             known_floats(builder, node, inputs.b_scale),
                             known_floats(builder, node, inputs.y_scale).front(), columns));
  const DataType type = type_of(node.output(0));
  epilogue.byte_zero = zero_points(builder, node, inputs.y_zero, type).data;
  epilogue.byte_type = static_cast<std::int32_t>(type);
}

std::size_t emit_byte_product(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes,
                              const ByteProductInputs& inputs) {
  const bool is_integer = inputs.y_scale < 0;
  Matrices a = matrices_of(builder.input(node, inputs.a), false, true);
  const bool has_constant_b = node.input(inputs.b)->is_constant();
  const Shape b_shape = builder.shape(node, inputs.b);
  // A constant matrix is not needed as it is.
  const bool is_packed = has_constant_b && b_shape.rank() <= 2;
  Matrices b = matrices_of(is_packed ? DeviceTensor{type_of(node.input(inputs.b)), b_shape, {}}
                                     : builder.input(node, inputs.b),
                           false, false);
  const ByteEpilogue following(builder, node, fused_nodes, b.columns, is_integer);
  const DeviceTensor output = builder.make_output(following.result());
  const std::size_t folded = following.folded();
  if (output.count() == 0) return folded;
  const std::int64_t matrices = align_batches(builder, a, b);
  const std::int64_t padded_n = padded_columns(b.columns);
  const DataType a_type = a.tensor.type;
  const DataType b_type = b.tensor.type;
  const bool needs_row_sums = !are_zero(builder, node, inputs.b_zero, b_type);

  // One matrix of a for all of b's is repeated by its stride.
  const ByteRows rows = pack_rows(builder, a.tensor, a.count(), a.rows, a.columns, needs_row_sums);
  const ByteRows columns = pack_second(builder, node, inputs.b, b, rows.padded_size);
  const DeviceTensor sums = builder.make(DataType::int32, Shape{matrices, a.rows, padded_n});
  multiply_bytes(builder, {rows.bytes, columns.bytes, sums.memory, matrices, a.rows, padded_n,
                           rows.padded_size, a.count() == 1 ? 0 : a.rows * rows.padded_size,
                           b.count() == 1 ? 0 : padded_n * rows.padded_size});
  RequantizeParams params = {};
  params.sums = static_cast<const std::int32_t*>(sums.pointer());
  params.row_sums =
      needs_row_sums ? static_cast<const std::int32_t*>(rows.sums.as_pointer()) : nullptr;
  params.row_period = a.count() * a.rows;
  params.rows = matrices * a.rows;
  params.columns = b.columns;
  params.padded_columns = padded_n;
  params.matrix_rows = a.rows;
  params.matrix_columns = b.count() == 1 ? 0 : padded_n;
  SumEpilogue& epilogue = params.epilogue;
  epilogue.a_zero = zero_points(builder, node, inputs.a_zero, a_type);
  epilogue.b_zero = zero_points(builder, node, inputs.b_zero, b_type);
  epilogue.depth = a.columns;
  epilogue.column_sums = static_cast<const std::int32_t*>(columns.sums.as_pointer());
  if (!is_integer) set_requantization(builder, node, inputs, b.columns, epilogue);
  following.set(epilogue, output);
  builder.launch_elements(
      KernelId::requantize_sums, params.rows * params.columns, params,
      {&params.sums, &params.row_sums, &epilogue.out, &epilogue.a_zero.data, &epilogue.b_zero.data,
       &epilogue.column_sums, &epilogue.scales, &epilogue.byte_zero, &epilogue.step_zero.data,
       &epilogue.factors, &epilogue.addends, &epilogue.residual.bytes, &epilogue.residual.zero.data,
       &epilogue.residual.sum_zero.data, &epilogue.residual.out_zero});
  return folded;
}

std::size_t emit_matmul_integer(DevicePlanBuilder& builder, const Node& node,
                                FusedNodes fused_nodes) {
  return emit_byte_product(builder, node, fused_nodes, integer_inputs);
}
std::size_t emit_qlinear_matmul(DevicePlanBuilder& builder, const Node& node,
                                FusedNodes fused_nodes) {
  return emit_byte_product(builder, node, fused_nodes, linear_inputs);
}

std::string refuses_product(const Node& node, const ByteProductInputs& inputs) {
  std::string reason = refuses_list(node, inputs.a_zero, false, "zero points");
  if (reason.empty()) reason = refuses_list(node, inputs.b_zero, true, "zero points");
  return reason;
}
std::string refuses_matmul_integer(const Node& node) {
  return refuses_product(node, integer_inputs);
}
std::string refuses_qlinear_matmul(const Node& node) {
  for (const std::int64_t input : {linear_inputs.a, linear_inputs.b, linear_inputs.y_zero}) {
    if (!is_byte(type_of(node.input(input)))) return "only bytes are multiplied so on the device";
  }
  std::string reason = refuses_computed(node, linear_parameters);
  if (reason.empty()) reason = refuses_product(node, linear_inputs);
  for (const std::int64_t input : {linear_inputs.a_scale, linear_inputs.y_scale}) {
    if (reason.empty()) reason = refuses_list(node, input, false, "scales");
  }
  if (reason.empty()) reason = refuses_list(node, linear_inputs.b_scale, true, "scales");
  if (reason.empty()) reason = refuses_list(node, linear_inputs.y_zero, false, "zero points");
  return reason;
}

constexpr OperatorTypes elements = OperatorTypes::elements;
constexpr std::array<OperatorRow, 2> rows = {{
    {"", "MatMulInteger", elements, 0, refuses_matmul_integer, emit_matmul_integer, 0b10},
    {"", "QLinearMatMul", elements, linear_parameters, refuses_qlinear_matmul, emit_qlinear_matmul,
     0b1000},
}};

}  // namespace

std::span<const OperatorRow> byte_product_rows() {
  return rows;
}

}  // namespace ortool::cuda
