// Constants that a session derives from those of its model: folded, aligned, packed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/provider/cache/cache_file.hpp"
#include "libcore/provider/cache/content_key.hpp"
#include "libcore/provider/cache/packed_bytes.hpp"

namespace ortool {

class ConstantStore;
class NodeView;
class Node;

/// Smaller results are computed at each start.
inline constexpr std::int64_t min_derived_bytes = std::int64_t{16} << 10;

/// Finds derived constants in a cache file, or computes them and writes such a file. Each has a key
/// of everything on which it depends, so that an entry that is found is the right one, whatever
/// file it is in. Used by one thread, while one session is constructed.
class DerivedStore {
 public:
  /// Reads: everything is found, or stale() says that it is not.
  DerivedStore(CacheFile file, ContentKeyRegistry& contents);
  /// Writes.
  DerivedStore(std::unique_ptr<CacheWriter> writer, ContentKeyRegistry& contents);

  bool is_reading() const { return file_.has_value(); }
  /// Begins the kernel of these nodes, on which the following packed constants depend.
  void begin_kernel(const NodeView& view, std::string_view provider);
  /// Ends it: nothing is packed for the cache until the next begin_kernel().
  void end_kernel() { kernel_.clear(); }

  /// The packed constants of the current kernel: found, or `pack` fills new memory. `parameters`
  /// are those of the packing that do not follow from the nodes, such as the instruction set.
  /// Throws ErrorCode::no_conclusion, "cache.stale", when a file is read that does not have them.
  PackedBytes pack(std::int64_t bytes, std::initializer_list<std::int64_t> parameters,
                   MemoryCap* cap, FunctionRef<void(std::byte*)> pack);

  /// A number that the current kernel finds by reading its constants: kept with what it packs.
  /// Throws as pack().
  std::int64_t number(FunctionRef<std::int64_t()> compute);

  /// A tensor computed from constants: found, or what `compute` returns, which is written. `key`
  /// tells everything on which it depends, constants by key_of(). Another type or shape than those
  /// given is not written. Throws as pack().
  Tensor derive(const std::string& key, DataType type, const Shape& shape,
                FunctionRef<Tensor()> compute);

  /// What identifies the content of a constant of the model, or of one derived here.
  std::string key_of(const Tensor& constant);

  /// Whether all that was found has its checksums. To be called before results that depend on it
  /// leave the session.
  bool is_intact(Workers& workers) const;
  std::int64_t size_bytes() const { return file_ ? file_->size_bytes() : 0; }
  /// Finishes the file that is written; the reason if that failed, then or before. Writes none if
  /// nothing was derived.
  std::string commit(const StopToken* stop);

 private:
  const CacheEntry& find(const CacheKey& key);
  void write(const CacheKey& key, const CacheKey& content, std::span<const std::byte> bytes);

  std::optional<CacheFile> file_;
  std::unique_ptr<CacheWriter> writer_;
  std::string write_failure_;
  ContentKeyRegistry& contents_;
  std::string kernel_;    ///< describes the current one; empty: nothing is kept
  int packed_count_ = 0;  ///< by the current kernel
  int number_count_ = 0;  ///< of the current kernel
  std::vector<const CacheEntry*> found_;
};

}  // namespace ortool
