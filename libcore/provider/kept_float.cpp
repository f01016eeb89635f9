// Kept float: by names and operator types.
#include "libcore/provider/kept_float.hpp"

#include <algorithm>

#include "libcore/base/strings/glob.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {

KeepsFloat keep_matching(std::vector<std::string> globs, std::vector<std::string> op_types) {
  if (globs.empty() && op_types.empty()) return nullptr;
  return [globs = std::move(globs), op_types = std::move(op_types)](const Node& node) {
    if (std::find(op_types.begin(), op_types.end(), node.op_type()) != op_types.end()) return true;
    const std::vector<std::string> names = origins_of(node);
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string& name) { return matches_glob(name, glob); });
    });
  };
}

}  // namespace ortool
