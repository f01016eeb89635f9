// Codes of quantized weights: bit order, types, and arithmetic in int32 that any opset has.
#include "libcore/optimize/target/weight_codes.hpp"

#include <cstring>
#include <utility>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"

namespace ortool {
namespace {

constexpr std::int64_t opset_of_blocks = 21;
constexpr std::int64_t opset_of_two_bits = 25;

DataType type_of_codes(std::int64_t bits, bool is_signed) {
  if (bits == 2) return is_signed ? DataType::int2 : DataType::uint2;
  if (bits == 4) return is_signed ? DataType::int4 : DataType::uint4;
  return is_signed ? DataType::int8 : DataType::uint8;
}

}  // namespace

std::int64_t PackedCodes::at(std::int64_t index) const {
  const std::int64_t bit = index * bits;
  const auto byte = std::to_integer<std::int64_t>(bytes[bit / 8]);
  return (byte >> (bit % 8)) & ((std::int64_t{1} << bits) - 1);
}

CodeType::CodeType(const Decomposition& out, std::int64_t bits, bool is_signed)
    : bits_(bits),
      stored_bits_(bits == 2 && out.opset() < opset_of_two_bits ? 4 : bits),
      is_signed_(is_signed),
      type_(type_of_codes(stored_bits_, is_signed)) {}

Tensor CodeType::make(Shape shape) const {
  Tensor made(type_, std::move(shape));
  if (made.size_bytes() > 0)
    std::memset(made.mutable_bytes(), 0, static_cast<std::size_t>(made.size_bytes()));
  return made;
}

void CodeType::set(Tensor& tensor, std::int64_t index, std::int64_t code) const {
  const std::int64_t bit = index * stored_bits_;
  const std::int64_t kept = (std::int64_t{1} << stored_bits_) - 1;
  const std::int64_t value = (is_signed_ ? code - middle() : code) & kept;
  std::byte& byte = tensor.mutable_bytes()[bit / 8];
  byte |= static_cast<std::byte>(value << (bit % 8));
}

Value& unpacked_codes(Decomposition& out, Value& bytes, std::int64_t rank, std::int64_t bits,
                      bool starts_high) {
  Value& wide = cast_to(out, bytes, DataType::int32);
  if (bits == 8) return wide;
  const std::int64_t count = 8 / bits;
  Value& base = scalar(out, DataType::int32, static_cast<double>(std::int64_t{1} << bits));
  std::vector<Value*> parts;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t place = (starts_high ? count - 1 - i : i) * bits;
    Value* part = &wide;
    if (place > 0) {
      Value& divisor = scalar(out, DataType::int32, static_cast<double>(std::int64_t{1} << place));
      part = &out.add("Div", {part, &divisor});
    }
    if (place + bits < 8) part = &add_since(out, opset_of("Mod"), "Mod", {part, &base});
    parts.push_back(&unsqueeze(out, *part, rank));
  }
  Value& all = concatenate(out, std::move(parts), rank);
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 0);
  shape.back() = -1;
  return reshape(out, all, shape);
}

Value& dequantized_blocks(Decomposition& out, Value& x, Value& scales, Value* zeros,
                          std::int64_t axis, std::int64_t block_size) {
  return add_since(out, opset_of_blocks, "DequantizeLinear", {&x, &scales, zeros},
                   plain_attributes({{"axis", axis}, {"block_size", block_size}}));
}

Tensor transposed_matrix(const Tensor& matrix, std::int64_t rows, std::int64_t columns) {
  Tensor made(matrix.type(), Shape({columns, rows}));
  const std::int64_t count = rows * columns;
  if (count == 0) return made;
  const auto size = static_cast<std::size_t>(matrix.size_bytes() / count);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      std::memcpy(made.mutable_bytes() + (column * rows + row) * static_cast<std::int64_t>(size),
                  matrix.bytes() + (row * columns + column) * static_cast<std::int64_t>(size),
                  size);
    }
  }
  return made;
}

}  // namespace ortool
