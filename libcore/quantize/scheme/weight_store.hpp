// Weight store: spills large quantized weights to disk until the model is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcore/base/file/nameless_file.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Spills weights once they exceed a memory limit. Not thread-safe.
class LevelStore {
 public:
  /// Keeps `most_bytes` in memory and the rest in an unnamed file in `folder`; if none can be
  /// created there, everything stays in memory.
  LevelStore(std::string folder, std::int64_t most_bytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  /// The same tensor, possibly backed by the file. Throws ErrorCode::write_failed when the disk is
  /// full.
  Tensor keep(Tensor tensor);

  /// An empty store in the same folder, for a model with a shorter lifetime.
  LevelStore another() const { return {folder_, most_bytes_}; }

  std::int64_t bytes_in_file() const { return file_bytes_; }

 private:
  std::string folder_;
  std::int64_t most_bytes_;
  std::int64_t kept_bytes_ = 0;
  std::int64_t file_bytes_ = 0;
  bool is_tried_ = false;
  std::optional<NamelessFile> file_;
};

/// `tensor`, spilled if there is a store.
inline Tensor kept(Tensor tensor, LevelStore* store) {
  return store != nullptr ? store->keep(std::move(tensor)) : tensor;
}

}  // namespace ortool
