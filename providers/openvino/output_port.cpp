// Output ports: OpenVINO's own shape inference beside that of ONNX.
#include "providers/openvino/output_port.hpp"

#include <cstdint>

namespace ortool::openvino {
namespace {

std::string shape_text(std::int64_t rank, const std::int64_t* shape) {
  std::string text = "[";
  for (std::int64_t i = 0; i < rank; ++i) {
    if (i > 0) text += " x ";
    text += shape[i] >= 0 ? std::to_string(shape[i]) : "?";
  }
  return text + "]";
}

bool is_compatible(const Dimensions& given, const ortool_provider_value& value) {
  if (given.rank != value.rank) return false;
  for (std::int64_t i = 0; i < given.rank; ++i) {
    if (value.shape[i] >= 0 && given.numbers[i] != value.shape[i]) return false;
  }
  return true;
}

}  // namespace

std::string port_difference(const State& state, const Port* port,
                            const ortool_provider_value& value) {
  const Functions& functions = state.functions();
  int type = -1;
  if (functions.port_get_element_type(port, &type) == 0 && type != state.types().number(value.type))
    return "OpenVINO gives an output another type";
  Dimensions given{};
  // Not known: then a run finds out.
  if (value.rank < 0 || functions.const_port_get_shape(port, &given) != 0) return {};
  std::string difference;
  if (!is_compatible(given, value)) {
    difference = "OpenVINO gives an output the shape " + shape_text(given.rank, given.numbers) +
                 ", where " + shape_text(value.rank, value.shape) + " is expected";
  }
  functions.shape_free(&given);
  return difference;
}

std::string node_difference(const State& state, const SourceModel* model,
                            const ortool_provider_node& node) {
  const Functions& functions = state.functions();
  std::string difference;
  for (std::size_t i = 0; difference.empty() && i < node.output_count; ++i) {
    Port* port = nullptr;
    if (node.outputs[i] == nullptr) continue;
    if (functions.model_const_output_by_name(model, node.outputs[i]->name, &port) != 0)
      return "OpenVINO leaves out an output";
    difference = port_difference(state, port, *node.outputs[i]);
    functions.output_const_port_free(port);
  }
  return difference;
}

}  // namespace ortool::openvino
