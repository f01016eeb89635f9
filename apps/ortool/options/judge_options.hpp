// Comparison options: --rtol, --atol, --min-cosine and --same-top1.
#pragma once

#include <vector>

#include "apps/ortool/option.hpp"
#include "apps/ortool/option_values.hpp"
#include "libcore/verify/output_judge.hpp"

namespace ortool {

OptionGroup judge_options();
/// --rtol and --atol only.
std::vector<OptionSpec> tolerance_options();

/// Throws ErrorCode::invalid for invalid option values.
JudgeOptions read_judge_options(const OptionValues& options);

}  // namespace ortool
