// External tensor data: the only place where a model's content causes other files to be opened.
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

/// The location of a tensor's bytes, as given by the model.
struct ExternalReference {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

/// Parses a tensor's external_data entries. Offsets and lengths are plain decimal numbers; unknown
/// keys are added to `unknown_keys`. Throws ErrorCode::invalid, "external.*".
ExternalReference parse_external_reference(
    std::span<const std::pair<std::string, std::string>> entries,
    std::vector<std::string>& unknown_keys);

/// Throws ErrorCode::invalid, "external.path", unless `location` is a relative path of at most 4096
/// bytes that does not leave its folder.
void check_location(std::string_view location);

/// The weight files of one model, each mapped once. Opened component by component from the model's
/// folder and never through a symbolic link, so no name can lead outside of it.
class ExternalFiles {
 public:
  /// `directory` empty: external data is not allowed.
  explicit ExternalFiles(std::string directory);

  /// A view of the bytes that `reference` denotes. Throws ErrorCode::invalid if the file cannot be
  /// opened or does not hold exactly the bytes that type and shape require at that place.
  Tensor read(const ExternalReference& reference, DataType type, const Shape& shape);
  /// A tensor of zeros without physical memory, for models whose external data is not read.
  Tensor zeros(DataType type, const Shape& shape);

  std::vector<ExternalFile> files() const;

 private:
  const MappedFile& open(const std::string& location);
  Descriptor open_beneath_directory(const std::string& location);

  std::string directory_;
  Descriptor directory_descriptor_;
  std::map<std::string, MappedFile, std::less<>> mapped_;
  std::shared_ptr<const void> zeros_;
  std::int64_t zeros_bytes_ = 0;
};

}  // namespace ortool::onnx
