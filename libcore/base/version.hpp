// The version and commit this program was built from.
#pragma once

#include <string_view>

namespace ortool {

/// The released version, as "1.2.3".
std::string_view version();

/// The commit the build was configured from, or "unknown" outside a checkout.
std::string_view commit();

}  // namespace ortool
