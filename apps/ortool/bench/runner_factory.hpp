// Benchmark runners in this process: sessions of variants, ready to run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/ortool/bench/bench_variant.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "libcore/measure/bench/bench_runner.hpp"

namespace ortool {

/// The variant's inputs, as a separate session gets them; warns of random and assumed values. With
/// `describes` the report gets the model's block.
std::vector<GivenInput> gather_variant_inputs(const Invocation& invocation,
                                              const BenchSettings& settings,
                                              const BenchVariant& variant, bool describes);

/// Creates runners in this process. Variants that only differ in dimensions share a session.
class RunnerFactory {
 public:
  /// Whether a session is compiled for the shapes of its inputs only.
  enum class Shapes { as_declared, fixed };

  /// The invocation and settings outlive it and its runners.
  RunnerFactory(const Invocation& invocation, const BenchSettings& settings,
                Shapes shapes = Shapes::as_declared);
  ~RunnerFactory();

  /// Loads, compiles and runs once. Throws errors of the model, inputs or providers.
  std::unique_ptr<BenchRunner> make(const BenchVariant& variant);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_session(const BenchVariant& variant, const OptionValues& options,
                                         const std::vector<GivenInput>& inputs);

  const Invocation& invocation_;
  const BenchSettings& settings_;
  Shapes shapes_;
  ThreadPool pool_;
  std::vector<std::shared_ptr<Shared>> sessions_;
  bool is_described_ = false;
};

}  // namespace ortool
