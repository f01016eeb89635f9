// Writer for NodeProto: inputs and outputs by name.
#include "libcore/onnx/write/write_node.hpp"

#include "libcore/onnx/messages.hpp"

namespace ortool::onnx {

void write_node(WriteContext& context, std::uint32_t field, const Node& node) {
  WireWriter& writer = context.writer;
  const FieldPresence present = node.spelling;
  const auto name_or_nothing = [&](const Value* value) {
    return value != nullptr ? context.name_of(*value) : std::string_view();
  };
  writer.begin_message(field);
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    writer.put_bytes(node_field::input, name_or_nothing(node.input(i)));
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    writer.put_bytes(node_field::output, name_or_nothing(node.output(i)));
  }
  writer.put_text(node_field::name, node.has_name_of_its_own() ? node.name() : std::string_view(),
                  present);
  writer.put_text(node_field::op_type, node.op_type(), present);
  for (const Attribute& attribute : node.attributes()) {
    write_attribute(context, node_field::attribute, attribute);
  }
  writer.put_text(node_field::doc_string, node.doc_string(), present);
  const bool is_explicit = node.domain().empty() && present.has(FieldPresence::explicit_domain);
  writer.put_text(node_field::domain, is_explicit ? "ai.onnx" : node.domain(), present);
  writer.put_text(node_field::overload, node.overload(), present);
  writer.put_entries(node_field::metadata_props, node.metadata(), node.notes().residue);
  writer.put_unknown(node.notes().residue);
  writer.end_message();
}

}  // namespace ortool::onnx
