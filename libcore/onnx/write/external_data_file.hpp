// The external weight file of a model that is being written.
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
#include "libcore/base/function_ref.hpp"

namespace ortool::onnx {

/// Collects tensor data and assigns offsets; nothing is written before write().
class ExternalDataFile {
 public:
  /// `model_path` is the model file being written, `wanted_name` a name in its folder, or empty.
  ExternalDataFile(const std::string& model_path, std::string wanted_name);
  /// A weight file with a name that is never written, for outlines.
  static ExternalDataFile nowhere();

  /// Assigns an offset to `bytes`, which must stay valid until write(), and returns it; equal spans
  /// get the same offset, so tensors can share data. Large data is page-aligned.
  std::int64_t add(std::span<const std::byte> bytes);
  /// The name to be stored in the model; the first call reserves an unused name in the folder.
  /// Throws ErrorCode::invalid, "save.external_name", for a name that is not a plain file name or
  /// is taken.
  const std::string& name();
  bool is_used() const { return !pieces_.empty(); }
  std::int64_t size_bytes() const { return size_bytes_; }

  /// Writes the file under its name, calling `on_chunk` before each chunk with its size in bytes.
  /// Throws if `stop` is requested meanwhile. Unless keep() is called, the file is removed with
  /// this object.
  void write(FunctionRef<void(std::int64_t)> on_chunk, const StopToken* stop = nullptr);
  void keep();

 private:
  struct Piece {
    std::int64_t offset;
    std::span<const std::byte> bytes;
  };

  bool is_nowhere_ = false;
  std::string model_path_;
  std::string folder_;  ///< including the trailing slash, or empty
  std::string name_;
  std::optional<FreshFile> reserved_;
  std::vector<Piece> pieces_;
  std::map<std::pair<const std::byte*, std::size_t>, std::int64_t> offsets_;  ///< by data span
  std::int64_t size_bytes_ = 0;
};

/// Writes bytes that may be mapped, and releases the mapped pages behind it; calls `on_chunk`
/// before each chunk with its size in bytes.
void write_and_drop(AtomicFile& file, std::span<const std::byte> bytes,
                    FunctionRef<void(std::int64_t)> on_chunk);

}  // namespace ortool::onnx
