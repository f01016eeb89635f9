// run --compare: the same inputs another way, and how far its outputs are.
#pragma once

#include <span>
#include <string>

#include "apps/ortool/run/variant.hpp"
#include "libcore/dataset/values/output_files.hpp"
#include "libcore/verify/divergence.hpp"

namespace ortool {

/// What the command has run already.
struct ReferenceRun {
  ObservedRun run;
  std::span<const Output> outputs;  ///< those to compare
  std::string model_path;
};

/// Runs a variant and adds a block an output to `comparison` and lines to the report's text; where
/// outputs differ, `first_divergence` too, unless that is there already. False when outputs differ.
bool compare_with_variant(Invocation& invocation, const Variant& variant, const ReferenceRun& run,
                          const Judge& judge, Json& comparison);

}  // namespace ortool
