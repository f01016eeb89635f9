// JSON of the comparison of an output with its reference.
#pragma once

#include <string_view>

#include "libcore/json/json.hpp"
#include "libcore/verify/output_judge.hpp"

namespace ortool {

/// {name, against, passed, max_abs_error, …}.
Json comparison_block(std::string_view name, std::string_view against,
                      const Judge::Verdict& verdict);

}  // namespace ortool
