// A model as the file has it, names and all, before anything is required to make sense.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "libcore/check/finding.hpp"
#include "libcore/graph/attribute.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool {

// All names are views of the file's bytes.

struct FileAttribute {
  std::string_view name;
  AttributeKind kind = AttributeKind::undefined;  ///< undefined: it could not be read
  std::string reference;                          ///< of a function's attribute
};

struct FileNode {
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;  ///< "" for ai.onnx
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<FileAttribute> attributes;
  std::vector<std::size_t> subgraphs;  ///< in FileModel::graphs
  std::size_t index = 0;               ///< in its graph

  /// "'name' (Type)", with "<Type>_<index>" for a node without a name.
  std::string label() const;
};

struct FileValue {
  std::string_view name;
  ValueType type;
};

struct FileInitializer {
  std::string_view name;
  DataType element = DataType::undefined;  ///< undefined: it could not be read
  bool is_sparse = false;
};

/// A main graph, subgraph or function body.
struct FileGraph {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::string_view name;
  std::size_t around = none;    ///< of a subgraph: the graph that the owner is in
  std::size_t owner = none;     ///< of a subgraph: the node in that graph
  std::size_t function = none;  ///< in FileModel::functions; of subgraphs inside it too
  std::vector<FileValue> inputs;
  std::vector<FileValue> outputs;
  std::vector<FileValue> value_infos;
  std::vector<FileInitializer> initializers;
  std::vector<FileNode> nodes;
};

struct FileOpset {
  std::string_view domain;
  std::int64_t version = 0;
};

struct FileFunction {
  std::string_view name;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> attributes;  ///< with and without defaults
  std::vector<FileOpset> opsets;
  std::map<std::string_view, std::int64_t> versions;  ///< of `opsets`, the first of each domain
  std::size_t graph = FileGraph::none;
};

struct FileModel {
  std::int64_t ir_version = 0;
  std::vector<FileOpset> opsets;
  std::map<std::string_view, std::int64_t> versions;
  std::vector<std::string_view> metadata_keys;
  std::vector<FileFunction> functions;
  /// Domain, name and overload to the place in `functions`, the first of each.
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::size_t>
      function_places;
  std::deque<FileGraph> graphs;  ///< the main graph first, if there is one

  /// The version of `domain` that holds in `graph`, or 0.
  std::int64_t opset(const FileGraph& graph, std::string_view domain) const;
  const FileFunction* find_function(const FileNode& node) const;
};

/// Reads every part of the file on its own, with the loader's readers. What one of them refuses
/// becomes a finding, and the rest is read on; only broken wire format ends a graph early. Tensors
/// are read and let go again, external data included when the context's options say so.
FileModel read_file_model(onnx::LoadContext& context, Findings& findings);

}  // namespace ortool
