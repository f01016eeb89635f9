// Reads graphs with a work list instead of recursion, since a hostile file controls the nesting.
#include "libcore/check/file_model.hpp"

#include <optional>
#include <set>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/read_attribute.hpp"
#include "libcore/onnx/read/read_tensor.hpp"
#include "libcore/onnx/read/read_type.hpp"

namespace ortool {
namespace {

using onnx::Message;
using onnx::WireReader;

constexpr std::int64_t name_bytes = 96;  ///< table entry that checks create for each name

/// AttributeProto fields that hold a value: all but name, documentation, kind and reference.
bool is_value_field(std::uint32_t number) {
  namespace field = onnx::attribute_field;
  return number != field::name && number != field::doc_string && number != field::type &&
         number != field::ref_attr_name;
}

struct OpenGraph {
  std::size_t graph;
  Message message;
  int depth;
};

class FileReader {
 public:
  FileReader(onnx::LoadContext& context, Findings& findings)
      : context_(context), findings_(findings) {}

  FileModel read() {
    findings_.collect([&] { read_model(); });
    while (!open_.empty()) {
      const OpenGraph next = open_.back();
      open_.pop_back();
      findings_.collect([&] { read_graph(next); });
    }
    index();
    return std::move(model_);
  }

 private:
  void read_model() {
    std::optional<Message> main;
    std::vector<Message> functions;
    WireReader reader(context_.source, {context_.source.file, 0}, onnx::model_table);
    while (reader.next()) {
      if (reader.number() == onnx::model_field::ir_version) {
        model_.ir_version = reader.integer();
      } else if (reader.number() == onnx::model_field::graph) {
        main = reader.message();
      } else if (reader.number() == onnx::model_field::functions) {
        functions.push_back(reader.message());
      } else if (reader.number() == onnx::model_field::opset_import) {
        findings_.collect([&] { model_.opsets.push_back(read_opset(reader.message())); });
      } else if (reader.number() == onnx::model_field::metadata_props) {
        findings_.collect([&] { model_.metadata_keys.push_back(read_key(reader.message())); });
      }
    }
    if (!main) {
      throw Error(ErrorCode::invalid, "the file contains no graph",
                  "it is damaged or not an ONNX model; export it again")
          .with_id("file.no_graph");
    }
    model_.graphs.emplace_back();
    for (const Message message : functions) {
      findings_.collect([&] { read_function(message); });
    }
    open_.push_back({0, *main, 0});
  }

  void index() {
    for (const FileOpset& opset : model_.opsets) {
      model_.versions.emplace(opset.domain, opset.version);
    }
    for (std::size_t i = 0; i < model_.functions.size(); ++i) {
      FileFunction& function = model_.functions[i];
      for (const FileOpset& opset : function.opsets) {
        function.versions.emplace(opset.domain, opset.version);
      }
      model_.function_places.emplace(std::tuple(function.domain, function.name, function.overload),
                                     i);
    }
  }

  FileOpset read_opset(Message message) {
    context_.budget.take_bytes(sizeof(FileOpset), "opset imports");
    FileOpset opset;
    WireReader reader(context_.source, message, onnx::opset_table);
    while (reader.next()) {
      if (reader.number() == onnx::opset_field::domain) {
        opset.domain = canonical_domain(reader.text());
      } else {
        opset.version = reader.integer();
      }
    }
    return opset;
  }

  std::string_view read_key(Message message) {
    context_.budget.take_bytes(sizeof(std::string_view), "metadata");
    std::string_view key;
    WireReader reader(context_.source, message, onnx::entry_table);
    while (reader.next()) {
      if (reader.number() == onnx::entry_field::key) key = reader.text();
    }
    return key;
  }

  void read_function(Message message) {
    context_.budget.take_bytes(sizeof(FileFunction) + sizeof(FileGraph), "functions");
    const std::size_t function_index = model_.functions.size();
    const std::size_t graph_index = model_.graphs.size();
    FileFunction& function = model_.functions.emplace_back();
    function.graph = graph_index;
    FileGraph& graph = model_.graphs.emplace_back();
    graph.function = function_index;
    std::vector<Message> nodes;
    WireReader reader(context_.source, message, onnx::function_table);
    while (reader.next()) {
      switch (reader.number()) {
        case onnx::function_field::name:
          function.name = graph.name = reader.text();
          break;
        case onnx::function_field::domain:
          function.domain = canonical_domain(reader.text());
          break;
        case onnx::function_field::overload:
          function.overload = reader.text();
          break;
        case onnx::function_field::input:
          add_value({reader.text(), {}}, graph.inputs);
          break;
        case onnx::function_field::output:
          add_value({reader.text(), {}}, graph.outputs);
          break;
        case onnx::function_field::attribute:
          context_.budget.take_bytes(sizeof(std::string_view), "attributes");
          function.attributes.push_back(reader.text());
          break;
        case onnx::function_field::attribute_proto:
          findings_.collect(
              [&] { function.attributes.push_back(read_attribute_name(reader.message())); });
          break;
        case onnx::function_field::opset_import:
          findings_.collect([&] { function.opsets.push_back(read_opset(reader.message())); });
          break;
        case onnx::function_field::value_info:
          read_value(reader.message(), graph.value_infos);
          break;
        case onnx::function_field::node:
          nodes.push_back(reader.message());
          break;
        default:
          break;
      }
    }
    for (const Message node : nodes) findings_.collect([&] { read_node(node, graph_index, 0); });
  }

  std::string_view read_attribute_name(Message message) {
    std::string_view name;
    WireReader reader(context_.source, message, onnx::attribute_table);
    while (reader.next()) {
      if (reader.number() == onnx::attribute_field::name) name = reader.text();
    }
    findings_.collect([&] { static_cast<void>(onnx::read_attribute(context_, message)); });
    context_.budget.take_bytes(sizeof(std::string_view), "attributes");
    return name;
  }

  void read_graph(const OpenGraph& open) {
    if (open.depth > context_.options.max_subgraph_depth) {
      throw Error(ErrorCode::invalid,
                  format("graphs nest deeper than {}", context_.options.max_subgraph_depth),
                  "no real model needs this; the file looks crafted")
          .with_id("limit.depth");
    }
    FileGraph& graph = model_.graphs[open.graph];
    std::vector<Message> nodes;
    WireReader reader(context_.source, open.message, onnx::graph_table);
    while (reader.next()) {
      switch (reader.number()) {
        case onnx::graph_field::name:
          graph.name = reader.text();
          break;
        case onnx::graph_field::node:
          nodes.push_back(reader.message());
          break;
        case onnx::graph_field::initializer:
          read_initializer(reader.message(), graph);
          break;
        case onnx::graph_field::sparse_initializer:
          read_sparse(reader.message(), graph);
          break;
        case onnx::graph_field::input:
          read_value(reader.message(), graph.inputs);
          break;
        case onnx::graph_field::output:
          read_value(reader.message(), graph.outputs);
          break;
        case onnx::graph_field::value_info:
          read_value(reader.message(), graph.value_infos);
          break;
        default:
          break;
      }
    }
    for (const Message node : nodes) {
      findings_.collect([&] { read_node(node, open.graph, open.depth); });
    }
  }

  void add_value(FileValue value, std::vector<FileValue>& list) {
    context_.budget.take_bytes(sizeof(FileValue) + name_bytes, "values");
    list.push_back(std::move(value));
  }

  void read_value(Message message, std::vector<FileValue>& list) {
    FileValue value;
    WireReader reader(context_.source, message, onnx::value_info_table);
    while (reader.next()) {
      if (reader.number() == onnx::value_info_field::name) value.name = reader.text();
    }
    findings_.collect([&] { value.type = onnx::read_value_info(context_, message).type; },
                      value.name);
    add_value(std::move(value), list);
  }

  void read_initializer(Message message, FileGraph& graph) {
    FileInitializer initializer;
    WireReader reader(context_.source, message, onnx::tensor_table);
    while (reader.next()) {
      if (reader.number() == onnx::tensor_field::name) initializer.name = reader.text();
    }
    findings_.collect(
        [&] { initializer.element = onnx::read_tensor(context_, message).tensor.type(); },
        initializer.name);
    context_.budget.take_bytes(sizeof(FileInitializer), "initializers");
    graph.initializers.push_back(initializer);
  }

  void read_sparse(Message message, FileGraph& graph) {
    FileInitializer initializer;
    initializer.is_sparse = true;
    findings_.collect([&] {
      initializer.element =
          onnx::read_sparse_tensor(context_, message, &initializer.name).values.type();
    });
    context_.budget.take_bytes(sizeof(FileInitializer), "initializers");
    graph.initializers.push_back(initializer);
  }

  void read_node(Message message, std::size_t graph_index, int depth) {
    context_.budget.take_node();
    context_.budget.take_bytes(sizeof(FileNode), "nodes");
    FileNode node;
    node.index = model_.graphs[graph_index].nodes.size();
    std::vector<Message> attributes;
    WireReader reader(context_.source, message, onnx::node_table);
    while (reader.next()) {
      switch (reader.number()) {
        case onnx::node_field::input:
          context_.budget.take_bytes(sizeof(std::string_view) + 8, "inputs");
          node.inputs.push_back(reader.text());
          break;
        case onnx::node_field::output:
          context_.budget.take_bytes(sizeof(std::string_view) + name_bytes, "outputs");
          node.outputs.push_back(reader.text());
          break;
        case onnx::node_field::name:
          node.name = reader.text();
          break;
        case onnx::node_field::op_type:
          node.op_type = reader.text();
          break;
        case onnx::node_field::domain:
          node.domain = canonical_domain(reader.text());
          break;
        case onnx::node_field::overload:
          node.overload = reader.text();
          break;
        case onnx::node_field::attribute:
          attributes.push_back(reader.message());
          break;
        default:
          break;
      }
    }
    const std::size_t position = model_.graphs[graph_index].nodes.size();
    for (const Message each : attributes) {
      findings_.collect([&] { read_attribute(each, graph_index, depth, node); });
    }
    model_.graphs[graph_index].nodes.push_back(std::move(node));
    for (const std::size_t inside : model_.graphs[graph_index].nodes.back().subgraphs) {
      model_.graphs[inside].owner = position;
    }
  }

  void read_attribute(Message message, std::size_t graph_index, int depth, FileNode& node) {
    context_.budget.take_bytes(sizeof(FileAttribute), "attributes");
    FileAttribute attribute;
    std::vector<Message> graphs;
    try {
      onnx::AttributeWithGraphs read = onnx::read_attribute(context_, message);
      attribute.kind = read.attribute.reference.empty() ? read.kind : read.attribute.reference_kind;
      attribute.reference = read.attribute.reference;
      graphs = std::move(read.graphs);
    } catch (Error& error) {
      findings_.add(error.at_node(node.name, node.op_type));
    }
    std::set<std::uint32_t> value_fields;
    WireReader reader(context_.source, message, onnx::attribute_table);
    while (reader.next()) {
      if (reader.number() == onnx::attribute_field::name) attribute.name = reader.text();
      if (is_value_field(reader.number())) value_fields.insert(reader.number());
    }
    if (value_fields.size() > 1) {
      findings_.add("attribute.two_values", {node.label(), {}},
                    format("attribute {} holds values of {} kinds", quote(attribute.name),
                           value_fields.size()));
    }
    node.attributes.push_back(std::move(attribute));
    for (const Message each : graphs) {
      context_.budget.take_bytes(sizeof(FileGraph), "graphs");
      node.subgraphs.push_back(model_.graphs.size());
      open_.push_back({model_.graphs.size(), each, depth + 1});
      FileGraph& graph = model_.graphs.emplace_back();
      graph.around = graph_index;
      graph.function = model_.graphs[graph_index].function;
    }
  }

  onnx::LoadContext& context_;
  Findings& findings_;
  FileModel model_;
  std::vector<OpenGraph> open_;
};

}  // namespace

std::string FileNode::label() const {
  const std::string shown =
      name.empty() ? format("{}_{}", shorten(op_type, 60), index) : shorten(name, 120);
  return format("'{}' ({})", shown, shorten(op_type, 60));
}

std::int64_t FileModel::opset(const FileGraph& graph, std::string_view domain) const {
  const auto& known =
      graph.function == FileGraph::none ? versions : functions[graph.function].versions;
  const auto found = known.find(domain);
  return found != known.end() ? found->second : 0;
}

const FileFunction* FileModel::find_function(const FileNode& node) const {
  const auto found = function_places.find({node.domain, node.op_type, node.overload});
  return found != function_places.end() ? &functions[found->second] : nullptr;
}

FileModel read_file_model(onnx::LoadContext& context, Findings& findings) {
  return FileReader(context, findings).read();
}

}  // namespace ortool
