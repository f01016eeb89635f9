// Node reader: finds attributes by name.
#include "providers/xnnpack/node_reader.hpp"

#include <cstring>

namespace ortool::xnnpack {
namespace {

constexpr std::int32_t kind_float = 1;
constexpr std::int32_t kind_int = 2;
constexpr std::int32_t kind_string = 3;
constexpr std::int32_t kind_ints = 7;
constexpr std::int32_t int64_type = 7;
/// XNN_MAX_TENSOR_DIMS.
constexpr std::int32_t most_dimensions = 6;

}  // namespace

const ortool_provider_value* NodeReader::input(std::size_t index) const {
  return index < node_.input_count ? node_.inputs[index] : nullptr;
}

const ortool_provider_value* NodeReader::output(std::size_t index) const {
  return index < node_.output_count ? node_.outputs[index] : nullptr;
}

const ortool_provider_attribute* NodeReader::find(const char* name) const {
  for (std::size_t i = 0; i < node_.attribute_count; ++i) {
    if (std::strcmp(node_.attributes[i]->name, name) == 0) return node_.attributes[i];
  }
  return nullptr;
}

std::int64_t NodeReader::integer(const char* name, std::int64_t otherwise) const {
  const ortool_provider_attribute* found = find(name);
  if (found == nullptr || found->kind != kind_int) return otherwise;
  return *static_cast<const std::int64_t*>(found->data);
}

float NodeReader::number(const char* name, float otherwise) const {
  const ortool_provider_attribute* found = find(name);
  if (found == nullptr || found->kind != kind_float) return otherwise;
  return *static_cast<const float*>(found->data);
}

std::string NodeReader::string(const char* name, const char* otherwise) const {
  const ortool_provider_attribute* found = find(name);
  if (found == nullptr || found->kind != kind_string) return otherwise;
  return {static_cast<const char*>(found->data), found->count};
}

std::vector<std::int64_t> NodeReader::integers(const char* name,
                                               std::vector<std::int64_t> otherwise) const {
  const ortool_provider_attribute* found = find(name);
  if (found == nullptr || found->kind != kind_ints) return otherwise;
  const auto* numbers = static_cast<const std::int64_t*>(found->data);
  return {numbers, numbers + found->count};
}

std::vector<std::int64_t> NodeReader::constant_integers(std::size_t index, bool& is_known) const {
  const ortool_provider_value* value = input(index);
  is_known = value != nullptr && value->is_constant != 0 && value->type == int64_type;
  if (!is_known) return {};
  const auto* numbers = static_cast<const std::int64_t*>(value->data);
  return {numbers, numbers + value->count};
}

bool is_float_constant(const ortool_provider_value* value) {
  return value != nullptr && value->is_constant != 0 && value->type == float32;
}

bool is_float_variable(const ortool_provider_value* value) {
  return value != nullptr && value->is_constant == 0 && value->type == float32 &&
         value->rank >= 1 && value->rank <= most_dimensions;
}

bool is_image(const ortool_provider_value* value) {
  return value != nullptr && value->rank == image_rank;
}

const float* floats_of(const ortool_provider_value& value) {
  return static_cast<const float*>(value.data);
}

std::int64_t dimension_of(const ortool_provider_value& value, std::int32_t axis) {
  return axis < value.rank ? value.shape[axis] : -1;
}

}  // namespace ortool::xnnpack
