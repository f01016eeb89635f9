// AtomicFile: output files that are replaced completely or not at all.
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

/// How to treat a symbolic link at the output path.
enum class OnLink {
  follow,   ///< replaces the link's target
  replace,  ///< replaces the link itself; nothing is written elsewhere
};

/// The file that `path` leads to by symbolic links; `path` itself if there is none.
std::string link_target(const std::string& path);

/// A new name for a temporary file beside `target`.
std::string temporary_name(const std::string& target);

/// Writes to a temporary file next to the target and renames it in commit(). Without commit(), the
/// target is unchanged and the temporary file is removed. Targets that are devices or pipes are
/// written directly. All errors are ErrorCode::write_failed and start with the target's path. Not
/// thread-safe.
class AtomicFile {
 public:
  /// Opens the temporary file. Keeps the mode bits of an existing target unless `on_link` says to
  /// replace it whatever it is.
  explicit AtomicFile(std::string path, OnLink on_link = OnLink::follow);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Syncs to disk, closes and renames. Call it once. Throws if `stop` was requested before the
  /// rename; the target then is unchanged.
  void commit(const StopToken* stop = nullptr);
  /// Same without syncing, for files whose readers detect what a crash of the machine leaves.
  void commit_unsynced(const StopToken* stop = nullptr);

  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(std::string_view action, int number) const;
  void close_and_rename(const StopToken* stop);
  void remove_temporary() noexcept;

  std::string path_;
  std::string target_;     ///< path_ with symbolic links resolved
  std::string temporary_;  ///< empty: written directly, or already renamed
  int slot_ = -1;
  Descriptor descriptor_;
};

/// An empty file with a new unique name. Removed with this object and by remove_temporary_files(),
/// unless kept. Renaming another file to this name replaces it.
class FreshFile {
 public:
  /// Nothing when the name exists; throws ErrorCode::write_failed for any other failure.
  static std::optional<FreshFile> reserve(const std::string& path);
  FreshFile(FreshFile&& other) noexcept;
  FreshFile& operator=(FreshFile&& other) noexcept;
  ~FreshFile();

  void keep() noexcept;

 private:
  FreshFile(std::string path, int slot) : path_(std::move(path)), slot_(slot) {}

  std::string path_;  ///< empty: kept or moved from
  int slot_ = -1;
};

/// Writes a complete file at once.
void write_file(const std::string& path, std::string_view text);

/// Removes the temporary files of all open AtomicFiles. Takes no locks and allocates no memory, so
/// it is safe for signal handlers and for the thread that ends the process.
void remove_temporary_files() noexcept;

}  // namespace ortool
