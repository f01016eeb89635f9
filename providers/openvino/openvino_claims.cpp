// Claims of the openvino module: rules for types and operators, then the library's own answer.
#include "providers/openvino/openvino_claims.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>

#include "providers/modules/module_failure.hpp"
#include "providers/openvino/output_port.hpp"
#include "providers/openvino/result_rules.hpp"

namespace ortool::openvino {
namespace {

constexpr std::int32_t uint8_type = 2;
constexpr std::int32_t int8_type = 3;
constexpr std::int32_t int32_type = 6;
constexpr std::int32_t int64_type = 7;

/// Operators whose 8-bit integers OpenVINO gives as ONNX says; in others they saturate.
constexpr std::array<std::string_view, 8> exact_in_bytes = {
    "QuantizeLinear", "Concat", "Flatten", "Reshape", "Squeeze", "Transpose", "Unsqueeze", "Split"};

bool is_byte(const ortool_provider_value* value) {
  return value != nullptr && (value->type == int8_type || value->type == uint8_type);
}

bool has_type(const ortool_provider_value* value, std::int32_t type) {
  return value != nullptr && value->type == type;
}

/// By ONNX's number.
std::string type_name(std::int32_t type) {
  constexpr std::array<std::string_view, 27> names = {"values of this kind",
                                                      "float32",
                                                      "uint8",
                                                      "int8",
                                                      "uint16",
                                                      "int16",
                                                      "int32",
                                                      "int64",
                                                      "string",
                                                      "bool",
                                                      "float16",
                                                      "float64",
                                                      "uint32",
                                                      "uint64",
                                                      "complex64",
                                                      "complex128",
                                                      "bfloat16",
                                                      "float8e4m3fn",
                                                      "float8e4m3fnuz",
                                                      "float8e5m2",
                                                      "float8e5m2fnuz",
                                                      "uint4",
                                                      "int4",
                                                      "float4e2m1",
                                                      "float8e8m0",
                                                      "uint2",
                                                      "int2"};
  const auto index = static_cast<std::size_t>(type);
  return index < names.size() ? std::string(names[index]) : "type " + std::to_string(type);
}

std::string type_refusal(const State& state, const ortool_provider_value* value) {
  if (value == nullptr) return {};
  if (state.types().number(value->type) < 0)
    return "OpenVINO has no " + type_name(value->type) + ", or computes it in another type";
  if (value->rank < 0) return "the rank of '" + std::string(value->name) + "' is not known";
  if (value->count == 0 && value->is_constant == 0)
    return "OpenVINO does not take tensors without elements";
  return {};
}

/// Which integers are sizes: results of Shape, small constants, and what nodes make of them.
/// OpenVINO computes int64 in 32 bits, which is enough for these.
class SizeTracker {
 public:
  /// To be called for each node in order; whether all of its integers are sizes.
  bool follow(const ortool_provider_node& node) {
    const std::string_view op_type = node.op_type;
    bool all = true;
    if (op_type != "Shape" && op_type != "Size") {
      for (std::size_t i = 0; i < node.input_count; ++i) all = all && is_size(node.inputs[i]);
    }
    for (std::size_t i = 0; all && i < node.output_count; ++i) sizes_.insert(node.outputs[i]);
    return all;
  }

 private:
  bool is_size(const ortool_provider_value* value) const {
    if (value == nullptr || sizes_.count(value) > 0) return true;
    if (value->is_constant == 0 || value->data == nullptr) return false;
    if (value->type == int32_type) return true;
    if (value->type != int64_type) return false;
    const auto* numbers = static_cast<const std::int64_t*>(value->data);
    for (std::int64_t i = 0; i < value->count; ++i) {
      // The largest and the least number stand for "to the end" in Slice.
      const bool is_end = numbers[i] == INT64_MAX || numbers[i] == INT64_MIN;
      if (!is_end && (numbers[i] > INT32_MAX || numbers[i] < INT32_MIN)) return false;
    }
    return true;
  }

  std::unordered_set<const ortool_provider_value*> sizes_;
};

std::string integer_refusal(const ortool_provider_node& node, bool are_sizes) {
  const ortool_provider_value* first = node.input_count > 0 ? node.inputs[0] : nullptr;
  bool makes_int64 = false;
  bool makes_int32 = false;
  bool makes_bytes = false;
  for (std::size_t i = 0; i < node.output_count; ++i) {
    makes_int64 = makes_int64 || has_type(node.outputs[i], int64_type);
    makes_int32 = makes_int32 || has_type(node.outputs[i], int32_type);
    makes_bytes = makes_bytes || is_byte(node.outputs[i]);
  }
  if ((makes_int64 || has_type(first, int64_type)) && !are_sizes)
    return "OpenVINO computes int64 in 32 bits";
  if (makes_int32 && !are_sizes) return "OpenVINO computes some of int32 in float32";
  const std::string_view op_type = node.op_type;
  const bool is_exact =
      std::find(exact_in_bytes.begin(), exact_in_bytes.end(), op_type) != exact_in_bytes.end();
  if (makes_bytes && !is_exact) return "OpenVINO saturates 8-bit integers";
  return {};
}

std::string rule_refusal(const State& state, const ortool_provider_node& node, bool are_sizes) {
  if (*node.domain != '\0' && std::string_view(node.domain) != "com.microsoft")
    return std::string("OpenVINO does not have operators of ") + node.domain;
  for (std::size_t i = 0; i < node.input_count; ++i) {
    std::string reason = type_refusal(state, node.inputs[i]);
    if (!reason.empty()) return reason;
  }
  for (std::size_t i = 0; i < node.output_count; ++i) {
    std::string reason = type_refusal(state, node.outputs[i]);
    if (!reason.empty()) return reason;
  }
  std::string reason = result_refusal(node);
  return reason.empty() ? integer_refusal(node, are_sizes) : reason;
}

void append_number(std::string& text, std::int64_t number) {
  text.append(std::to_string(number)).append(1, ',');
}

std::size_t element_bytes(std::int32_t type) {
  switch (type) {
    case uint8_type:
    case int8_type:
    case 9:
      return 1;
    case 10:
    case 16:
      return 2;
    case int64_type:
      return 8;
    default:
      return 4;
  }
}

void append_value(std::string& text, const ortool_provider_value* value) {
  constexpr std::int64_t most_kept = 64;
  if (value == nullptr) {
    text += "-;";
    return;
  }
  append_number(text, value->type);
  append_number(text, value->rank);
  append_number(text, value->is_constant);
  for (std::int32_t i = 0; i < value->rank; ++i) append_number(text, value->shape[i]);
  if (value->data != nullptr && value->count <= most_kept) {
    text.append(static_cast<const char*>(value->data),
                static_cast<std::size_t>(value->count) * element_bytes(value->type));
  }
  text += ';';
}

/// Says what the node is, without names.
std::string kind_of_node(const ortool_provider_node& node) {
  std::string text = std::string(node.domain) + ':' + node.op_type + ':';
  append_number(text, node.opset);
  for (std::size_t i = 0; i < node.input_count; ++i) append_value(text, node.inputs[i]);
  text += '>';
  for (std::size_t i = 0; i < node.output_count; ++i) append_value(text, node.outputs[i]);
  for (std::size_t i = 0; i < node.attribute_count; ++i) {
    const ortool_provider_attribute& attribute = *node.attributes[i];
    text += attribute.name;
    text += '=';
    append_number(text, attribute.kind);
    const auto* data = static_cast<const char*>(attribute.data);
    if (attribute.kind == 1 || attribute.kind == 6) text.append(data, 4 * attribute.count);
    if (attribute.kind == 2 || attribute.kind == 7) text.append(data, 8 * attribute.count);
    if (attribute.kind == 3) text.append(data, attribute.count);
    if (attribute.kind == 4)
      append_value(text, static_cast<const ortool_provider_value*>(attribute.data));
  }
  return text;
}

/// Operators that OpenVINO's CPU device compiles whenever it reads them. Compiling one takes eight
/// times as long as reading it, and networks have many kinds of the same few operators.
constexpr std::string_view always_compiled[] = {
    "Add", "AveragePool", "BatchNormalization", "Cast", "Clip", "Concat", "Conv", "Div", "Erf",
    "Flatten", "Gather", "Gelu", "Gemm", "GlobalAveragePool", "LayerNormalization", "MatMul",
    "MaxPool", "Mul", "Pow", "ReduceMean", "Relu", "Reshape", "Sigmoid", "Slice", "Softmax",
    "Split", "Sqrt", "Sub", "Tanh", "Transpose"};

bool needs_compiling(const State& state, const ortool_provider_node& node) {
  if (!state.is_cpu() || *node.domain != '\0') return true;
  return std::find(std::begin(always_compiled), std::end(always_compiled),
                   std::string_view(node.op_type)) == std::end(always_compiled);
}

/// Reads the node alone, and compiles it if that may fail; the reason if one fails.
std::string ask_library(ortool_provider_call& call, const State& state, std::size_t index,
                        const ortool_provider_node& node) {
  std::size_t length = 0;
  const void* bytes = call.api->model_bytes(&call, index, &length);
  if (bytes == nullptr) return "it cannot be written as an ONNX file";
  const Functions& functions = state.functions();
  SourceModel* model = nullptr;
  int status = functions.core_read_model_from_memory_buffer(
      state.core(), static_cast<const char*>(bytes), length, nullptr, &model);
  if (status != 0) return "OpenVINO does not read it: " + state.library().message(status);
  std::string reason = node_difference(state, model, node);
  if (reason.empty() && needs_compiling(state, node)) {
    CompiledModel* compiled = nullptr;
    status =
        functions.core_compile_model(state.core(), model, state.device().c_str(), 0, &compiled);
    if (status == 0) {
      functions.compiled_model_free(compiled);
    } else {
      reason = "OpenVINO does not compile it for " + state.device() + ": " +
               state.library().message(status);
    }
  }
  functions.model_free(model);
  return reason;
}

}  // namespace

void claim_nodes(ortool_provider_call& call, State& state, const ortool_provider_graph& graph) {
  SizeTracker sizes;
  for (std::size_t i = 0; i < graph.node_count; ++i) {
    const ortool_provider_node& node = *graph.nodes[i];
    std::string reason = rule_refusal(state, node, sizes.follow(node));
    if (reason.empty()) {
      const std::string kind = kind_of_node(node);
      const std::string* known = state.find_answer(kind);
      reason = known != nullptr ? *known : ask_library(call, state, i, node);
      if (known == nullptr) state.keep_answer(kind, reason);
    }
    if (!reason.empty()) call.api->refuse(&call, i, reason.c_str());
  }
}

}  // namespace ortool::openvino
