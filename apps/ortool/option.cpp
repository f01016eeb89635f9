// Option table lookup.
#include "apps/ortool/option.hpp"

namespace ortool {

const OptionSpec* find_option(const std::vector<OptionGroup>& groups, std::string_view name) {
  for (const OptionGroup& group : groups) {
    for (const OptionSpec& option : group.options) {
      if (option.name == name) return &option;
    }
  }
  return nullptr;
}

std::vector<std::string> option_names(const std::vector<OptionGroup>& groups,
                                      std::string_view prefix) {
  std::vector<std::string> names;
  for (const OptionGroup& group : groups) {
    for (const OptionSpec& option : group.options) {
      if (!option.is_planned) names.push_back(std::string(prefix).append(option.name));
    }
  }
  return names;
}

}  // namespace ortool
