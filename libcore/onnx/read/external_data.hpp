// The one place where a model's word leads to another file being opened.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/file/descriptor.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::onnx {

/// Where a tensor's bytes lie, as the model says it.
struct ExternalReference {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

/// Reads a tensor's external_data entries. Offsets and lengths are plain decimal numbers; entries
/// of unknown meaning go to `unknown_keys`. Throws ErrorCode::invalid, "external.*".
ExternalReference parse_external_reference(
    std::span<const std::pair<std::string, std::string>> entries,
    std::vector<std::string>& unknown_keys);

/// Throws ErrorCode::invalid, "external.path", unless `location` is a relative path of at most 4096
/// bytes that stays below the folder it starts from.
void check_location(std::string_view location);

/// The weight files beside one model, each mapped once. Opened component by component from the
/// model's folder, never through a symbolic link, so that no name leads outside of it.
class ExternalFiles {
 public:
  /// `directory` empty: no external data is allowed.
  explicit ExternalFiles(std::string directory);

  /// A view of the bytes that `reference` names. Throws ErrorCode::invalid when it cannot be opened
  /// or the file does not hold exactly the bytes that type and shape take at that place.
  Tensor read(const ExternalReference& reference, DataType type, const Shape& shape);
  /// A tensor of zeros that takes no memory, for when external data is not to be read.
  Tensor zeros(DataType type, const Shape& shape);

  std::vector<ExternalFile> files() const;

 private:
  const MappedFile& open(const std::string& location);
  Descriptor open_below_directory(const std::string& location);

  std::string directory_;
  Descriptor directory_descriptor_;
  std::map<std::string, MappedFile, std::less<>> mapped_;
  std::shared_ptr<const void> zeros_;
  std::int64_t zeros_bytes_ = 0;
};

}  // namespace ortool::onnx
