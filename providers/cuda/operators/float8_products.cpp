// Float8 products: codes as rows of the depth, scales of one number by the library, those of
// columns by a kernel behind it.
#include "providers/cuda/operators/float8_products.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/log.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cuda/operators/byte_operands.hpp"
#include "providers/cuda/operators/epilogue.hpp"
#include "providers/cuda/operators/matrices.hpp"

namespace ortool::cuda {
namespace {

constexpr int least_capability = 89;
/// The library's sizes are multiples of this, and its operands start at such bytes.
constexpr std::int64_t vector_bytes = 16;
/// Codes are transposed in squares, whose lines stay in the caches.
constexpr std::int64_t square = 64;

const Node* dequantize_of(const Node& product, std::int64_t input) {
  const Value* value = product.input(input);
  const Node* node = value != nullptr ? value->producer() : nullptr;
  return node != nullptr && dequantizes_float8(*node) ? node : nullptr;
}

bool is_zero(const Tensor* known) {
  if (known == nullptr) return false;
  const Tensor content = known->aligned();
  for (std::int64_t i = 0; i < content.element_count(); ++i) {
    if (element_as_double(content, i) != 0) return false;
  }
  return true;
}

std::int64_t size_of(const Value& value, std::int64_t axis) {
  const PartialShape& shape = value.type().shape;
  if (!shape || axis < 0 || axis >= static_cast<std::int64_t>(shape->size())) return -1;
  const Dimension& dimension = (*shape)[static_cast<std::size_t>(axis)];
  return dimension.is_known() ? dimension.number() : -1;
}

/// The axes of an operand that are multiplied, and that remain.
struct ProductAxes {
  std::int64_t depth;
  std::int64_t kept;
};
ProductAxes axes_of(std::int64_t rank, bool is_first, bool is_transposed) {
  return is_first != is_transposed ? ProductAxes{rank - 1, rank - 2}
                                   : ProductAxes{rank - 2, rank - 1};
}

std::string refuses_scale(const Node& dequantize, bool is_first, std::int64_t kept) {
  const Value& scale = *dequantize.input(1);
  if (is_single(scale.type().shape)) return {};
  const Granularity granularity = read_op<DequantizeLinear>(dequantize).granularity;
  const std::int64_t rank = rank_of(dequantize.input(0));
  if (granularity.block_size != 0) return "blocks of an operand have scales of their own";
  if (is_first) return "rows of the first operand have scales of their own";
  if (rank != 2 || normalize_axis(granularity.axis, rank) != kept || rank_of(&scale) != 1)
    return "scales of the second operand vary along other axes than the columns";
  return scale.is_constant() ? "" : "scales of the columns are computed";
}

/// An operand as the library takes it, and its scale.
struct Float8Operand {
  const Node* dequantize = nullptr;
  Matrices matrices;
  const void* scale = nullptr;
};

const void* scale_of(DevicePlanBuilder& builder, const Node& dequantize) {
  if (builder.shape(dequantize, 1).element_count() != 1) return builder.upload_float(1).pointer();
  if (dequantize.input(1)->is_constant())
    return builder.upload_float(known_floats(builder, dequantize, 1).front()).pointer();
  const DeviceTensor given = builder.stored_input(dequantize, 1);
  if (given.type == DataType::float32) return given.pointer();
  const DeviceTensor wide = builder.make(DataType::float32, given.shape);
  Chain(builder, given, given.shape).store(wide);
  return wide.pointer();
}

Shape with_last_axes_swapped(const Shape& shape) {
  std::vector<std::int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  return Shape(sizes);
}

/// The bytes of constant codes with the last two axes in the other order.
std::vector<std::byte> swapped_bytes(const Tensor& codes) {
  const Shape& shape = codes.shape();
  const std::int64_t rows = shape[shape.rank() - 2];
  const std::int64_t columns = shape[shape.rank() - 1];
  std::vector<std::byte> result(static_cast<std::size_t>(codes.size_bytes()));
  const auto swap_square = [&](std::int64_t matrix, std::int64_t first_row,
                               std::int64_t first_column) {
    const auto* from = reinterpret_cast<const std::byte*>(codes.bytes()) + matrix * rows * columns;
    std::byte* to = result.data() + matrix * rows * columns;
    for (std::int64_t row = first_row; row < std::min(rows, first_row + square); ++row) {
      for (std::int64_t column = first_column; column < std::min(columns, first_column + square);
           ++column)
        to[column * rows + row] = from[row * columns + column];
    }
  };
  for (std::int64_t matrix = 0; matrix < shape.product(0, shape.rank() - 2); ++matrix) {
    for (std::int64_t row = 0; row < rows; row += square) {
      for (std::int64_t column = 0; column < columns; column += square)
        swap_square(matrix, row, column);
    }
  }
  return result;
}

DeviceTensor constant_codes(DevicePlanBuilder& builder, const Node& dequantize, bool swaps) {
  const Tensor& codes = *builder.known(dequantize, 0);
  const auto buffer = builder.constants().derived(*dequantize.input(0), {swaps ? 1 : 0}, [&] {
    if (swaps) return swapped_bytes(codes.aligned());
    const auto* begin = reinterpret_cast<const std::byte*>(codes.bytes());
    return std::vector<std::byte>(begin, begin + codes.size_bytes());
  });
  return {codes.type(), swaps ? with_last_axes_swapped(codes.shape()) : codes.shape(),
          builder.command_list().add_fixed(buffer->data(), buffer->bytes())};
}

/// Codes with the depth as their last axis.
DeviceTensor codes_of(DevicePlanBuilder& builder, const Node& dequantize, bool swaps) {
  const Value& value = *dequantize.input(0);
  if (value.is_constant() && builder.known(dequantize, 0) != nullptr)
    return constant_codes(builder, dequantize, swaps);
  const DeviceTensor from = builder.input(dequantize, 0);
  if (!swaps && from.memory.offset() % vector_bytes == 0) return from;
  constexpr std::int64_t swapped_kind = -8;
  constexpr std::int64_t aligned_kind = -9;
  DeviceTensor& copy = builder.derived(from, swaps ? swapped_kind : aligned_kind);
  if (copy.is_given()) return copy;
  const Shape shape = swaps ? with_last_axes_swapped(from.shape) : from.shape;
  copy = builder.make(from.type, shape);
  std::vector<std::int64_t> strides = strides_of(from.shape);
  if (swaps) std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
  emit_copy(builder, from, 0, shape, strides, copy, 0, strides_of(shape));
  return copy;
}

Float8Operand operand_of(DevicePlanBuilder& builder, const Node& node, std::int64_t input,
                         bool is_transposed) {
  Float8Operand operand;
  operand.dequantize = dequantize_of(node, input);
  const bool is_first = input == 0;
  const bool is_vector = builder.shape(node, input).rank() == 1;
  const bool swaps = is_transposed == is_first && !is_vector;
  operand.matrices =
      matrices_of(codes_of(builder, *operand.dequantize, swaps), !is_first, is_first);
  operand.scale = scale_of(builder, *operand.dequantize);
  return operand;
}

/// What only a plan knows: sizes, and operands that are dequantized on the device.
bool is_for_library(DevicePlanBuilder& builder, const Node& node, const Gemm& op) {
  for (const std::int64_t input : {0, 1}) {
    const Node* dequantize = dequantize_of(node, input);
    if (dequantize == nullptr || !builder.was_deferred(*node.input(input))) return false;
    if (builder.has_input(*dequantize, 2) && !is_zero(builder.known(*dequantize, 2))) return false;
  }
  const Shape& a = builder.shape(node, 0);
  const Shape& b = builder.shape(node, 1);
  if (a.rank() < 1 || b.rank() < 2 || a.element_count() == 0 || b.element_count() == 0)
    return false;
  const ProductAxes axes = axes_of(b.rank(), false, op.transpose_b);
  return b[axes.depth] % vector_bytes == 0 && b[axes.kept] % vector_bytes == 0;
}

/// Whether Gemm's addend is a row that results of 16 bits take as a bias.
bool is_row(const DeviceTensor& addend, std::int64_t columns) {
  return addend.count() == columns && addend.shape.rank() > 0 &&
         addend.shape[addend.shape.rank() - 1] == columns;
}

class Float8Product {
 public:
  Float8Product(DevicePlanBuilder& builder, const Node& node, const Gemm& op,
                const DeviceTensor& addend)
      : builder_(builder), node_(node), addend_(addend) {
    a_ = operand_of(builder, node, 0, op.transpose_a);
    b_ = operand_of(builder, node, 1, op.transpose_b);
    const std::int64_t batch = align_batches(builder, a_.matrices, b_.matrices);
    desc_.type = a_.matrices.tensor.element();
    desc_.b_type = b_.matrices.tensor.element();
    desc_.m = a_.matrices.rows;
    desc_.n = b_.matrices.columns;
    desc_.k = a_.matrices.columns;
    desc_.batch = batch;
    desc_.transpose_b = true;
    desc_.a_stride = a_.matrices.count() == 1 ? 0 : desc_.m * desc_.k;
    desc_.b_stride = b_.matrices.count() == 1 ? 0 : desc_.n * desc_.k;
    desc_.addend_stride = desc_.m * desc_.n;
    desc_.alpha = op.alpha;
  }

  /// Everything by the library's call; not given: it has none.
  std::optional<std::size_t> emit_whole(FusedNodes fused_nodes) {
    if (has_column_scales()) return std::nullopt;
    const DataType type = builder_.constants().stored_type(builder_.output_type(node_));
    const bool takes_bias = type != DataType::float32;
    Epilogue epilogue(builder_, node_, fused_nodes);
    if (addend_.is_given()) {
      if (addend_.type != type) return std::nullopt;
      if (is_row(addend_, desc_.n)) {
        if (!takes_bias) return std::nullopt;
        epilogue.set_bias(addend_);
      } else if (addend_.shape == builder_.output_shape(node_)) {
        epilogue.set_addend(addend_);
      } else {
        return std::nullopt;
      }
    }
    epilogue.match(desc_.n, 1, takes_bias && desc_.batch == 1);
    ProductDesc desc = desc_;
    desc.out_type = static_cast<std::int32_t>(type);
    desc.has_bias = epilogue.bias().is_given();
    desc.has_addend = epilogue.addend().is_given();
    desc.has_relu = epilogue.has_relu();
    PrimitivePtr product = make(desc);
    if (product == nullptr) return std::nullopt;
    multiply(std::move(product), epilogue.bias().pointer(), epilogue.addend().pointer(),
             epilogue.make_output());
    return epilogue.folded();
  }

  /// The library's sums, and a kernel that scales columns and adds, with the elementwise nodes that
  /// follow; returns their number. Not given: the library has none.
  std::optional<std::size_t> emit_sums(FusedNodes fused_nodes) {
    ProductDesc desc = desc_;
    desc.out_type = static_cast<std::int32_t>(DataType::float32);
    PrimitivePtr product = make(desc);
    if (product == nullptr) return std::nullopt;
    const Shape& shape = builder_.output_shape(node_);
    const DeviceTensor sums = builder_.make(DataType::float32, shape);
    multiply(std::move(product), nullptr, nullptr, sums);
    Chain chain(builder_, sums, shape);
    if (has_column_scales()) {
      const std::vector<float> scales = known_floats(builder_, *b_.dequantize, 1);
      const auto bytes = static_cast<std::int64_t>(scales.size() * sizeof(float));
      chain.apply(ElementOp::mul, DeviceTensor{DataType::float32, Shape{desc_.n},
                                               builder_.upload_constant(scales.data(), bytes)});
    }
    if (addend_.is_given()) chain.apply(ElementOp::add, addend_);
    const std::size_t folded = append(chain, fused_nodes);
    chain.store(builder_.make_output(folded == 0 ? node_ : *fused_nodes[folded - 1]));
    return folded;
  }

 private:
  bool has_column_scales() const { return builder_.shape(*b_.dequantize, 1).element_count() != 1; }
  /// Continues the chain by the nodes that it has room for; returns their number.
  std::size_t append(Chain& chain, FusedNodes fused_nodes) {
    const Value* value = node_.output(0);
    std::size_t count = 0;
    for (const Node* next : fused_nodes) {
      const ElementRow* row = find_element_row(*next);
      const auto steps = static_cast<std::int32_t>(next->input_count()) + 2;
      if (row == nullptr || builder_.output_shape(*next) != chain.result() ||
          !chain.has_room(steps, steps))
        break;
      row->append(chain, builder_, *next, next->input(0) == value ? 0 : 1);
      value = next->output(0);
      ++count;
    }
    return count;
  }
  PrimitivePtr make(const ProductDesc& desc) {
    try {
      return builder_.device().make_product(desc);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      log_debug(format("cuda: {} '{}': {}", node_.op_type(), node_.name(), error.message()));
      return nullptr;
    }
  }
  void multiply(PrimitivePtr product, const void* bias, const void* addend,
                const DeviceTensor& out) {
    builder_.command_list().multiply(
        std::move(product), {a_.matrices.tensor.pointer(), b_.matrices.tensor.pointer(), bias,
                             addend, out.pointer(), nullptr, a_.scale, b_.scale});
  }

  DevicePlanBuilder& builder_;
  const Node& node_;
  DeviceTensor addend_;
  Float8Operand a_;
  Float8Operand b_;
  ProductDesc desc_;
};

}  // namespace

bool is_float8(DataType type) {
  return type == DataType::float8e4m3fn || type == DataType::float8e5m2;
}

bool dequantizes_float8(const Node& node) {
  return node.domain().empty() && node.op_type() == "DequantizeLinear" &&
         is_float8(type_of(node.input(0)));
}

bool is_read_by_products(const Node& node) {
  if (!dequantizes_float8(node)) return false;
  const auto& uses = node.output(0)->uses();
  return std::all_of(uses.begin(), uses.end(), [](const Use& use) {
    return use.kind == Use::Kind::input && use.node->domain().empty() &&
           (use.node->op_type() == "MatMul" || use.node->op_type() == "Gemm");
  });
}

namespace {

/// But for zero points, whose content the graph may have no more.
std::string refuses_operands(const Node& product, int compute_capability) {
  if (compute_capability < least_capability)
    return format("the GPU has compute capability {}.{} (wanted: 8.9 or later)",
                  compute_capability / 10, compute_capability % 10);
  const Node* operands[2] = {dequantize_of(product, 0), dequantize_of(product, 1)};
  if (operands[0] == nullptr || operands[1] == nullptr) return "an operand is not dequantized";
  const Gemm op = product.op_type() == "Gemm" ? read_op<Gemm>(product) : Gemm{};
  if (type_of(operands[0]->input(0)) == DataType::float8e5m2 &&
      type_of(operands[1]->input(0)) == DataType::float8e5m2)
    return "both operands are float8e5m2, which the library does not multiply";
  for (const bool is_first : {true, false}) {
    const Node& dequantize = *operands[is_first ? 0 : 1];
    const Value& value = *product.input(is_first ? 0 : 1);
    if (!is_real(type_of(&value)) || type_of(&value) == DataType::float64)
      return format("the operands are dequantized to {}", name_of(type_of(&value)));
    const std::int64_t rank = rank_of(&value);
    if (rank < 0) return "the rank of an operand is unknown";
    if (rank < (is_first ? 1 : 2)) return "the second operand is a vector";
    const ProductAxes axes = axes_of(rank, is_first, is_first ? op.transpose_a : op.transpose_b);
    std::string reason = refuses_scale(dequantize, is_first, axes.kept);
    if (!reason.empty()) return reason;
    const std::int64_t depth = size_of(value, axes.depth);
    const std::int64_t columns = is_first ? 0 : size_of(value, axes.kept);
    if (depth > 0 && depth % vector_bytes != 0)
      return format("its depth of {} is not a multiple of {}", depth, vector_bytes);
    if (columns > 0 && columns % vector_bytes != 0)
      return format("its {} columns are not a multiple of {}", columns, vector_bytes);
  }
  return {};
}

}  // namespace

std::string refuses_float8(const Node& product, int compute_capability) {
  std::string reason = refuses_operands(product, compute_capability);
  for (std::int64_t input = 0; input < 2 && reason.empty(); ++input) {
    const Value* zero = dequantize_of(product, input)->input(2);
    if (zero == nullptr) continue;
    const bool is_known = zero->is_constant() && zero->has_content();
    if (!is_zero(is_known ? &zero->constant() : nullptr))
      reason = "zero points are not known to be 0";
  }
  return reason;
}

std::optional<std::size_t> emit_float8(DevicePlanBuilder& builder, const Node& node, const Gemm& op,
                                       const DeviceTensor& addend, FusedNodes fused_nodes) {
  if (!is_for_library(builder, node, op) ||
      !refuses_operands(node, builder.device().compute_capability()).empty())
    return std::nullopt;
  Float8Product product(builder, node, op, addend);
  if (const std::optional<std::size_t> folded = product.emit_whole(fused_nodes)) return folded;
  return product.emit_sums(fused_nodes);
}

}  // namespace ortool::cuda
