// Benchmark runner in a child process, driven over pipes.
#pragma once

#include <memory>
#include <string_view>

#include "apps/ortool/bench/runner_factory.hpp"
#include "libcore/measure/bench/bench_result.hpp"

namespace ortool {

/// The id of the error when no child process can be started.
constexpr std::string_view no_process_id = "bench.process";

/// Starts this program again with `bench MODEL --stepped` and the variant's options; it loads,
/// compiles and runs once. Exits with the runner. Throws the errors of the child process, with
/// its exit code.
std::unique_ptr<BenchRunner> make_child_runner(const Invocation& invocation,
                                               const BenchVariant& variant);

/// Peak memory of a process that runs the variant a few times.
ProcessMemory measure_memory(const Invocation& invocation, const BenchVariant& variant);

/// Whether a child process can read the same model and inputs: none is standard input.
bool can_have_child(const OptionValues& options, const BenchVariant& variant);

}  // namespace ortool
