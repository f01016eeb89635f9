// Output binding: validates destinations, and copies outputs kernels could not write directly.
#include "libcore/runtime/bound_outputs.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.empty() || b.empty()) return false;
  const std::less<const std::byte*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

std::span<const std::byte> bytes_of_tensor(const Tensor& tensor) {
  if (tensor.is_empty() || tensor.type() == DataType::string) return {};
  return {tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())};
}

/// Whether any tensor in `value` overlaps `memory`.
bool shares_bytes(const RunValue& value, std::span<const std::byte> memory) {
  switch (value.kind()) {
    case RunValue::Kind::none:
      return false;
    case RunValue::Kind::tensor:
      return overlap(bytes_of_tensor(value.tensor()), memory);
    case RunValue::Kind::map:
      return overlap(bytes_of_tensor(value.keys()), memory) ||
             overlap(bytes_of_tensor(value.map_values()), memory);
    case RunValue::Kind::sequence:
      break;
  }
  return std::any_of(value.elements().begin(), value.elements().end(),
                     [&](const RunValue& element) { return shares_bytes(element, memory); });
}

}  // namespace

BoundOutputs::BoundOutputs(std::span<const BoundOutput> bound, std::span<Value* const> outputs,
                           std::span<const RunValue> inputs)
    : bytes_(outputs.size()) {
  for (const Value* output : outputs) names_.emplace_back(output->name());
  for (const BoundOutput& each : bound) {
    const auto found = std::find(names_.begin(), names_.end(), each.name);
    if (found == names_.end()) {
      throw Error(ErrorCode::invalid, format("the model has no output '{}' to bind", each.name),
                  "Session::outputs() lists the outputs")
          .with_id("output.unknown");
    }
    const auto index = static_cast<std::size_t>(found - names_.begin());
    if (is_bound(index))
      throw Error(ErrorCode::invalid, format("output '{}' is bound twice", each.name));
    const auto is_used = [&](std::span<const std::byte> other) {
      return overlap(each.bytes, other);
    };
    const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const RunValue& input) {
      return shares_bytes(input, each.bytes);
    });
    if (is_input || std::any_of(bytes_.begin(), bytes_.end(), is_used)) {
      throw Error(ErrorCode::invalid,
                  format("output '{}' is bound to memory that {} uses", each.name,
                         is_input ? "an input" : "another output"),
                  "bind each output to memory of its own");
    }
    bytes_[index] = each.bytes;
  }
}

void BoundOutputs::check_size(std::size_t output, std::int64_t size_bytes) const {
  if (size_bytes <= static_cast<std::int64_t>(bytes_[output].size())) return;
  throw Error(ErrorCode::invalid,
              format("output '{}' is bound to {} bytes of memory (expected at least {})",
                     names_[output], bytes_[output].size(), size_bytes),
              "bind a larger block of memory")
      .with_id("output.mismatch");
}

Tensor BoundOutputs::writable(std::size_t output, DataType type, const Shape& shape) const {
  if (!is_bound(output)) return {};
  const std::int64_t size = bytes_of(type, shape.element_count());
  check_size(output, size);
  std::byte* data = bytes_[output].data();
  if (reinterpret_cast<std::uintptr_t>(data) % AlignedBuffer::alignment_bytes != 0) return {};
  return Tensor::view(type, shape, bytes_[output].first(static_cast<std::size_t>(size)), nullptr);
}

RunValue BoundOutputs::store(std::size_t output, const RunValue& value) const {
  if (!value.is_tensor() || value.tensor().type() == DataType::string) {
    throw Error(ErrorCode::invalid,
                format("output '{}' is {}, which cannot be written to bound memory", names_[output],
                       value.describe()),
                "bind outputs that are tensors of numbers")
        .with_id("output.mismatch");
  }
  const Tensor& tensor = value.tensor();
  check_size(output, tensor.size_bytes());
  const auto size = static_cast<std::size_t>(tensor.size_bytes());
  if (size > 0 && tensor.bytes() != bytes_[output].data())
    std::memcpy(bytes_[output].data(), tensor.bytes(), size);
  return Tensor::view(tensor.type(), tensor.shape(), bytes_[output].first(size), nullptr);
}

}  // namespace ortool
