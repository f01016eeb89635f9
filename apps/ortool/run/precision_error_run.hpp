// Runs run --precision-error: what 16 bits cost the outputs, node by node.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// Throws ErrorCode::invalid where --precision-error has no effect.
void check_precision_error(const OptionValues& options, std::string_view model);

/// The number of samples of --data that are measured.
inline constexpr std::size_t max_measured_samples = 32;

/// What the command has run.
struct PrecisionErrorRun {
  const std::string& model_path;
  std::span<const std::shared_ptr<const Provider>> providers;
  ThreadPool& pool;
  std::span<const NamedValues> samples;
  RunOptions options;
};

/// Runs the model in float32, and with its nodes in 16 bits one by one; adds `precision_error` and
/// a table to the report.
void report_precision_error(Invocation& invocation, const PrecisionErrorRun& run);

}  // namespace ortool
