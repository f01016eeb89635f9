// RunValue's copying, which shares immutable content.
#include "libcore/tensor/run_value.hpp"

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

[[noreturn]] void fail(const RunValue& value, const char* expected) {
  throw Error(ErrorCode::invalid,
              format("a value is {} (expected {})", value.describe(), expected));
}

}  // namespace

RunValue::RunValue(Tensor tensor)
    : kind_(tensor.is_empty() ? Kind::none : Kind::tensor), tensor_(std::move(tensor)) {}

RunValue RunValue::sequence(std::vector<RunValue> elements) {
  RunValue result;
  result.kind_ = Kind::sequence;
  result.elements_ = std::make_shared<const std::vector<RunValue>>(std::move(elements));
  return result;
}

RunValue RunValue::map(Tensor keys, Tensor values) {
  ORTOOL_CHECK(keys.element_count() == values.element_count());
  RunValue result;
  result.kind_ = Kind::map;
  result.tensor_ = std::move(keys);
  result.map_values_ = std::make_shared<const Tensor>(std::move(values));
  return result;
}

const Tensor& RunValue::tensor() const {
  if (kind_ != Kind::tensor) fail(*this, "a tensor");
  return tensor_;
}

std::span<const RunValue> RunValue::elements() const {
  if (kind_ != Kind::sequence) fail(*this, "a sequence");
  return *elements_;
}

const Tensor& RunValue::keys() const {
  if (kind_ != Kind::map) fail(*this, "a map");
  return tensor_;
}

const Tensor& RunValue::map_values() const {
  if (kind_ != Kind::map) fail(*this, "a map");
  return *map_values_;
}

RunValue RunValue::owned(MemoryCap* cap) const {
  switch (kind_) {
    case Kind::none:
      return {};
    case Kind::tensor:
      return tensor_.owned(cap);
    case Kind::map:
      return map(tensor_.owned(cap), map_values_->owned(cap));
    case Kind::sequence:
      break;
  }
  std::vector<RunValue> elements;
  elements.reserve(elements_->size());
  for (const RunValue& element : *elements_) elements.push_back(element.owned(cap));
  return sequence(std::move(elements));
}

std::string RunValue::describe() const {
  switch (kind_) {
    case Kind::none:
      return "nothing";
    case Kind::tensor:
      return format("{}[{}]", name_of(tensor_.type()), tensor_.shape().to_string());
    case Kind::sequence:
      return format("a sequence of {}", elements_->size());
    case Kind::map:
      return format("a map of {}", tensor_.element_count());
  }
  ORTOOL_CHECK(false);
  return {};
}

}  // namespace ortool
