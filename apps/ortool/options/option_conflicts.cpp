// Messages of option conflicts.
#include "apps/ortool/options/option_conflicts.hpp"

#include "libcore/base/format.hpp"

namespace ortool {

Error applies_to_nothing(std::string message, std::string hint) {
  return Error(ErrorCode::invalid, std::move(message), std::move(hint))
      .with_id("usage.applies_to_nothing");
}

Error no_effect(std::string_view option, std::string_view because, std::string hint) {
  return applies_to_nothing(format("option --{} has no effect {}", option, because),
                            std::move(hint));
}

void refuse_any(const OptionValues& options, std::initializer_list<std::string_view> names,
                std::string_view because, std::string_view hint) {
  for (const std::string_view name : names) {
    if (options.has(name)) throw no_effect(name, because, std::string(hint));
  }
}

}  // namespace ortool
