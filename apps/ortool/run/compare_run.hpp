// Runs run --compare: the same inputs in another configuration, and the differences of outputs.
#pragma once

#include <span>
#include <string>

#include "apps/ortool/run/variant.hpp"
#include "libcore/dataset/values/output_files.hpp"
#include "libcore/verify/divergence.hpp"

namespace ortool {

/// What the command has already run.
struct ReferenceRun {
  ObservedRun run;
  std::span<const Output> outputs;  ///< those to compare
  std::string model_path;
};

/// Runs a variant and adds a block per output to `comparison` and lines to the report's text; if
/// outputs differ, also `first_divergence`, unless already present. False if outputs differ.
bool compare_with_variant(Invocation& invocation, const Variant& variant, const ReferenceRun& run,
                          const Judge& judge, Json& comparison);

/// Adds what a search for the first different value found to the report.
void report_divergence(Report& report, const Variant& variant, const DivergenceSearch& search);

}  // namespace ortool
