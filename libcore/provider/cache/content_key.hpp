// Keys that identify the content of constants, without reading files that are known already.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "libcore/base/file/file_status.hpp"
#include "libcore/provider/cache/cache_file.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Content of a mapped file is identified by the file's SHA-256 and its place in the file, other
/// content by its own SHA-256. The SHA-256 of a file is kept in the cache folder by the file's
/// status, and computed again when that differs. Not thread-safe.
class ContentKeyRegistry {
 public:
  /// `folder` need not be writable.
  explicit ContentKeyRegistry(std::string folder) : folder_(std::move(folder)) {}

  /// Tells the SHA-256 of a file, or of the part of it that constants lie in.
  void set_digest(const FileStatus& file, std::string digest) {
    digests_[file.to_text()] = std::move(digest);
  }

  /// A text that two constants of equal type and shape share only if their content is equal. The
  /// reverse does not hold.
  std::string key_of(const Tensor& constant);

 private:
  /// Empty if the file cannot be read.
  std::string file_digest(const MappedPlace& place, std::span<const std::byte> bytes);

  std::string folder_;
  std::map<std::string, std::string> digests_;  ///< of files, by status
};

}  // namespace ortool
