// Variants made ready in this process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/ortool/bench/bench_variant.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "libcore/measure/bench/lane.hpp"

namespace ortool {

/// The variant's inputs, as a session of its own gets them; says what was made up or guessed. With
/// `describes` the model's block goes into the report.
std::vector<GivenInput> gather_variant_inputs(const Invocation& invocation,
                                              const BenchSettings& settings,
                                              const BenchVariant& variant, bool describes);

/// Makes lanes in this process. Variants that differ in their dimensions alone share a session.
class LaneMaker {
 public:
  /// The invocation and settings outlive it and its lanes.
  LaneMaker(const Invocation& invocation, const BenchSettings& settings);
  ~LaneMaker();

  /// Loads, compiles and runs once. Throws what is wrong with model, inputs or providers.
  std::unique_ptr<Lane> make(const BenchVariant& variant);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_session(const BenchVariant& variant, const OptionValues& options);

  const Invocation& invocation_;
  const BenchSettings& settings_;
  ThreadPool pool_;
  std::vector<std::shared_ptr<Shared>> sessions_;
  bool is_described_ = false;
};

}  // namespace ortool
