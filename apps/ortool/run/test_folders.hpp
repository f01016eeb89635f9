// Test folders of a model: test_data_set_N with inputs and expected outputs.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/verify/output_judge.hpp"

namespace ortool {

/// The test folders in `folder`, by number. Throws ErrorCode::invalid if there are none.
std::vector<std::string> find_test_folders(const std::string& folder);

/// Runs each folder's inputs (input_N.pb) and compares with its outputs (output_N.pb); adds a line
/// per folder to the report's text and a block to `tests`. False if one failed.
bool run_test_folders(const Invocation& invocation, const Session& session,
                      const RunOptions& run_options, const Judge& judge,
                      const std::vector<std::string>& folders, Json& tests);

}  // namespace ortool
