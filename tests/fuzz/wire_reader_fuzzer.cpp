// Fuzzer of the wire reader: parses the bytes as a model and as another message, without a graph.
#include <cstdlib>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/wire.hpp"

namespace {

using ortool::onnx::FieldKind;
using ortool::onnx::Message;
using ortool::onnx::MessageTable;
using ortool::onnx::WireReader;
using ortool::onnx::WireSource;

constexpr const MessageTable* tables[] = {
    &ortool::onnx::model_table,       &ortool::onnx::graph_table,
    &ortool::onnx::node_table,        &ortool::onnx::attribute_table,
    &ortool::onnx::tensor_table,      &ortool::onnx::sparse_tensor_table,
    &ortool::onnx::value_info_table,  &ortool::onnx::type_table,
    &ortool::onnx::tensor_type_table, &ortool::onnx::sequence_type_table,
    &ortool::onnx::map_type_table,    &ortool::onnx::shape_table,
    &ortool::onnx::dimension_table,   &ortool::onnx::entry_table,
    &ortool::onnx::opset_table,       &ortool::onnx::annotation_table,
    &ortool::onnx::function_table,
};

/// The message type of a field; a field not listed is read as its parent's type.
const MessageTable& table_of(const MessageTable& parent, std::string_view field) {
  static const std::map<std::pair<const MessageTable*, std::string_view>, const MessageTable*>
      children = {
          {{&ortool::onnx::model_table, "graph"}, &ortool::onnx::graph_table},
          {{&ortool::onnx::model_table, "functions"}, &ortool::onnx::function_table},
          {{&ortool::onnx::model_table, "opset_import"}, &ortool::onnx::opset_table},
          {{&ortool::onnx::graph_table, "node"}, &ortool::onnx::node_table},
          {{&ortool::onnx::graph_table, "initializer"}, &ortool::onnx::tensor_table},
          {{&ortool::onnx::graph_table, "sparse_initializer"}, &ortool::onnx::sparse_tensor_table},
          {{&ortool::onnx::graph_table, "input"}, &ortool::onnx::value_info_table},
          {{&ortool::onnx::graph_table, "output"}, &ortool::onnx::value_info_table},
          {{&ortool::onnx::graph_table, "value_info"}, &ortool::onnx::value_info_table},
          {{&ortool::onnx::graph_table, "quantization_annotation"},
           &ortool::onnx::annotation_table},
          {{&ortool::onnx::node_table, "attribute"}, &ortool::onnx::attribute_table},
          {{&ortool::onnx::function_table, "node"}, &ortool::onnx::node_table},
          {{&ortool::onnx::attribute_table, "t"}, &ortool::onnx::tensor_table},
          {{&ortool::onnx::attribute_table, "g"}, &ortool::onnx::graph_table},
          {{&ortool::onnx::attribute_table, "tp"}, &ortool::onnx::type_table},
          {{&ortool::onnx::value_info_table, "type"}, &ortool::onnx::type_table},
          {{&ortool::onnx::type_table, "tensor_type"}, &ortool::onnx::tensor_type_table},
          {{&ortool::onnx::type_table, "map_type"}, &ortool::onnx::map_type_table},
          {{&ortool::onnx::tensor_type_table, "shape"}, &ortool::onnx::shape_table},
          {{&ortool::onnx::shape_table, "dim"}, &ortool::onnx::dimension_table},
      };
  const auto found = children.find({&parent, field});
  return found != children.end() ? *found->second : parent;
}

/// Reads every field of a message, and checks counts of numbers and of unknown bytes.
void walk(const WireSource& source, Message message, const MessageTable& table) {
  std::vector<std::pair<Message, const MessageTable*>> inner;
  WireReader reader(source, message, table);
  while (reader.next()) {
    const auto& row = reader.name();
    for (const auto& field : table.rows) {
      if (field.number != reader.number()) continue;
      if (field.kind == FieldKind::message) {
        inner.emplace_back(reader.message(), &table_of(table, row));
      } else if (field.kind == FieldKind::bytes) {
        unsigned sum = 0;
        for (const std::byte byte : reader.bytes()) sum += static_cast<unsigned>(byte);
        static_cast<void>(sum);
      } else if (field.is_repeated) {
        std::int64_t count = 0;
        reader.each_number([&](std::uint64_t) { ++count; });
        if (count != reader.count_numbers()) std::abort();
      } else {
        static_cast<void>(reader.integer());
        static_cast<void>(reader.float_number());
      }
    }
  }
  if (reader.unknown_bytes() < 0 ||
      static_cast<std::size_t>(reader.unknown_bytes()) > message.bytes.size()) {
    std::abort();
  }
  for (const auto& [each, each_table] : inner) walk(source, each, *each_table);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const WireSource source{bytes};
  // The size picks the second type, so that changing the length tries another message.
  for (const MessageTable* table : {tables[0], tables[size % std::size(tables)]}) {
    try {
      walk(source, {bytes, 0}, *table);
    } catch (const ortool::Error& error) {
      if (error.code() != ortool::ErrorCode::invalid) throw;
    }
  }
  return 0;
}
