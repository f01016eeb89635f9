// Claims of the openvino module: rules for types and operators, then the library's own answer.
#include "providers/openvino/openvino_claims.hpp"

#include <array>
#include <string>
#include <string_view>

#include "providers/modules/module_failure.hpp"

namespace ortool::openvino {
namespace {

struct OperatorRule {
  std::string_view op_type;
  const char* reason;
};

/// Operators that OpenVINO reads, and computes otherwise than ONNX says.
constexpr std::array<OperatorRule, 1> different = {{
    {"", ""},
}};

std::string type_refusal(const State& state, const ortool_provider_value* value) {
  if (value == nullptr) return {};
  if (state.types().number(value->type) < 0)
    return "OpenVINO has no elements of ONNX's type " + std::to_string(value->type) +
           ", or computes them in another type";
  if (value->rank < 0) return "the rank of '" + std::string(value->name) + "' is not known";
  return {};
}

std::string rule_refusal(const State& state, const ortool_provider_node& node) {
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
  for (const OperatorRule& rule : different) {
    if (rule.op_type == node.op_type) return rule.reason;
  }
  return {};
}

void append_number(std::string& text, std::int64_t number) {
  text.append(std::to_string(number)).append(1, ',');
}

std::size_t element_bytes(std::int32_t type) {
  switch (type) {
    case 2:
    case 3:
    case 9:
      return 1;
    case 10:
    case 16:
      return 2;
    case 7:
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

/// Reads and compiles the node alone; the reason if that fails.
std::string ask_library(ortool_provider_call& call, const State& state, std::size_t index) {
  std::size_t length = 0;
  const void* bytes = call.api->model_bytes(&call, index, &length);
  if (bytes == nullptr) return "it cannot be written as an ONNX file";
  const Functions& functions = state.functions();
  SourceModel* model = nullptr;
  int status = functions.core_read_model_from_memory_buffer(
      state.core(), static_cast<const char*>(bytes), length, nullptr, &model);
  if (status != 0) return "OpenVINO does not read it: " + state.library().message(status);
  CompiledModel* compiled = nullptr;
  status = functions.core_compile_model(state.core(), model, state.device().c_str(), 0, &compiled);
  std::string reason;
  if (status != 0) {
    reason = "OpenVINO does not compile it for " + state.device() + ": " +
             state.library().message(status);
  } else {
    functions.compiled_model_free(compiled);
  }
  functions.model_free(model);
  return reason;
}

}  // namespace

void claim_nodes(ortool_provider_call& call, State& state, const ortool_provider_graph& graph) {
  for (std::size_t i = 0; i < graph.node_count; ++i) {
    const ortool_provider_node& node = *graph.nodes[i];
    std::string reason = rule_refusal(state, node);
    if (reason.empty()) {
      const std::string kind = kind_of_node(node);
      const std::string* known = state.find_answer(kind);
      reason = known != nullptr ? *known : ask_library(call, state, i);
      if (known == nullptr) state.keep_answer(kind, reason);
    }
    if (!reason.empty()) call.api->refuse(&call, i, reason.c_str());
  }
}

}  // namespace ortool::openvino
