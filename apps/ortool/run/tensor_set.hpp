// Tensors for several inputs or outputs: a folder of files, or an .npz.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/memory_cap.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/io/tensor_file.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

class NpzFile;

/// What a file's reader needs to know of the value that the tensor is for.
TensorFileOptions file_options_for(const Value& value, MemoryCap& cap);

/// Files of a folder are called by a value's name or by its position ("input_0.pb"); a numbered .pb
/// that holds the name of a value goes by that name. Arrays of an .npz go by name, or by position.
/// Nothing is read before it is asked for, and no name of a model becomes a path.
class TensorSet {
 public:
  /// Opens what `path` names. `kind` is "input" or "output", as in the numbered names. Throws
  /// ErrorCode::invalid when there is neither a folder nor an .npz.
  TensorSet(std::string path, std::string kind);
  ~TensorSet();

  /// A tensor found, and where.
  struct Found {
    Tensor tensor;
    std::string source;
  };
  std::optional<Found> find(const Value& value, std::size_t position, MemoryCap& cap) const;

  /// Throws ErrorCode::invalid when it holds something that belongs to none of `values`. Files of a
  /// folder that are called after the other kind are left alone.
  void check_all_known(std::span<Value* const> values) const;
  bool is_empty() const;

 private:
  /// Whether the numbered .pb `file` says inside that it is the value `name`.
  bool names_itself(const std::string& file, std::string_view name) const;

  std::string path_;
  std::string kind_;
  std::unique_ptr<NpzFile> archive_;
  std::vector<std::string> files_;  ///< names of the folder's tensor files, sorted
};

}  // namespace ortool
