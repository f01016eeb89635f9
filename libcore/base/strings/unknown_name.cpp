// Error messages for unknown names.
#include "libcore/base/strings/unknown_name.hpp"

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {

Error unknown_name(std::string_view what, std::string_view wanted, std::string_view plural,
                   std::span<const std::string> known) {
  NearestName nearest(wanted);
  for (const std::string& name : known) nearest.offer(name);
  std::string hint;
  if (!nearest.best().empty()) hint = format("did you mean {}? ", quote(nearest.best()));
  hint += known.empty() ? format("there are no {}", plural)
                        : format("the {} are: {}", plural, list_names(known, 420));
  return Error(ErrorCode::invalid, format("unknown {} {}", what, quote(wanted)), hint)
      .with_id("usage.unknown_name");
}

}  // namespace ortool
