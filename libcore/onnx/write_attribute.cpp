// Writer for attributes: one value field, by kind.
#include <bit>
#include <cstdint>

#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/write/write_graph.hpp"
#include "libcore/onnx/write/write_node.hpp"
#include "libcore/onnx/write/write_tensor.hpp"
#include "libcore/onnx/write/write_type.hpp"

namespace ortool::onnx {
namespace {

/// Writes the alternative that an attribute's value holds.
class ValueWriter {
 public:
  ValueWriter(WriteContext& context, FieldPresence present)
      : context_(context), writer_(context.writer), present_(present) {}

  void operator()(std::monostate) const {}
  void operator()(float value) const {
    if (std::bit_cast<std::uint32_t>(value) != 0 || is_wanted(attribute_field::f)) {
      writer_.put_float(attribute_field::f, value);
    }
  }
  void operator()(std::int64_t value) const {
    if (value != 0 || is_wanted(attribute_field::i)) writer_.put_varint(attribute_field::i, value);
  }
  void operator()(const std::string& value) const {
    if (!value.empty() || is_wanted(attribute_field::s)) {
      writer_.put_bytes(attribute_field::s, value);
    }
  }
  void operator()(const Tensor& value) const { write_tensor(context_, attribute_field::t, value); }
  void operator()(const std::unique_ptr<Graph>& value) const {
    write_graph(context_, attribute_field::g, *value);
  }
  void operator()(const SparseTensor& value) const {
    write_sparse_tensor(context_, attribute_field::sparse_tensor, value);
  }
  void operator()(const ValueType& value) const { write_type(writer_, attribute_field::tp, value); }
  void operator()(const std::vector<float>& values) const {
    for (const float each : values) writer_.put_float(attribute_field::floats, each);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    for (const std::int64_t each : values) writer_.put_varint(attribute_field::ints, each);
  }
  void operator()(const std::vector<std::string>& values) const {
    for (const std::string& each : values) writer_.put_bytes(attribute_field::strings, each);
  }
  void operator()(const std::vector<Tensor>& values) const {
    for (const Tensor& each : values) write_tensor(context_, attribute_field::tensors, each);
  }
  void operator()(const Attribute::Graphs& values) const {
    for (const auto& each : values) write_graph(context_, attribute_field::graphs, *each);
  }
  void operator()(const std::vector<SparseTensor>& values) const {
    for (const SparseTensor& each : values) {
      write_sparse_tensor(context_, attribute_field::sparse_tensors, each);
    }
  }
  void operator()(const std::vector<ValueType>& values) const {
    for (const ValueType& each : values) write_type(writer_, attribute_field::type_protos, each);
  }

 private:
  /// A zero is written unless the file omitted it.
  bool is_wanted(std::uint32_t field) const {
    return !present_.has(FieldPresence::came_from_file) || present_.has(field);
  }

  WriteContext& context_;
  WireWriter& writer_;
  FieldPresence present_;
};

}  // namespace

void write_attribute(WriteContext& context, std::uint32_t field, const Attribute& attribute) {
  WireWriter& writer = context.writer;
  const FieldPresence present = attribute.spelling;
  writer.begin_message(field);
  writer.put_text(attribute_field::name, attribute.name, present);
  writer.put_text(attribute_field::ref_attr_name, attribute.reference, present);
  if (attribute.reference.empty()) std::visit(ValueWriter(context, present), attribute.value);
  if (attribute.notes != nullptr || present.has(attribute_field::doc_string)) {
    writer.put_text(attribute_field::doc_string,
                    attribute.notes != nullptr ? attribute.notes->doc_string : std::string(),
                    present);
  }
  // The first IR versions did not have this field.
  if (!present.has(FieldPresence::came_from_file) || present.has(attribute_field::type)) {
    writer.put_varint(attribute_field::type, static_cast<std::int64_t>(attribute.kind()));
  }
  if (attribute.notes != nullptr) writer.put_unknown(attribute.notes->residue);
  writer.end_message();
}

}  // namespace ortool::onnx
