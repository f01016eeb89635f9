// What a comparison of the original with the result found, in the report.
#pragma once

#include <string>

#include "libcore/json/json.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

/// {runs, max_abs_error, max_rel_error, passed, …}.
Json verification_block(const Verification& verification);
/// What holds for the comparison, in lines: tolerances of 16-bit floats, numbers drawn
/// alike. Empty where nothing is to be said.
std::string conditions_text(const Verification& verification);
/// A line on the comparison by stages; empty where there was none.
std::string stages_text(const Verification& verification);

}  // namespace ortool
