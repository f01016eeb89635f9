// Output files that are the old one or the whole new one, never half.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "libcore/base/file/descriptor.hpp"
#include "libcore/base/stop_token.hpp"

namespace ortool {

/// What becomes of a symbolic link that stands where a file is to be written.
enum class OnLink {
  follow,   ///< the file it points at is replaced
  replace,  ///< the link itself is: nothing is written elsewhere
};

/// Writes beside the target under a temporary name and renames at commit(). Without commit() the
/// target stays as it was and the temporary file goes. A target that is a device or pipe is written
/// straight. All errors are ErrorCode::write_failed with the target's path in front. One thread at
/// a time.
class AtomicFile {
 public:
  /// Opens the temporary file. An existing target's mode bits are kept, unless `on_link` replaces
  /// it whatever it is.
  explicit AtomicFile(std::string path, OnLink on_link = OnLink::follow);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Flushes to the disk, closes and renames. Call once. A stop that was requested before the name
  /// changes is thrown, and the target stays as it was.
  void commit(const StopToken* stop = nullptr);

  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(std::string_view action, int number) const;
  void remove_temporary() noexcept;

  std::string path_;
  std::string target_;     ///< path_ with symbolic links resolved
  std::string temporary_;  ///< empty: written straight, or already renamed
  int slot_ = -1;
  Descriptor descriptor_;
};

/// An empty file under a name that nobody had: removed with this object, and by
/// remove_temporary_files(), unless kept. What is renamed to its name takes its place.
class FreshFile {
 public:
  /// Nothing when the name is taken; throws ErrorCode::write_failed for any other failure.
  static std::optional<FreshFile> reserve(const std::string& path);
  FreshFile(FreshFile&& other) noexcept;
  FreshFile& operator=(FreshFile&& other) noexcept;
  ~FreshFile();

  void keep() noexcept;

 private:
  FreshFile(std::string path, int slot) : path_(std::move(path)), slot_(slot) {}

  std::string path_;  ///< empty: kept, or moved from
  int slot_ = -1;
};

/// Writes a whole file at once.
void write_file(const std::string& path, std::string_view text);

/// Removes the temporary files of every AtomicFile that is open. Takes no locks and no memory: for
/// signal handlers and the thread that ends the process.
void remove_temporary_files() noexcept;

}  // namespace ortool
