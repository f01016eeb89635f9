// Node reader: attributes, shapes and constants of a node that a module is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "providers/modules/ortool/provider_module.h"

namespace ortool::xnnpack {

/// ONNX's number of float32.
inline constexpr std::int32_t float32 = 1;
/// Values of this rank are images, whose channels XNNPACK wants innermost.
inline constexpr std::int32_t image_rank = 4;

class NodeReader {
 public:
  explicit NodeReader(const ortool_provider_node& node) : node_(node) {}

  const ortool_provider_node& node() const { return node_; }
  bool is(std::string_view op_type) const { return op_type == node_.op_type; }
  /// Null: left out.
  const ortool_provider_value* input(std::size_t index) const;
  const ortool_provider_value* output(std::size_t index) const;
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  float number(const char* name, float otherwise) const;
  std::string string(const char* name, const char* otherwise) const;
  /// `otherwise` if the attribute is left out.
  std::vector<std::int64_t> integers(const char* name, std::vector<std::int64_t> otherwise) const;
  bool has(const char* name) const { return find(name) != nullptr; }
  /// The elements of a constant input of int64; `is_known` says whether it is one.
  std::vector<std::int64_t> constant_integers(std::size_t index, bool& is_known) const;

 private:
  const ortool_provider_attribute* find(const char* name) const;

  const ortool_provider_node& node_;
};

/// A constant of float32.
bool is_float_constant(const ortool_provider_value* value);
/// A value of float32 that runs compute, with a rank that XNNPACK takes.
bool is_float_variable(const ortool_provider_value* value);
bool is_image(const ortool_provider_value* value);
const float* floats_of(const ortool_provider_value& value);
/// -1: not known.
std::int64_t dimension_of(const ortool_provider_value& value, std::int32_t axis);

}  // namespace ortool::xnnpack
