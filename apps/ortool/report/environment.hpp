// Environment of a report: the machine it was made on.
#pragma once

#include "libcore/json/json.hpp"

namespace ortool {

/// {cpu, isa[], cores, memory_bytes, os, governor, throttled, providers[]}; null where the system
/// does not report it. `providers` are those that the command was to use: to start others, which
/// may load large libraries, is not the report's business.
Json environment_block(const Json& providers);

/// The text of a small system file without its last line feed; empty if it cannot be read.
std::string read_system_file(const char* path);

}  // namespace ortool
