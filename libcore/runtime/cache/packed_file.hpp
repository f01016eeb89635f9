// Packed file: a model file that also holds its packed weights, for one build and processor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/provider/cache/derived_store.hpp"

namespace ortool {

/// What `optimize --packed` added to a model's file: a session cache, and what tells to which
/// build, processor and model it belongs. The weights stay in the file as well, and sessions that
/// cannot use what is packed read them.
class PackedFile {
 public:
  /// Of a model that holds packed weights. Throws ErrorCode::invalid with the reason, in words
  /// that follow "they are not used:", if it belongs to another build or processor, or is damaged.
  explicit PackedFile(const Model& model);

  static bool is_in(const Model& model);

  /// A store that reads it; this object must outlive the store.
  std::unique_ptr<DerivedStore> store();
  /// Whether the file up to here is the one that was packed. Reads it only if its time says that it
  /// may have changed.
  bool is_model_intact(Workers& workers) const;

 private:
  std::span<const std::byte> image_;  ///< the session cache
  std::span<const std::byte> model_;  ///< the bytes of the file before the packed weights
  std::shared_ptr<const void> owner_;
  std::uint64_t model_checksum_ = 0;
  bool has_changed_time_ = false;
  ContentKeyRegistry contents_{""};
};

/// Writes the model file at `model_path` and the session cache at `cache_path`, made from that very
/// file, as one file at `target`, atomically. Returns its size in bytes. Errors are those of
/// AtomicFile and MappedFile.
std::int64_t write_packed_file(const std::string& model_path, const std::string& cache_path,
                               const std::string& target, const StopToken* stop);

}  // namespace ortool
