// Gathers cache rows and builds the token inputs of decoder bodies.
#include "libcore/runtime/search/body_inputs.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

Tensor gather_rows(const Tensor& tensor, std::int64_t axis, std::span<const std::int32_t> rows,
                   MemoryCap* cap) {
  const Shape& shape = tensor.shape();
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  sizes[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(rows.size());
  Tensor result(tensor.type(), Shape(std::move(sizes)), cap);
  const std::int64_t row_bytes = bytes_of(tensor.type(), shape.product(axis + 1, shape.rank()));
  const std::byte* from = tensor.bytes();
  std::byte* to = result.mutable_bytes();
  for (std::int64_t outer = 0; outer < shape.product(0, axis); ++outer) {
    for (const std::int32_t row : rows) {
      std::copy_n(from + row * row_bytes, row_bytes, to);
      to += row_bytes;
    }
    from += shape[axis] * row_bytes;
  }
  return result;
}

RunValue reorder_rows(const RunValue& value, std::int64_t axis, std::span<const std::int32_t> rows,
                      MemoryCap* cap) {
  const auto count = static_cast<std::int64_t>(rows.size());
  bool stays = value.tensor().shape()[axis] == count;
  for (std::int64_t i = 0; stays && i < count; ++i) stays = rows[static_cast<std::size_t>(i)] == i;
  return stays ? value : RunValue(gather_rows(value.tensor(), axis, rows, cap));
}

std::vector<std::int32_t> rows_of_beams(std::int64_t batch, std::int64_t beams) {
  std::vector<std::int32_t> rows;
  rows.reserve(static_cast<std::size_t>(multiply_sizes(batch, beams)));
  for (std::int64_t i = 0; i < batch; ++i)
    rows.insert(rows.end(), static_cast<std::size_t>(beams), static_cast<std::int32_t>(i));
  return rows;
}

Tensor last_tokens(const TokenSequences& sequences, std::int64_t count, const Value& input,
                   MemoryCap* cap) {
  Tensor tokens(DataType::int32, Shape{sequences.rows(), count}, cap);
  std::int32_t* to = tokens.mutable_data<std::int32_t>().data();
  for (std::int64_t row = 0; row < sequences.rows(); ++row) {
    const std::span<const std::int32_t> all = sequences.row(row);
    to = std::copy(all.end() - count, all.end(), to);
  }
  return as_declared(tokens, input, cap);
}

Tensor as_declared(const Tensor& tensor, const Value& input, MemoryCap* cap) {
  const DataType wanted = input.type().element;
  if (wanted == DataType::undefined || wanted == tensor.type()) return tensor;
  return convert(tensor, wanted, {}, cap);
}

void check_body_inputs(const Graph& body, std::span<const RunValue> values, std::string_view name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& input = *body.inputs()[i];
    const ValueType& type = input.type();
    const Tensor& tensor = values[i].tensor();
    bool fits =
        type.element == tensor.type() &&
        (!type.shape || type.shape->size() == static_cast<std::size_t>(tensor.shape().rank()));
    for (std::int64_t axis = 0; fits && type.shape && axis < tensor.shape().rank(); ++axis) {
      const Dimension& size = (*type.shape)[static_cast<std::size_t>(axis)];
      fits = !size.is_known() || size.number() == tensor.shape()[axis];
    }
    if (fits) continue;
    throw Error(ErrorCode::invalid,
                format("input '{}' of the body '{}' would be {} (it is declared as {})",
                       input.name(), name, values[i].describe(), type.to_string()));
  }
}

std::int64_t declared_size(const Value& input, std::size_t axis, std::int64_t otherwise) {
  const PartialShape& shape = input.type().shape;
  return shape && axis < shape->size() && (*shape)[axis].is_known() ? (*shape)[axis].number()
                                                                    : otherwise;
}

}  // namespace ortool
