// Versions of Constant; 11 added sparse values, 12 scalars, lists and strings.
#include "libcore/ops/generator/constant.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<AttributeSpec> constant_attributes_1 = {
    {"value", AttributeKind::tensor, true}};

constexpr std::initializer_list<AttributeSpec> constant_attributes_12 = {
    {"sparse_value", AttributeKind::sparse_tensor}, {"value", AttributeKind::tensor},
    {"value_float", AttributeKind::float_number},   {"value_floats", AttributeKind::floats},
    {"value_int", AttributeKind::integer},          {"value_ints", AttributeKind::integers},
    {"value_string", AttributeKind::string},        {"value_strings", AttributeKind::strings}};

/// The attribute as a tensor: a scalar, or a vector for a list.
Tensor constant_value(AttributeReader& attributes, std::string_view name) {
  if (name == "value") return attributes.tensor(name);
  if (name == "value_float") return Tensor::scalar(attributes.number(name));
  if (name == "value_int") return Tensor::scalar(attributes.integer(name));
  if (name == "value_string") return Tensor::of_strings({}, {attributes.string(name)});
  if (name == "value_floats") {
    const std::vector<float> values = *attributes.find_numbers(name);
    return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
  }
  if (name == "value_ints") {
    const std::vector<std::int64_t> values = *attributes.find_integers(name);
    return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
  }
  std::vector<std::string> values = *attributes.find_strings(name);
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::of_strings({count}, std::move(values));
}

void check_sparse(const SparseTensor& sparse) {
  static_cast<void>(sparse.dimensions.element_count());
  const std::int64_t count = sparse.values.element_count();
  const Shape& indices = sparse.indices.shape();
  const bool is_flat = indices.rank() == 1 && indices[0] == count;
  const bool is_table =
      indices.rank() == 2 && indices[0] == count && indices[1] == sparse.dimensions.rank();
  if (sparse.values.shape().rank() != 1 || sparse.indices.type() != DataType::int64 ||
      (!is_flat && !is_table)) {
    throw Error(ErrorCode::invalid,
                format("the sparse value has values of shape {} and indices of shape {}",
                       sparse.values.shape().to_string(), indices.to_string()));
  }
  for (std::int64_t k = 0; k < count; ++k) static_cast<void>(dense_position(sparse, k));
}

}  // namespace

constinit const OpSchema Constant::schema = {
    "Constant",
    "",
    {{.since = 1,
      .outputs = {{"output", "T"}},
      .attributes = constant_attributes_1,
      .types = {{"T", types::high_floats}}},
     {.since = 9,
      .outputs = {{"output", "T"}},
      .attributes = constant_attributes_1,
      .types = {{"T", types::all_tensors}}},
     {.since = 11,
      .outputs = {{"output", "T"}},
      .attributes = {{"sparse_value", AttributeKind::sparse_tensor},
                     {"value", AttributeKind::tensor}},
      .types = {{"T", types::all_tensors}}},
     {.since = 12,
      .outputs = {{"output", "T"}},
      .attributes = constant_attributes_12,
      .types = {{"T", types::all_tensors}}},
     {.since = 13,
      .outputs = {{"output", "T"}},
      .attributes = constant_attributes_12,
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 19,
      .outputs = {{"output", "T"}},
      .attributes = constant_attributes_12,
      .types = {{"T", types::all_tensors_ir9}}},
     {.since = 21,
      .outputs = {{"output", "T"}},
      .attributes = constant_attributes_12,
      .types = {{"T", types::all_tensors_ir10}}},
     {.since = 23,
      .outputs = {{"output", "T"}},
      .attributes = constant_attributes_12,
      .types = {{"T", types::all_tensors_ir11}}},
     {.since = 24,
      .outputs = {{"output", "T"}},
      .attributes = constant_attributes_12,
      .types = {{"T", types::all_tensors_ir12}}},
     {.since = 25,
      .outputs = {{"output", "T"}},
      .attributes = constant_attributes_12,
      .types = {{"T", types::all_tensors_ir13}}}}};

std::int64_t dense_position(const SparseTensor& sparse, std::int64_t k) {
  const Tensor& indices = sparse.indices;
  const auto read_index = [&](std::int64_t position) {
    std::int64_t index = 0;
    const std::byte* bytes = indices.bytes() + position * 8;
    std::copy_n(bytes, sizeof(index), reinterpret_cast<std::byte*>(&index));
    return index;
  };
  const auto check = [](std::int64_t index, std::int64_t size) {
    if (index >= 0 && index < size) return;
    throw Error(ErrorCode::invalid,
                format("an index of the sparse value is {} (expected 0 to {})", index, size - 1));
  };
  const Shape& shape = sparse.dimensions;
  if (indices.shape().rank() == 1) {
    const std::int64_t position = read_index(k);
    check(position, shape.element_count());
    return position;
  }
  std::int64_t position = 0;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t index = read_index(k * shape.rank() + axis);
    check(index, shape[axis]);
    position = position * shape[axis] + index;
  }
  return position;
}

void Constant::read(AttributeReader& attributes, int /*version*/) {
  // Old exporters wrote integers although version 1 allows floats only, and runtimes accept them.
  // The type mismatch is reported by `--check` and is not an error here.
  const std::span<const Attribute> given = attributes.node().attributes();
  if (given.size() != 1) {
    throw Error(ErrorCode::invalid,
                format("{} attributes give the value (expected one)", given.size()));
  }
  if (given[0].name == "sparse_value") {
    sparse = std::get_if<SparseTensor>(&given[0].value);
    ORTOOL_CHECK(sparse != nullptr);
    check_sparse(*sparse);
  } else {
    value = constant_value(attributes, given[0].name);
  }
}

void Constant::infer(InferContext& context) const {
  context.set_output(0, element(), to_partial(shape()));
  if (sparse != nullptr) return;
  context.set_output_value(0, value);
  set_known_output(context, 0, element(), elements_of(value));
}

}  // namespace ortool
