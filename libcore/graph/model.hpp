// A model file's content: the main graph, functions, opsets and who made it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// A model-local function: an operator whose meaning is a graph.
struct Function {
  std::string name;
  std::string domain;
  std::string overload;
  std::vector<std::string> attributes;  ///< attributes without a default
  std::vector<Attribute> attribute_defaults;
  std::unique_ptr<Graph> body;  ///< holds the function's opset imports
  std::string doc_string;
  Metadata metadata;
  FieldPresence present_fields;
  Residue residue;
};

/// A file of weights beside the model.
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
  FieldPresence present_fields;
  Residue residue;  ///< unknown fields, and the parts on training and devices
  /// Keeps the bytes that every Residue and TypeExtras in this model points to.
  std::shared_ptr<const void> file;
  std::string directory;              ///< where external data was looked for; empty: nowhere
  bool has_external_data = true;      ///< false: external tensors hold zeros, not their data
  std::vector<std::string> warnings;  ///< what was odd about the file, accepted all the same
};

/// Before IR 4 every initialiser had to stand among the graph inputs too; in such a model the
/// inputs with a default become the constants they were meant to be. Later models stay as they are.
void resolve_legacy_defaults(Model& model);

/// "" for "ai.onnx", otherwise the domain itself.
std::string_view canonical_domain(std::string_view domain);

}  // namespace ortool
