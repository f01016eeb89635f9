// Lookup of an attribute's string among its allowed values.
#include "libcore/ops/choice.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {

std::size_t find_choice(std::string_view name, std::string_view text,
                        std::span<const std::string_view> choices) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) {
    throw Error(ErrorCode::invalid, format("attribute '{}' is {} (expected one of {})", name,
                                           quote(text), list_names(choices)));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

}  // namespace ortool
