// Reading a model file: mapped, walked field by field, weights left where they lie.
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
  int most_nesting = 100;          ///< of protobuf messages
  int most_subgraph_depth = 32;
  /// What a model from standard input counts against, which must outlive it; null: a limit of half
  /// the machine's memory.
  MemoryCap* cap = nullptr;
};

/// Reads the ONNX model at `path` ("-": standard input). Initialisers are views of the mapped file,
/// which they keep alive. Throws ErrorCode::invalid naming file, place and field for anything that
/// is missing, cut, or breaks ONNX's rules; nothing is allocated for sizes that the file cannot
/// hold.
std::unique_ptr<Model> load_model(const std::string& path, const LoadOptions& options = {});

/// The same from bytes that `owner` keeps alive; `name` stands for the file in errors, `directory`
/// is where external data is looked for (empty: none is allowed).
std::unique_ptr<Model> load_model_from_bytes(std::span<const std::byte> bytes,
                                             std::shared_ptr<const void> owner,
                                             const std::string& name, const std::string& directory,
                                             const LoadOptions& options = {});

/// Reads a TensorProto from a .pb file; its name goes to `name` when not null.
Tensor load_tensor(const std::string& path, std::string* name = nullptr);

}  // namespace ortool
