// The version and the commit from which the program was built.
#pragma once

#include <string_view>

namespace ortool {

/// The release version, such as "1.2.3".
std::string_view version();

/// The commit at configuration time, or "unknown" outside a checkout.
std::string_view commit();

}  // namespace ortool
