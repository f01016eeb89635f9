// Setting names in messages: as the program's options, or plain for programs that use the library.
#pragma once

#include <string>
#include <string_view>

namespace ortool {

/// How messages name a setting: "max-memory", with the prefix in front. The names are those of the
/// program's options.
std::string setting_name(std::string_view name);

/// Names get this in front from now on, in all threads: the program's are options, "--max-memory".
/// Empty at first. To be called before other threads start.
void set_setting_prefix(std::string_view prefix);

}  // namespace ortool
