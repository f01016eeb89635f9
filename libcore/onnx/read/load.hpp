// Model loader: maps the file, parses it field by field, and leaves weights in the mapping.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

class MemoryCap;

struct LoadOptions {
  bool read_external_data = true;  ///< false: external tensors become empty constants of their type
  int max_nesting = 100;           ///< depth of protobuf messages
  int max_subgraph_depth = 32;
  /// The memory cap for a model from standard input, which must outlive the model; null: half of
  /// the machine's memory.
  MemoryCap* cap = nullptr;
};

/// Loads the ONNX model at `path` ("-": standard input). Initializers are views of the mapped file
/// and keep it alive. Throws ErrorCode::invalid, naming file, offset and field, for anything that
/// is missing, truncated, or violates ONNX's rules. Nothing is allocated for sizes that the file
/// cannot contain.
std::unique_ptr<Model> load_model(const std::string& path, const LoadOptions& options = {});

/// Same for bytes that `owner` keeps alive; `name` denotes the file in errors, and `directory` is
/// the folder of external data (empty: not allowed).
std::unique_ptr<Model> load_model_from_bytes(std::span<const std::byte> bytes,
                                             std::shared_ptr<const void> owner,
                                             const std::string& name, const std::string& directory,
                                             const LoadOptions& options = {});

/// Reads a TensorProto from a .pb file; its name is stored in `name` unless that is null.
Tensor load_tensor(const std::string& path, std::string* name = nullptr);

}  // namespace ortool
