// The machine a report was made on.
#pragma once

#include "libcore/json/json.hpp"

namespace ortool {

/// {cpu, isa[], cores, memory_bytes, os, governor, throttled, providers[]}; null where the system
/// does not say.
Json environment_block();

/// The text of a small file of the system without its last line feed; empty when it cannot be read.
std::string read_system_file(const char* path);

}  // namespace ortool
