// Products with block-quantized weights as DequantizeLinear and MatMul: MatMulNBits, MatMulBnb4.
// https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/weights/bnb4_values.hpp"
#include "libcore/ops/contrib/weights/matmul_bnb4.hpp"
#include "libcore/ops/contrib/weights/matmul_n_bits.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/target/target_tables.hpp"
#include "libcore/optimize/target/weight_codes.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Integers = std::vector<std::int64_t>;

bool is_constant_input(const Decomposition& out, std::int64_t input) {
  return out.input(input) != nullptr && out.input(input)->is_constant();
}

Results with_bias(Decomposition& out, Value& product, std::int64_t bias) {
  if (out.input(bias) == nullptr) return {&product};
  return {&out.add("Add", {&product, out.input(bias)})};
}

/// The rows of the matrix in the order of their groups, if groups are then blocks; an empty order
/// where they are in order. Nothing if the groups are not those of blocks.
std::optional<Integers> order_of_groups(const Decomposition& out, const MatMulNBits& op) {
  constexpr std::int64_t groups = 4;
  if (out.input(groups) == nullptr) return Integers();
  if (!is_constant_input(out, groups)) return std::nullopt;
  const auto given = out.input(groups)->constant().data<std::int32_t>();
  Integers order(static_cast<std::size_t>(op.k));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (given.size() < order.size()) return std::nullopt;
  const auto group = [&](std::int64_t row) { return given[static_cast<std::size_t>(row)]; };
  const bool is_sorted = std::is_sorted(order.begin(), order.end(),
                                        [&](auto a, auto b) { return group(a) < group(b); });
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return group(a) < group(b); });
  for (std::int64_t i = 0; i < op.k; ++i) {
    if (group(order[static_cast<std::size_t>(i)]) != i / op.block_size) return std::nullopt;
  }
  return is_sorted ? Integers() : order;
}

/// MatMulNBits with constant weights: k x n codes in blocks along k.
class NBitsMatrix {
 public:
  NBitsMatrix(Decomposition& out, const MatMulNBits& op, Integers order)
      : out_(out),
        op_(op),
        order_(std::move(order)),
        has_zeros_(out.input(3) != nullptr),
        codes_(out, op.bits, !has_zeros_) {}

  Value& rows() const {
    if (order_.empty()) return *out_.input(0);
    return out_.add("Gather", {out_.input(0), &out_.integers(order_)},
                    plain_attributes({{"axis", std::int64_t{-1}}}));
  }

  Value& weights() const {
    Value& scales =
        out_.constant(transposed_matrix(out_.input(2)->constant(), op_.n, op_.blocks()));
    return dequantized_blocks(out_, out_.constant(codes()), scales,
                              has_zeros_ ? &out_.constant(zeros()) : nullptr, 0, op_.block_size);
  }

 private:
  Tensor codes() const {
    const Tensor& given = out_.input(1)->constant();
    const PackedCodes range = {given.bytes(), op_.bits};
    Tensor made = codes_.make(Shape({op_.k, op_.n}));
    const std::int64_t width = op_.blocks() * op_.block_size;
    // Tiles, since either matrix would be read or written across its rows.
    constexpr std::int64_t tile = 64;
    for (std::int64_t first = 0; first < op_.n; first += tile) {
      const std::int64_t end = std::min(first + tile, op_.n);
      for (std::int64_t k = 0; k < op_.k; ++k) {
        const std::int64_t from = order_.empty() ? k : order_[static_cast<std::size_t>(k)];
        for (std::int64_t n = first; n < end; ++n)
          codes_.set(made, k * op_.n + n, range.at(n * width + from));
      }
    }
    return made;
  }

  Tensor zeros() const {
    const Tensor& given = out_.input(3)->constant();
    const PackedCodes range = {given.bytes(), op_.bits};
    Tensor made = codes_.make(Shape({op_.blocks(), op_.n}));
    const std::int64_t per_byte = 8 / op_.bits;
    const std::int64_t width = (op_.blocks() + per_byte - 1) / per_byte * per_byte;
    for (std::int64_t block = 0; block < op_.blocks(); ++block) {
      for (std::int64_t n = 0; n < op_.n; ++n)
        codes_.set(made, block * op_.n + n, range.at(n * width + block));
    }
    return made;
  }

  Decomposition& out_;
  const MatMulNBits& op_;
  Integers order_;
  bool has_zeros_;
  CodeType codes_;
};

/// The zero points of blocks, n x blocks, in the type of the scales; the middle code without any.
Value& zeros_of_blocks(Decomposition& out, const MatMulNBits& op, DataType type) {
  if (out.input(3) == nullptr) {
    const std::int64_t middle = std::int64_t{1} << (op.bits - 1);
    return scalar(out, type, static_cast<double>(middle));
  }
  const Integers shape = {op.n, op.blocks()};
  if (out.element(3) != DataType::uint8) return reshape(out, *out.input(3), shape);
  const Integers rows = {op.n, -1};
  Value& codes = unpacked_codes(out, reshape(out, *out.input(3), rows), 2, op.bits);
  return cast_to(out, slice_axis(out, codes, 1, 0, op.blocks()), type);
}

/// The matrix in arithmetic, k x n.
Value& computed_weights(Decomposition& out, const MatMulNBits& op) {
  const DataType type = out.element(0);
  const Integers bytes = {op.n, -1};
  const Integers blocks = {op.n, op.blocks()};
  Value& given = unpacked_codes(out, reshape(out, *out.input(1), bytes), 2, op.bits);
  Value& codes = cast_to(out, slice_axis(out, given, 1, 0, op.k), type);
  Value* places = out.input(4);
  if (places == nullptr) {
    Integers own(static_cast<std::size_t>(op.k));
    for (std::size_t i = 0; i < own.size(); ++i)
      own[i] = static_cast<std::int64_t>(i) / op.block_size;
    places = &out.integers(own);
  } else {
    places = &slice_axis(out, *places, 0, 0, op.k);
  }
  Value* zeros = &zeros_of_blocks(out, op, type);
  if (out.input(3) != nullptr) zeros = &gather(out, *zeros, *places, 1);
  Value& scales = gather(out, reshape(out, *out.input(2), blocks), *places, 1);
  Value& weights = out.add("Mul", {&out.add("Sub", {&codes, zeros}), &scales});
  return transpose(out, weights, {1, 0});
}

Results matmul_n_bits(Decomposition& out) {
  const auto op = read_op<MatMulNBits>(out.node());
  if (out.element(0) == DataType::undefined) return {};
  const bool has_codes =
      out.input(3) == nullptr || (is_constant_input(out, 3) && out.element(3) == DataType::uint8);
  const bool is_constant = is_constant_input(out, 1) && is_constant_input(out, 2) && has_codes;
  std::optional<Integers> order = is_constant ? order_of_groups(out, op) : std::nullopt;
  if (!order) {
    Value& weights = computed_weights(out, op);
    return with_bias(out, out.add("MatMul", {out.input(0), &weights}), 5);
  }
  const NBitsMatrix matrix(out, op, std::move(*order));
  Value& rows = matrix.rows();
  return with_bias(out, out.add("MatMul", {&rows, &matrix.weights()}), 5);
}

/// The codes of MatMulBnb4 with those of its last block filled up, as bytes.
Value* whole_blocks(Decomposition& out, std::int64_t elements, std::int64_t block_size) {
  const std::int64_t rest = elements % block_size;
  if (rest == 0) return &reshape(out, *out.input(1), Integers{-1});
  if (!is_constant_input(out, 1)) return nullptr;
  const Tensor& given = out.input(1)->constant();
  const std::int64_t bytes = (elements - rest + block_size) / 2;
  Tensor made(DataType::uint8, Shape({bytes}));
  const auto all = made.mutable_data<std::uint8_t>();
  std::fill(all.begin(), all.end(), std::uint8_t{0});
  std::copy_n(given.data<std::uint8_t>().begin(), given.element_count(), all.begin());
  return &out.constant(std::move(made));
}

/// A table of the 16 values, read by the codes, which stay packed in the file.
Results matmul_bnb4(Decomposition& out) {
  const auto op = read_op<MatMulBnb4>(out.node());
  const DataType type = out.element(0);
  if (type == DataType::undefined) return {};
  const std::int64_t elements = op.n * op.k;
  Value* bytes = whole_blocks(out, elements, op.block_size);
  if (bytes == nullptr) return {};
  Tensor table(type, Shape({bnb4_codes}));
  for (std::int64_t i = 0; i < bnb4_codes; ++i)
    set_element(table, i, static_cast<double>(bnb4_values(op.is_nf4)[i]));
  Value& codes = unpacked_codes(out, *bytes, 1, 4, true);
  Value& values = gather(out, out.constant(std::move(table)), codes, 0);
  const Integers blocks = {-1, op.block_size};
  const Integers column = {-1, 1};
  Value* weights =
      &out.add("Mul", {&reshape(out, values, blocks), &reshape(out, *out.input(2), column)});
  if (elements % op.block_size != 0)
    weights = &slice_axis(out, reshape(out, *weights, Integers{-1}), 0, 0, elements);
  const Integers shape = {op.n, op.k};
  weights = &reshape(out, *weights, shape);
  if (op.transposes) weights = &transpose(out, *weights, {1, 0});
  return {&out.add("MatMul", {out.input(0), weights})};
}

}  // namespace

std::span<const DecompositionRow> plain_weight_products() {
  static constexpr DecompositionRow rows[] = {
      {"MatMulBnb4", matmul_bnb4},
      {"MatMulNBits", matmul_n_bits},
  };
  return rows;
}

}  // namespace ortool
