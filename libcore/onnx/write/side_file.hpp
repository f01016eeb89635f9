// The new file of weights beside a model that is being written.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/file/atomic_file.hpp"

namespace ortool::onnx {

/// Gathers the bytes of tensors and their places; nothing is written before write().
class SideFile {
 public:
  /// `model_path` is the file being written, `wanted_name` a name in its folder or empty.
  SideFile(const std::string& model_path, std::string wanted_name);
  /// One that has a name and is never written, for texts that only look like a file.
  static SideFile nowhere();

  /// Gives `bytes`, which must stay until write(), a place and returns it: the same place for the
  /// same bytes, which tensors may share. Large pieces start on a page.
  std::int64_t add(std::span<const std::byte> bytes);
  /// The name for the model to refer to; takes a free one in the folder at the first call. Throws
  /// ErrorCode::invalid, "save.external_name", for a name that is no plain file name or is taken.
  const std::string& name();
  bool is_used() const { return !pieces_.empty(); }
  std::int64_t size_bytes() const { return size_bytes_; }

  /// Writes the file under its name, unless `stop` is requested meanwhile: that is thrown. Until
  /// keep() it goes away with this object.
  void write(const StopToken* stop = nullptr);
  void keep();

 private:
  struct Piece {
    std::int64_t offset;
    std::span<const std::byte> bytes;
  };

  bool is_nowhere_ = false;
  std::string model_path_;
  std::string folder_;  ///< with its slash, or empty
  std::string name_;
  std::optional<FreshFile> reserved_;
  std::vector<Piece> pieces_;
  std::map<std::pair<const std::byte*, std::size_t>, std::int64_t> offsets_;  ///< of pieces
  std::int64_t size_bytes_ = 0;
};

/// Writes bytes that may be mapped, and lets the mapped pages go behind it. Throws the reason
/// to stop once that is requested.
void write_and_drop(AtomicFile& file, std::span<const std::byte> bytes, const StopToken* stop);

}  // namespace ortool::onnx
