// Verification report: comparison of the original with the result.
#pragma once

#include <string>

#include "libcore/json/json.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

/// {runs, max_abs_error, max_rel_error, passed, …}.
Json verification_block(const Verification& verification);
/// Notes on the comparison, as lines: tolerances of 16-bit floats, pinned random
/// seeds. May be empty.
std::string conditions_text(const Verification& verification);
/// One line about the comparison by stages; empty if there was none.
std::string stages_text(const Verification& verification);

}  // namespace ortool
