// Extension options: --custom-ops and --define-op, operators that users bring.
#pragma once

#include "apps/ortool/option.hpp"
#include "apps/ortool/option_values.hpp"

namespace ortool {

OptionGroup extension_options();

/// Loads the libraries and definitions, which hold for the whole process. Throws
/// ErrorCode::invalid, starting with the file, for wrong ones.
void load_extensions(const OptionValues& options);

}  // namespace ortool
