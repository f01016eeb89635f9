// File trees: walks folders without following a link in circles.
#include "libcore/dataset/file_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include <sys/stat.h>

#include "libcore/base/file/file.hpp"
#include "libcore/base/file/list_folder.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/function_ref.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/base/strings/parse_number.hpp"

namespace ortool {
namespace {

constexpr int max_folder_depth = 256;

/// Whether a file, or a folder to search, is wanted, by its path relative to the root.
struct TreeFilter {
  FunctionRef<bool(const std::string& file)> takes_file;
  FunctionRef<bool(const std::string& folder)> enters_folder;
};

class TreeWalker {
 public:
  TreeWalker(FileTree& tree, const TreeFilter& filter) : tree_(tree), filter_(filter) {}

  void walk(const std::string& folder, int depth);

 private:
  std::string full_path(const std::string& relative) const {
    return relative.empty() ? tree_.root : join_path(tree_.root, relative);
  }
  void leave_out(std::string_view kind, std::string_view reason) {
    ++tree_.not_files[{std::string(kind), std::string(reason)}];
  }
  std::vector<std::string> entries(const std::string& folder) const;

  FileTree& tree_;
  const TreeFilter& filter_;
  std::set<std::pair<dev_t, ino_t>> searched_;
};

std::vector<std::string> TreeWalker::entries(const std::string& folder) const {
  std::vector<std::string> names;
  const std::string path = full_path(folder);
  const int failure = list_folder(path, [&](const std::string& name) {
    if (!name.starts_with('.')) names.push_back(name);
    return true;
  });
  if (failure != 0) {
    throw Error(ErrorCode::invalid, format("{}: cannot be listed: {}", path, error_text(failure)))
        .with_id("data.folder");
  }
  std::sort(names.begin(), names.end());
  return names;
}

void TreeWalker::walk(const std::string& folder, int depth) {
  struct stat status = {};
  if (::stat(full_path(folder).c_str(), &status) == 0 &&
      !searched_.emplace(status.st_dev, status.st_ino).second)
    return leave_out("folder", "a link to a folder that is searched already");
  if (depth > max_folder_depth)
    return leave_out("folder", format("more than {} folders deep", max_folder_depth));
  std::vector<std::string> folders;
  for (const std::string& name : entries(folder)) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    if (::stat(full_path(path).c_str(), &status) != 0) {
      if (filter_.takes_file(path)) leave_out("link", "its target does not exist");
    } else if (S_ISDIR(status.st_mode)) {
      if (folder.empty()) tree_.folders.push_back(name);
      if (filter_.enters_folder(path)) folders.push_back(path);
    } else if (!filter_.takes_file(path)) {
      continue;
    } else if (S_ISREG(status.st_mode)) {
      tree_.files.push_back(path);
    } else {
      leave_out("special file", "not a regular file");
    }
  }
  for (const std::string& each : folders) walk(each, depth + 1);
}

/// Matches the names of a path one by one; `may_continue`: a path that a longer one may begin with.
bool matches_names(std::span<const std::string> names, std::span<const std::string> patterns,
                   bool may_continue) {
  if (names.empty()) {
    return may_continue || std::all_of(patterns.begin(), patterns.end(),
                                       [](const std::string& each) { return each == "**"; });
  }
  if (patterns.empty()) return false;
  if (patterns.front() == "**") {
    return matches_names(names, patterns.subspan(1), may_continue) ||
           matches_names(names.subspan(1), patterns, may_continue);
  }
  return matches_glob(names.front(), patterns.front()) &&
         matches_names(names.subspan(1), patterns.subspan(1), may_continue);
}

}  // namespace

std::string join_path(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

FileTree list_file_tree(const std::string& folder) {
  FileTree tree;
  tree.root = folder;
  const auto all = [](const std::string&) { return true; };
  TreeWalker(tree, {all, all}).walk("", 0);
  return tree;
}

bool is_file_glob(std::string_view path) {
  return path.find_first_of("*?") != std::string_view::npos;
}

FileTree list_matching_files(const std::string& pattern) {
  const std::size_t wildcard = pattern.find_first_of("*?");
  const std::size_t slash = pattern.rfind('/', wildcard);
  FileTree tree;
  tree.root = slash == std::string::npos ? "." : pattern.substr(0, std::max<std::size_t>(slash, 1));
  std::error_code unknown;
  if (!std::filesystem::is_directory(tree.root, unknown)) {
    throw Error(ErrorCode::invalid,
                format("{}: there is no folder {}", shorten(pattern), quote(tree.root)),
                "check the path")
        .with_id("data.folder");
  }
  std::vector<std::string> patterns =
      split(slash == std::string::npos ? pattern : pattern.substr(slash + 1), '/');
  // Several ** in a row are as good as one, and quicker.
  patterns.erase(std::unique(patterns.begin(), patterns.end(),
                             [](const std::string& a, const std::string& b) {
                               return a == "**" && b == "**";
                             }),
                 patterns.end());
  const auto takes_file = [&](const std::string& path) {
    return matches_names(split(path, '/'), patterns, false);
  };
  const auto enters_folder = [&](const std::string& path) {
    const std::vector<std::string> names = split(path, '/');
    return matches_names(names, patterns, true);
  };
  TreeWalker(tree, {takes_file, enters_folder}).walk("", 0);
  return tree;
}

}  // namespace ortool
