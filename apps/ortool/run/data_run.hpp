// Runs run --data: the model on every sample of a data set, and its accuracy.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/evaluation/evaluation_part.hpp"
#include "apps/ortool/run/data_comparison.hpp"
#include "libcore/dataset/sample_set.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

OptionGroup data_options();

/// How the images of a data set are prepared, and what to warn of, by input.
struct ImagePreparation {
  ImageRecipes recipes;
  std::map<std::string, std::string, std::less<>> warnings;
};

/// A run over one shard of a data set, and what it found.
struct ShardRun {
  EvaluationPart part;  ///< its task has no data and items at first
  EvaluationResult found = {};
};

/// What a run over a data set needs besides the session.
struct DataRunOptions {
  std::span<const std::string> labels;
  const ImagePreparation& images;
  DataComparison* comparison = nullptr;             ///< with --compare
  std::vector<NamedValues>* kept_inputs = nullptr;  ///< gets those of the first samples
  std::size_t most_kept = 0;
  ShardRun* shard = nullptr;  ///< with --shard
};

/// Times of the runs of a data set.
struct DataTimes {
  double first_run_ms = 0;
  double run_ms = 0;  ///< the median of all
};

/// Runs every sample of the data set that --data names; adds `dataset` to the report and a line to
/// its text, and writes the file of --save-outputs. Samples that cannot be read or run are reported
/// and make the verdict ErrorCode::invalid; the others count. Throws errors that affect the whole
/// data set.
DataTimes run_data(Invocation& invocation, const Session& session, const RunOptions& run_options,
                   const DataRunOptions& options);

}  // namespace ortool
