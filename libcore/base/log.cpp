// Logging with spdlog, which only this file includes.
#include "libcore/base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// Created by the first message, so that a library that never logs starts nothing.
spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("ortool", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("%l: %v");
    made.set_level(spdlog::level::warn);
    return made;
  }();
  return instance;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
      return spdlog::level::trace;
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    default:
      return spdlog::level::off;
  }
}

void log_at(LogLevel level, std::string_view message) {
  const spdlog::level::level_enum wanted = to_spdlog(level);
  if (logger().should_log(wanted)) logger().log(wanted, escape_control_characters(message));
}

}  // namespace

void set_log_level(LogLevel level) {
  logger().set_level(to_spdlog(level));
}

LogLevel log_level() {
  for (const LogLevel level :
       {LogLevel::trace, LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error}) {
    if (to_spdlog(level) == logger().level()) return level;
  }
  return LogLevel::off;
}

void log_trace(std::string_view message) {
  log_at(LogLevel::trace, message);
}

void log_debug(std::string_view message) {
  log_at(LogLevel::debug, message);
}

void log_info(std::string_view message) {
  log_at(LogLevel::info, message);
}

void log_warn(std::string_view message) {
  log_at(LogLevel::warn, message);
}

void log_error(std::string_view message) {
  log_at(LogLevel::error, message);
}

}  // namespace ortool
