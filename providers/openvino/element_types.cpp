// Element types: a model of Identity nodes, written byte by byte, and the types of its inputs.
#include "providers/openvino/element_types.hpp"

#include <string>

#include "providers/modules/ortool/provider_module.h"

namespace ortool::openvino {
namespace {

/// float32, uint8, int8, int32, int64, bool, float16, bfloat16.
constexpr std::array<std::int32_t, 8> handed_over = {1, 2, 3, 6, 7, 9, 10, 16};

/// Fields of protobuf messages; all numbers here are below 128.
std::string number_field(int field, std::int64_t value) {
  return {static_cast<char>(field << 3), static_cast<char>(value)};
}
std::string bytes_field(int field, const std::string& bytes) {
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

/// A field of a message of up to 16383 bytes.
std::string long_field(int field, const std::string& bytes) {
  const std::size_t size = bytes.size();
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>((size & 127) | 128),
                     static_cast<char>(size >> 7)} +
         bytes;
}

std::string value_info(const std::string& name, std::int32_t type) {
  const std::string shape = bytes_field(1, number_field(1, 1));  // one dimension of 1
  const std::string tensor = number_field(1, type) + bytes_field(2, shape);
  return bytes_field(1, name) + bytes_field(2, bytes_field(1, tensor));
}

/// A ModelProto with an Identity node for each type.
std::string identity_model() {
  std::string nodes;
  std::string inputs;
  std::string outputs;
  for (const std::int32_t type : handed_over) {
    const std::string x = "x" + std::to_string(type);
    const std::string y = "y" + std::to_string(type);
    nodes += bytes_field(1, bytes_field(1, x) + bytes_field(2, y) + bytes_field(4, "Identity"));
    inputs += bytes_field(11, value_info(x, type));
    outputs += bytes_field(12, value_info(y, type));
  }
  const std::string graph = nodes + bytes_field(2, "types") + inputs + outputs;
  return number_field(1, 8) + long_field(7, graph) +
         bytes_field(8, bytes_field(1, "") + number_field(2, 17));
}

}  // namespace

ElementTypes::ElementTypes(const Library& library, const Core* core) : ElementTypes() {
  const Functions& functions = library.functions();
  const std::string bytes = identity_model();
  SourceModel* model = nullptr;
  library.check(functions.core_read_model_from_memory_buffer(core, bytes.data(), bytes.size(),
                                                             nullptr, &model),
                ORTOOL_PROVIDER_UNAVAILABLE,
                "OpenVINO " + library.version() + " does not read ONNX models");
  for (std::size_t i = 0; i < handed_over.size(); ++i) {
    Port* port = nullptr;
    int number = -1;
    if (functions.model_const_input_by_index(model, i, &port) != 0) continue;
    if (functions.port_get_element_type(port, &number) == 0)
      numbers_[static_cast<std::size_t>(handed_over[i])] = number;
    functions.output_const_port_free(port);
  }
  functions.model_free(model);
}

}  // namespace ortool::openvino
