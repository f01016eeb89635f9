// Model: the main graph, functions, opsets and producer information of a model file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph_fwd.hpp"
#include "libcore/graph/node.hpp"

namespace ortool {

/// A model-local function: an operator defined by a graph.
struct Function {
  std::string name;
  std::string domain;
  std::string overload;
  std::vector<std::string> attributes;  ///< attributes without a default
  std::vector<Attribute> attribute_defaults;
  std::unique_ptr<Graph> body;  ///< holds the function's opset imports
  std::string doc_string;
  Metadata metadata;
  SourceFormat spelling = SourceFormat::not_from_file;
  Residue residue;
};

/// A file with external weights.
struct ExternalFile {
  std::string path;
  std::int64_t bytes = 0;
};

struct Model {
  std::int64_t ir_version = 0;
  std::string producer_name;
  std::string producer_version;
  std::string domain;
  std::int64_t model_version = 0;
  std::string doc_string;
  Metadata metadata;
  std::unique_ptr<Graph> graph;  ///< holds the model's opset imports
  std::vector<Function> functions;
  std::vector<ExternalFile> external_files;
  SourceFormat spelling = SourceFormat::not_from_file;
  Residue residue;  ///< unknown fields, and the parts on training and devices
  /// Keeps the bytes that every Residue and TypeExtras in this model points to.
  std::shared_ptr<const void> file;
  std::string directory;              ///< where external data was searched; empty: nowhere
  bool has_external_data = true;      ///< false: external tensors hold zeros instead of their data
  std::vector<std::string> warnings;  ///< irregularities of the file that were accepted

  // Of the main graph.
  std::span<Value* const> inputs() const;
  std::span<Value* const> outputs() const;
  Value* find_value(std::string_view name) const;
  /// The opset version of `domain`, or 0.
  std::int64_t opset(std::string_view domain) const;
};

/// Before IR 4, every initializer had to be a graph input as well. In such models, inputs with a
/// default become the constants that they were meant to be. Newer models are unchanged.
void resolve_legacy_defaults(Model& model);

/// "" for "ai.onnx", otherwise the domain itself.
std::string_view canonical_domain(std::string_view domain);

}  // namespace ortool
