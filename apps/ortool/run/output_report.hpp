// The outputs in the report: their content, or their highest scores, and the files they went to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/dataset/values/output_files.hpp"

namespace ortool {

/// Writes the outputs where --output-dir says, and adds a line and a block each to the report; with
/// --top or labels their highest scores too. Throws ErrorCode::invalid when no output has scores to
/// rank, ErrorCode::write_failed when a file cannot be written.
void report_outputs(Invocation& invocation, std::span<const Output> outputs,
                    std::span<const std::string> labels);

}  // namespace ortool
