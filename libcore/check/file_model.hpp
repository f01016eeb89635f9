// FileModel: the raw content of a model file, before anything is required to be valid.
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
  AttributeKind kind = AttributeKind::undefined;  ///< undefined: unreadable
  std::string reference;                          ///< name of the function attribute
};

struct FileNode {
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;  ///< "" for ai.onnx
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<FileAttribute> attributes;
  std::vector<std::size_t> subgraphs;  ///< indices into FileModel::graphs
  std::size_t index = 0;               ///< index in its graph

  /// "'name' (Type)", with "<Type>_<index>" for an unnamed node.
  std::string label() const;
};

struct FileValue {
  std::string_view name;
  ValueType type;
};

struct FileInitializer {
  std::string_view name;
  DataType element = DataType::undefined;  ///< undefined: unreadable
  bool is_sparse = false;
};

/// A main graph, subgraph or function body.
struct FileGraph {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::string_view name;
  std::size_t around = none;    ///< for a subgraph: the graph of the owner
  std::size_t owner = none;     ///< for a subgraph: the node in that graph
  std::size_t function = none;  ///< index in FileModel::functions, also for nested subgraphs
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
  std::map<std::string_view, std::int64_t> versions;  ///< of `opsets`, first import of each domain
  std::size_t graph = FileGraph::none;
};

struct FileModel {
  std::int64_t ir_version = 0;
  std::vector<FileOpset> opsets;
  std::map<std::string_view, std::int64_t> versions;
  std::vector<std::string_view> metadata_keys;
  std::vector<FileFunction> functions;
  /// Maps domain, name and overload to the index in `functions`, the first one of each.
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::size_t>
      function_places;
  std::deque<FileGraph> graphs;  ///< the main graph is first, if there is one

  /// The version of `domain` imported for `graph`, or 0.
  std::int64_t opset(const FileGraph& graph, std::string_view domain) const;
  const FileFunction* find_function(const FileNode& node) const;
};

/// Reads every part of the file separately, with the loader's readers. What one of them rejects
/// becomes a finding, and reading continues; only an invalid wire format ends a graph early.
/// Tensors are read and discarded, including external data if the context's options say so.
FileModel read_file_model(onnx::LoadContext& context, Findings& findings);

}  // namespace ortool
