// Early checks: files that options name.
#include "apps/ortool/options/early_checks.hpp"

#include <filesystem>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/dataset/file_tree.hpp"

namespace ortool {
namespace {

/// Options whose values are files or folders to read.
constexpr std::string_view read_options[] = {
    "inputs", "input-dir",        "image-config",    "expect", "labels",    "data",     "test-dir",
    "rules",  "calibration-data", "validation-data", "diff",   "reference", "errors-of"};

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Throws what opening the file throws, with the nearest name as a hint.
void check_is_there(const std::string& path) {
  if (!is_there(path)) static_cast<void>(MappedFile::open(path));
}

/// "NAME=FILE", where a NAME may contain equals signs and colons, or the path of a file.
void check_named_file(const std::string& text) {
  if (is_there(text)) return;
  const std::size_t first = text.find_first_of("=:");
  if (first == std::string::npos) return;
  for (std::size_t mark = first; mark != std::string::npos;
       mark = text.find_first_of("=:", mark + 1)) {
    const std::string path = text.substr(mark + 1);
    if (path == "-" || is_there(path)) return;
  }
  const std::size_t equals = text.find('=');
  check_is_there(text.substr((equals != std::string::npos ? equals : first) + 1));
}

}  // namespace

void check_before_loading(const OptionValues& options) {
  for (const std::string_view option : read_options) {
    for (const std::string& path : options.all(option)) {
      if (path == "-" || (is_file_glob(path) && !is_there(path))) continue;
      check_is_there(path);
    }
  }
  for (const std::string& text : options.all("input")) check_named_file(text);
}

std::string hint_for_expanded_pattern(const OptionValues& options, std::string_view argument) {
  const std::filesystem::path other(argument);
  for (const std::string_view option : {"data", "calibration-data", "validation-data"}) {
    for (const std::string& value : options.all(option)) {
      const std::filesystem::path path(value);
      const bool is_like = path.has_extension() && path.extension() == other.extension() &&
                           path.parent_path() == other.parent_path();
      if (!is_like || !is_there(value)) continue;
      const std::string pattern = (path.parent_path() / ("*" + path.extension().string())).string();
      return format("quote a pattern, so that the shell does not expand it: --{} '{}'", option,
                    pattern);
    }
  }
  return {};
}

}  // namespace ortool
