// Report of inspect --diff: differences between two models as JSON and text.
#pragma once

#include <string>
#include <string_view>

#include "libcore/graph/diff.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// The key `diff` of the document; `path` is the other model's.
Json diff_block(const ModelDiff& diff, std::string_view path);

/// One line that says whether they are the same, then the differences, the first of each kind.
std::string diff_text(const ModelDiff& diff, std::string_view path, std::string_view other_path);

}  // namespace ortool
