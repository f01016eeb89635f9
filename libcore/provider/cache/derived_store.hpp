// Constants that a session derives from those of its model: folded, aligned, packed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
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
/// file it is in. Used while one session is constructed, whose threads compile kernels at the same
/// time: what each writes is kept until write_kernels(), so that equal sessions write equal files.
class DerivedStore {
 public:
  /// Reads: everything is found, or stale() says that it is not.
  DerivedStore(CacheFile file, ContentKeyRegistry& contents);
  /// Writes.
  DerivedStore(std::unique_ptr<CacheWriter> writer, ContentKeyRegistry& contents);

  bool is_reading() const { return file_.has_value(); }
  /// Begins the kernel of these nodes, on which what this thread packs from now on depends.
  /// `number` gives its place among those that write_kernels() writes.
  void begin_kernel(const NodeView& view, std::string_view provider, std::size_t number);
  /// Ends the kernel of this thread.
  void end_kernel();
  /// Writes what the kernels that were ended since the last call have derived.
  void write_kernels();

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
  struct Entry {
    CacheKey key;
    CacheKey content;
    PackedBytes bytes;
  };
  struct Kernel {
    std::string text;  ///< describes it; empty: nothing that it packs is kept
    std::size_t number = 0;
    int packed_count = 0;
    int number_count = 0;
    std::vector<Entry> entries;  ///< to be written
  };

  Kernel* kernel_of_thread();
  std::string describe(const NodeView& view, std::string_view provider);
  const CacheEntry& find(const CacheKey& key);
  void keep(Entry entry);
  void write(const Entry& entry);

  std::optional<CacheFile> file_;
  std::unique_ptr<CacheWriter> writer_;
  std::string write_failure_;
  std::mutex contents_mutex_;
  ContentKeyRegistry& contents_;
  std::mutex mutex_;  ///< guards these three
  std::map<std::thread::id, Kernel> kernels_;
  std::map<std::size_t, std::vector<Entry>> ended_;
  std::vector<const CacheEntry*> found_;
};

}  // namespace ortool
