// JSON of the files that data sets use and skip.
#pragma once

#include <map>
#include <string>

#include "libcore/dataset/file_tree.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// [{set, found, used, skipped: [{kind, count, reason}]}], by the path of the set.
Json data_files_block(const std::map<std::string, FileUse>& sets);

}  // namespace ortool
