// Batching copies rows; samples that do not match are not batched.
#include "libcore/dataset/batch.hpp"

#include <algorithm>
#include <cstring>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_batch_samples = 32;

const Dimension* first_dimension(const Value& value) {
  const PartialShape& shape = value.type().shape;
  if (!value.type().is_tensor() || !shape || shape->empty()) return nullptr;
  return &shape->front();
}

bool can_join(const RunValue& value) {
  if (!value.is_tensor()) return false;
  const Tensor& tensor = value.tensor();
  return tensor.type() != DataType::string && !is_packed(tensor.type()) &&
         tensor.shape().rank() > 0 && tensor.shape()[0] == 1;
}

Shape with_first(const Shape& shape, std::int64_t first) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  sizes.front() = first;
  return Shape(std::move(sizes));
}

}  // namespace

std::int64_t most_batched(const Session& session) {
  std::string symbol;
  const auto shares_symbol = [&](const Value* value) {
    const Dimension* first = first_dimension(*value);
    if (first == nullptr || !first->is_symbol()) return false;
    if (symbol.empty()) symbol = first->symbol();
    return first->symbol() == symbol;
  };
  const std::span<Value* const> inputs = session.inputs();
  const std::span<Value* const> outputs = session.outputs();
  const bool is_batched = !inputs.empty() &&
                          std::all_of(inputs.begin(), inputs.end(), shares_symbol) &&
                          std::all_of(outputs.begin(), outputs.end(), shares_symbol);
  return is_batched ? max_batch_samples : 1;
}

bool fits_batch(const Sample& first, const Sample& sample) {
  if (first.inputs.size() != sample.inputs.size()) return false;
  for (std::size_t i = 0; i < first.inputs.size(); ++i) {
    const auto& [name, value] = first.inputs[i];
    const auto& [other_name, other] = sample.inputs[i];
    if (name != other_name || !can_join(value) || !can_join(other)) return false;
    const bool is_same = value.tensor().type() == other.tensor().type() &&
                         value.tensor().shape() == other.tensor().shape();
    if (!is_same) return false;
  }
  return true;
}

NamedValues join_inputs(std::span<const Sample> samples) {
  if (samples.size() == 1) return samples.front().inputs;
  NamedValues result;
  for (std::size_t i = 0; i < samples.front().inputs.size(); ++i) {
    const auto& [name, value] = samples.front().inputs[i];
    const Tensor& first = value.tensor();
    const auto row_bytes = static_cast<std::size_t>(first.size_bytes());
    Tensor joined(first.type(),
                  with_first(first.shape(), static_cast<std::int64_t>(samples.size())));
    std::byte* out = joined.mutable_bytes();
    for (const Sample& sample : samples) {
      if (row_bytes > 0) std::memcpy(out, sample.inputs[i].second.tensor().bytes(), row_bytes);
      out += row_bytes;
    }
    result.emplace_back(name, std::move(joined));
  }
  return result;
}

bool has_rows(const RunValue& value, std::int64_t count) {
  if (count == 1) return true;
  if (!value.is_tensor()) return false;
  const Tensor& tensor = value.tensor();
  return !is_packed(tensor.type()) && tensor.shape().rank() > 0 && tensor.shape()[0] == count;
}

RunValue row_of(const RunValue& value, std::int64_t index, std::int64_t count) {
  if (count == 1) return value;
  const Tensor& tensor = value.tensor();
  const std::int64_t width = tensor.element_count() / count;
  Shape shape = with_first(tensor.shape(), 1);
  if (tensor.type() == DataType::string) {
    const auto texts = tensor.strings().subspan(static_cast<std::size_t>(index * width),
                                                static_cast<std::size_t>(width));
    return Tensor::of_strings(std::move(shape), {texts.begin(), texts.end()});
  }
  Tensor row(tensor.type(), std::move(shape));
  const std::int64_t row_bytes = row.size_bytes();
  if (row_bytes > 0) {
    std::memcpy(row.mutable_bytes(), tensor.bytes() + index * row_bytes,
                static_cast<std::size_t>(row_bytes));
  }
  return row;
}

}  // namespace ortool
