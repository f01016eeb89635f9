// Checks of output files. Paths are compared as files if they exist, otherwise as absolute paths.
#include "apps/ortool/options/written_files.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const std::string& text, const std::string& path) {
  if (text.empty()) return false;
  std::error_code failure;
  if (fs::equivalent(text, path, failure)) return true;
  const fs::path here = fs::weakly_canonical(path, failure);
  if (failure) return false;
  const fs::path there = fs::weakly_canonical(text, failure);
  return !failure && here == there;
}

}  // namespace

std::int64_t count_words_naming(std::span<const std::string> words, const std::string& path) {
  return std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    if (is_same_file(word, path)) return true;
    for (std::size_t at = word.find('='); at != std::string::npos; at = word.find('=', at + 1)) {
      if (is_same_file(word.substr(at + 1), path)) return true;
    }
    return false;
  });
}

void check_can_be_written(std::string_view option, const std::string& path) {
  const auto fail = [&](std::string_view what, std::string_view hint) {
    throw Error(ErrorCode::write_failed, std::string(what), std::string(hint))
        .with_id("output.write")
        .in(path);
  };
  if (path.empty()) {
    throw Error(ErrorCode::invalid, format("option --{}: the file name is missing", option),
                "give a file name")
        .with_id("usage.output");
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) fail("is a folder", "name a file in it");
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, ignored))
    fail("cannot be written (there is no such folder)", "create the folder first");
  const bool is_special = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  if (!is_special && ::access(folder.c_str(), W_OK) != 0)
    fail("cannot be written (Permission denied)", "name a folder you may write to");
}

void check_is_no_other_file(const Invocation& invocation, std::string_view option,
                            const std::string& path) {
  const std::string dashed = "--" + std::string(option);
  const bool is_on_command_line =
      std::any_of(invocation.words.begin(), invocation.words.end(), [&](const std::string& word) {
        return word.starts_with(dashed) || (option == "output" && word.starts_with("-o"));
      });
  if (count_words_naming(invocation.words, path) <= (is_on_command_line ? 1 : 0)) return;
  throw Error(
      ErrorCode::invalid,
      format("option --{}: {} appears twice on the command line", option, quote(path)),
      "a command never overwrites a file that it reads or writes otherwise: give another name")
      .with_id("usage.overwrite");
}

}  // namespace ortool
