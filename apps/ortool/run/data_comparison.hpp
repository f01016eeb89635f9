// Comparison over a data set: run --data --compare, where each sample runs in the variants as well.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/run/variant_session.hpp"
#include "libcore/dataset/sample_set.hpp"
#include "libcore/verify/divergence.hpp"
#include "libcore/verify/output_judge.hpp"

namespace ortool {

class DataComparison {
 public:
  /// Makes a session for each variant. `reference` is the session of the run.
  DataComparison(Invocation& invocation, std::span<const Variant> variants,
                 const Session& reference, const std::string& model_path, const Judge& judge);

  /// Runs a sample in all variants and compares it with the outputs of the reference.
  void add(const Sample& sample, const std::vector<RunValue>& outputs, const RunOptions& options);
  /// Adds lines to the report and blocks to `comparison`; nothing without samples. False if any
  /// output differs.
  bool report(Json& comparison);

 private:
  /// One output in one variant, over all samples.
  struct Outcome {
    std::int64_t samples = 0;
    std::int64_t different = 0;
    std::string sample;      ///< the first different one, or the one with the largest error
    Judge::Verdict verdict;  ///< of that sample
  };
  struct ComparedVariant {
    ComparedVariant(Invocation& invocation, const Variant& given, const std::string& model_path,
                    std::span<const std::string> outputs)
        : variant(given), session(invocation, given, model_path, outputs) {}
    const Variant& variant;
    VariantSession session;
    std::map<std::string, Outcome> outcomes;  ///< by output
    std::optional<DivergenceSearch> search;   ///< of the first different sample
  };

  static void count(const std::string& sample, Judge::Verdict verdict, Outcome& outcome);

  Invocation& invocation_;
  const Session& reference_;
  Judge judge_;
  std::int64_t samples_ = 0;
  std::vector<std::size_t> positions_;  ///< of the chosen outputs
  std::vector<std::unique_ptr<ComparedVariant>> variants_;
};

}  // namespace ortool
