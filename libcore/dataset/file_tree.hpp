// File tree: the files below a folder, or those that match a glob, in a fixed order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ortool {

/// Files of one kind that a data set does not use.
struct SkippedFiles {
  std::string kind;  ///< ".heic", or "folder" and so on
  std::string reason;
  std::int64_t count = 0;
};

/// How many of the files that were found a data set uses.
struct FileUse {
  std::int64_t found = 0;
  std::int64_t used = 0;
  std::vector<SkippedFiles> skipped;
};

/// Files below a folder: those of a folder in byte order, then those of its folders in byte order.
/// Hidden files (".name") and hidden folders are left out.
struct FileTree {
  std::string root;
  std::vector<std::string> folders;  ///< directly in `root`, in byte order
  std::vector<std::string> files;    ///< regular files, relative to `root`
  /// Entries that are not searched or are not regular files, by kind and reason.
  std::map<std::pair<std::string, std::string>, std::int64_t> not_files;
};

std::string join_path(const std::string& folder, const std::string& name);

/// All files below `folder`. Links are followed; each folder is searched only once, whatever number
/// of links lead to it. Throws ErrorCode::invalid for folders that cannot be listed.
FileTree list_file_tree(const std::string& folder);

/// Whether the path is a pattern: it contains * or ?.
bool is_file_glob(std::string_view path);

/// The files that match a pattern: * and ? match within one name, a name ** any number of folders.
/// `root` is the folder in front of the first name with a wildcard.
FileTree list_matching_files(const std::string& pattern);

}  // namespace ortool
