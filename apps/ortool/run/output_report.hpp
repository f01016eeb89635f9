// Report of outputs: their content or highest scores, and the files written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/dataset/values/output_files.hpp"

namespace ortool {

/// Writes the outputs to --output-dir, and adds a line and a block each to the report; with
/// --top or labels also their highest scores. Throws ErrorCode::invalid if no output has scores to
/// rank, ErrorCode::write_failed if a file cannot be written.
void report_outputs(Invocation& invocation, std::span<const Output> outputs,
                    std::span<const std::string> labels);

}  // namespace ortool
