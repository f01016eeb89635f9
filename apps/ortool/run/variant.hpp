// Comparison variant of --compare: other settings, or another model, on the same inputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/ortool/command.hpp"

namespace ortool {

/// One --compare: settings that replace those of the command line.
struct Variant {
  std::string text;  ///< as given: "optimize=none,threads=1"
  std::string model_path;
  std::string max_isa;
  std::vector<std::pair<std::string, std::string>> options;  ///< provider, threads and so on
};

OptionGroup compare_options();

/// Parses every --compare. Throws ErrorCode::invalid for unknown keys and values,
/// ErrorCode::unsupported for planned ones, ErrorCode::provider_unavailable for an instruction
/// set that this processor lacks.
std::vector<Variant> read_variants(const OptionValues& options);

}  // namespace ortool
