// Generates a model that is one long chain of nodes.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/write/wire_writer.hpp"

namespace {

using namespace ortool::onnx;

void put_value(WireWriter& writer, std::uint32_t field, const std::string& name) {
  writer.begin_message(field);
  writer.put_bytes(value_info_field::name, name);
  writer.begin_message(value_info_field::type);
  writer.begin_message(type_field::tensor_type);
  writer.put_varint(tensor_type_field::elem_type, 1);
  writer.begin_message(tensor_type_field::shape);
  for (const char* const size : {"batch", "length"}) {
    writer.begin_message(shape_field::dim);
    writer.put_bytes(dimension_field::dim_param, size);
    writer.end_message();
  }
  for (int i = 0; i < 3; ++i) writer.end_message();
  writer.end_message();
}

}  // namespace

/// make_chain COUNT FILE
int main(int count, char** arguments) {
  if (count != 3) return 2;
  const long nodes = std::atol(arguments[1]);
  WireWriter writer;
  writer.put_varint(model_field::ir_version, 10);
  writer.begin_message(model_field::graph);
  for (long i = 0; i < nodes; ++i) {
    writer.begin_message(graph_field::node);
    writer.put_bytes(node_field::input, "value_" + std::to_string(i));
    writer.put_bytes(node_field::output, "value_" + std::to_string(i + 1));
    writer.put_bytes(node_field::name, "node_" + std::to_string(i));
    writer.put_bytes(node_field::op_type, i % 2 == 0 ? "Relu" : "Neg");
    writer.end_message();
  }
  writer.put_bytes(graph_field::name, "chain");
  put_value(writer, graph_field::input, "value_0");
  put_value(writer, graph_field::output, "value_" + std::to_string(nodes));
  writer.end_message();
  writer.begin_message(model_field::opset_import);
  writer.put_varint(opset_field::version, 20);
  writer.end_message();
  ortool::write_file(arguments[2], writer.text());
  return 0;
}
