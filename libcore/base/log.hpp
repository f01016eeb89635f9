// Messages to standard error by level.
#pragma once

#include <string_view>

namespace ortool {

enum class LogLevel { trace, debug, info, warn, error, off };

/// Messages below `level` are dropped; `warn` until set. Safe from any thread.
void set_log_level(LogLevel level);
LogLevel log_level();

/// One line each, with its level in front; control characters are escaped. Safe from any thread.
void log_trace(std::string_view message);
void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warn(std::string_view message);
void log_error(std::string_view message);

}  // namespace ortool
