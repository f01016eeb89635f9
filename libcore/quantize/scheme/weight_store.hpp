// Weight store: spills large quantized weights to disk until the model is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcore/base/file/anonymous_file.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Spills weights once they exceed a memory limit. Not thread-safe.
class QuantizedWeightStore {
 public:
  /// Keeps `max_bytes` in memory and the rest in an unnamed file in `folder`; if none can be
  /// created there, everything stays in memory.
  QuantizedWeightStore(std::string folder, std::int64_t max_bytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  /// The same tensor, possibly backed by the file. Throws ErrorCode::write_failed when the disk is
  /// full.
  Tensor keep(Tensor tensor);

  /// An empty store in the same folder, for a model with a shorter lifetime.
  QuantizedWeightStore another() const { return {folder_, max_bytes_}; }

  std::int64_t bytes_in_file() const { return file_bytes_; }

 private:
  std::string folder_;
  std::int64_t max_bytes_;
  std::int64_t kept_bytes_ = 0;
  std::int64_t file_bytes_ = 0;
  bool is_tried_ = false;
  std::optional<AnonymousFile> file_;
};

/// `tensor`, spilled if there is a store.
inline Tensor kept(Tensor tensor, QuantizedWeightStore* store) {
  return store != nullptr ? store->keep(std::move(tensor)) : tensor;
}

}  // namespace ortool
