// Session cache: where the derived constants of a session are kept between starts.
#pragma once

#include <memory>
#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/provider/cache/derived_store.hpp"

namespace ortool {

struct SessionOptions;

/// What became of a session's cache.
struct CacheReport {
  std::string path;         ///< of the file; empty: the session has no cache
  bool hit = false;         ///< the file was read
  std::string reason;       ///< why it was not, in words
  bool is_rebuilt = false;  ///< there was a file, but it was of no use
  std::string failure;      ///< why no file was written; empty: it was, or need not be
  std::int64_t size_bytes = 0;
  bool has_packed = false;     ///< the model's file holds packed weights
  std::string packed_refusal;  ///< why they are not used, in words; empty: they are
};

/// The cache file of one model with one set of options, in a folder that any number of processes
/// use at the same time. Its name is a hash of model, options, processor and build.
class SessionCache {
 public:
  /// Reads the files of the model's weights only if they are not known in this folder yet.
  SessionCache(const SessionOptions& options, Model& model);

  const std::string& path() const { return path_; }
  /// A store that reads the file; null with the reason if there is no usable one.
  std::unique_ptr<DerivedStore> read(CacheReport& report);
  /// A store that writes the file; null with the reason if that is not possible.
  std::unique_ptr<DerivedStore> write(CacheReport& report);
  /// Keeps the folder within the limit of the options.
  void trim() const;

 private:
  ContentKeyRegistry contents_;
  std::string folder_;
  std::int64_t limit_bytes_;
  std::string path_;
};

}  // namespace ortool
