// QDQ boundaries: reads per-tensor and per-channel scales and zero points from constants.
#include "libcore/optimize/precision/quantized_boundary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/ops/quantization/quantize_linear.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

bool is_of_onnx(const Node* node, std::string_view op_type) {
  return node != nullptr && node->domain().empty() && node->op_type() == op_type;
}

/// Positive float32 constants, a scalar or a vector.
bool has_good_scales(const Value* scale) {
  const Tensor* given = scale != nullptr ? constant_of(*scale) : nullptr;
  if (given == nullptr) return false;
  const Tensor& scales = *given;
  if (scales.type() != DataType::float32 || scales.shape().rank() > 1) return false;
  for (std::int64_t i = 0; i < scales.element_count(); ++i) {
    const double value = element_as_double(scales, i);
    if (!(value > 0) || !std::isfinite(value)) return false;
  }
  return scales.element_count() > 0;
}

bool has_good_zero_points(const Value* zero_point, const Value* scale, DataType type) {
  if (zero_point == nullptr) return true;
  const Tensor* zeros = constant_of(*zero_point);
  return zeros != nullptr && zeros->type() == type &&
         zeros->element_count() == constant_of(*scale)->element_count();
}

DataType tensor_type_of(const Value* value) {
  return value != nullptr && value->type().is_tensor() ? value->type().element
                                                       : DataType::undefined;
}

/// The constant bound of a Clip, by input or attribute; nothing when it is computed.
std::optional<float> clip_bound(const Node& node, std::int64_t input, std::string_view attribute,
                                float otherwise) {
  if (const Attribute* given = node.find_attribute(attribute)) {
    const float* number = std::get_if<float>(&given->value);
    return number != nullptr ? std::optional(*number) : std::nullopt;
  }
  const Value* value = node.input(input);
  if (value == nullptr) return otherwise;
  const Tensor* constant = constant_of(*value);
  if (constant == nullptr || constant->type() != DataType::float32 ||
      constant->element_count() != 1) {
    return std::nullopt;
  }
  return static_cast<float>(element_as_double(*constant, 0));
}

struct FloatBounds {
  float low;
  float high;
};

std::optional<FloatBounds> bounds_of(const Node& node) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (is_of_onnx(&node, "Relu")) return FloatBounds{0.0F, infinity};
  if (!is_of_onnx(&node, "Clip")) return std::nullopt;
  const std::optional<float> low = clip_bound(node, 1, "min", -infinity);
  const std::optional<float> high = clip_bound(node, 2, "max", infinity);
  // NaN bounds have no defined meaning, and reversed ones are left to the operator.
  if (!low || !high || !(*low <= *high)) return std::nullopt;
  return FloatBounds{*low, *high};
}

}  // namespace

const Tensor& Quantization::scales() const {
  return *constant_of(*scale);
}

float Quantization::scale_at(std::int64_t index) const {
  return static_cast<float>(element_as_double(scales(), is_single() ? 0 : index));
}

std::int64_t Quantization::zero_at(std::int64_t index) const {
  if (zero_point == nullptr) return 0;
  return element_as_int64(*constant_of(*zero_point), is_single() ? 0 : index);
}

bool Quantization::is_like(const Quantization& other) const {
  return type == other.type && is_single() && other.is_single() &&
         scale_at(0) == other.scale_at(0) && zero_at(0) == other.zero_at(0);
}

std::optional<Quantization> dequantized(const Value* value) {
  Node* node = value != nullptr ? value->producer() : nullptr;
  if (!is_of_onnx(node, "DequantizeLinear")) return std::nullopt;
  if (tensor_type_of(value) != DataType::float32) return std::nullopt;
  const auto op = read_op<DequantizeLinear>(*node);
  Quantization result;
  result.bytes = node->input(0);
  result.scale = node->input(1);
  result.zero_point = node->input(2);
  result.type = tensor_type_of(result.bytes);
  if (!is_8bit_type(result.type) && result.type != DataType::int32) return std::nullopt;
  if (!has_good_scales(result.scale) ||
      !has_good_zero_points(result.zero_point, result.scale, result.type))
    return std::nullopt;
  if (result.is_single()) return result;
  const PartialShape& shape = result.bytes->type().shape;
  if (!shape || shape->empty() || op.granularity.block_size > 0) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape->size());
  result.axis = rank == 1 ? 0 : normalize_axis(op.granularity.axis, rank);
  return result;
}

std::optional<Quantization> dequantized_bytes(const Value* value) {
  std::optional<Quantization> result = dequantized(value);
  if (!result || !result->is_single() || !is_8bit_type(result->type)) return std::nullopt;
  return result;
}

std::optional<Quantization> quantized(const Node& node) {
  if (!is_of_onnx(&node, "QuantizeLinear")) return std::nullopt;
  if (tensor_type_of(node.input(0)) != DataType::float32) return std::nullopt;
  const auto op = read_op<QuantizeLinear>(node);
  Quantization result;
  result.bytes = node.output(0);
  result.scale = node.input(1);
  result.zero_point = node.input(2);
  result.type = tensor_type_of(result.bytes);
  if (!is_8bit_type(result.type) || op.precision.value_or(DataType::float32) != DataType::float32)
    return std::nullopt;
  if (!has_good_scales(result.scale) || !result.is_single() ||
      !has_good_zero_points(result.zero_point, result.scale, result.type))
    return std::nullopt;
  return result;
}

Node* only_producer(const Value* value) {
  if (value == nullptr || value->uses().size() != 1) return nullptr;
  return value->uses().front().kind == Use::Kind::input ? value->producer() : nullptr;
}

std::int64_t quantize_number(float value, const Quantization& by) {
  const Int8Bounds bounds = Int8Bounds::of(by.type);
  const double whole = std::nearbyint(static_cast<double>(value / by.scale_at(0))) +
                       static_cast<double>(by.zero_at(0));
  return static_cast<std::int64_t>(
      std::clamp(whole, static_cast<double>(bounds.low), static_cast<double>(bounds.high)));
}

Int8Bounds Int8Bounds::of(DataType type) {
  return type == DataType::int8 ? Int8Bounds{-128, 127} : Int8Bounds{0, 255};
}

bool Int8Bounds::are_of(DataType type) const {
  const Int8Bounds all = of(type);
  return low == all.low && high == all.high;
}

bool can_clip_bytes(const Graph& graph, const Int8Bounds& bounds, DataType type) {
  return bounds.are_of(type) || graph.opset("") >= opset_of_type("Clip", "input", DataType::uint8);
}

Int8Bounds peel_clips(const Value*& value, const Quantization& to) {
  std::vector<FloatBounds> found;
  while (const Node* node = only_producer(value)) {
    const std::optional<FloatBounds> bounds = bounds_of(*node);
    if (!bounds) break;
    found.push_back(*bounds);
    value = node->input(0);
  }
  // The last one found is applied first.
  Int8Bounds result = Int8Bounds::of(to.type);
  for (auto bounds = found.rbegin(); bounds != found.rend(); ++bounds) {
    const std::int64_t low = quantize_number(bounds->low, to);
    const std::int64_t high = quantize_number(bounds->high, to);
    result = {std::clamp(result.low, low, high), std::clamp(result.high, low, high)};
  }
  return result;
}

}  // namespace ortool
