// Class names, read from a text file.
#include "libcore/dataset/class_names.hpp"

#include <filesystem>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/parse_number.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_class_name_bytes = 64 << 20;

}  // namespace

std::vector<std::string> read_labels(const std::string& path, MemoryCap* cap) {
  std::error_code failure;
  const bool is_folder = std::filesystem::is_directory(path, failure);
  if (is_folder || path.ends_with(".json")) {
    throw Error(
        ErrorCode::invalid, format("{}: is not a file with the name of a class per line", path),
        is_folder ? format("{} miou takes a folder of label images", setting_name("metric"))
                  : format("{} map takes annotations in COCO's format", setting_name("metric")))
        .with_id("input.labels");
  }
  std::vector<std::string> labels = split(read_text_file(path, max_class_name_bytes, cap), '\n');
  if (!labels.empty() && labels.back().empty()) labels.pop_back();
  for (std::string& label : labels) {
    if (label.ends_with('\r')) label.pop_back();
  }
  if (labels.empty()) {
    throw Error(ErrorCode::invalid, format("{}: contains no labels", path),
                "write one label per line")
        .with_id("input.labels");
  }
  return labels;
}

}  // namespace ortool
