// Report of run --loop: options, and generated tokens.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/generate/decode_loop.hpp"

namespace ortool {

OptionGroup loop_options();

/// Adds `loop` to the report, and the tokens with their `labels` to its text.
void report_loop(const LoopResult& result, std::span<const std::string> labels, Report& report);

}  // namespace ortool
