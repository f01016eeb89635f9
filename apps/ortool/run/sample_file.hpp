// Sample file of --save-outputs: outputs or predictions of each sample, as JSON lines or CSV.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/ortool/run/ranked_scores.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// Whether the path says CSV, which holds predictions only.
bool is_csv_file(const std::string& path);

/// One sample with what came of it.
struct SampleResult {
  const Sample& sample;
  const std::vector<RunValue>& outputs;
  std::span<const double> scores;  ///< of the metric
  const RankedScores* ranked;      ///< null without --top
};

/// Written as the samples come; replaces the file in commit().
class SampleFile {
 public:
  SampleFile(const OptionValues& options, const Session& session,
             std::span<const std::string> labels);

  void add(const SampleResult& result);
  void commit();
  const std::string& path() const { return file_.path(); }

 private:
  Json line_of(const SampleResult& result) const;

  const Session& session_;
  std::vector<std::size_t> positions_;  ///< of the chosen outputs
  std::vector<std::string> labels_;
  bool is_csv_;
  bool has_probabilities_;
  AtomicFile file_;
  std::string buffered_;
};

}  // namespace ortool
