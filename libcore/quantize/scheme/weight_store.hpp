// Where large quantised weights wait until the model is written: on the disk, not in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcore/base/file/nameless_file.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Puts weights aside once they are more than memory should hold. One thread at a time.
class LevelStore {
 public:
  /// With `most_bytes` in memory, the others in a file without a name in `folder`; where none can
  /// be made there, all stay in memory.
  LevelStore(std::string folder, std::int64_t most_bytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  /// The same tensor, whose bytes may lie elsewhere now. Throws ErrorCode::write_failed where there
  /// is no room.
  Tensor keep(Tensor tensor);

  /// An empty one beside it, for a model that may be let go before this one's.
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

/// `tensor`, put aside where there is a store.
inline Tensor kept(Tensor tensor, LevelStore* store) {
  return store != nullptr ? store->keep(std::move(tensor)) : tensor;
}

}  // namespace ortool
