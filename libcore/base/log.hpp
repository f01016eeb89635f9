// Logging to standard error, by level.
#pragma once

#include <string_view>

namespace ortool {

enum class LogLevel { trace, debug, info, warn, error, off };

/// Drops messages below `level`; the default is `warn`. Thread-safe.
void set_log_level(LogLevel level);
LogLevel log_level();

/// Writes one line with the level as prefix; control characters are escaped. Thread-safe.
void log_trace(std::string_view message);
void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warn(std::string_view message);
void log_error(std::string_view message);

}  // namespace ortool
