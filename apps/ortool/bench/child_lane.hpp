// A variant in a process of its own, stepped over pipes.
#pragma once

#include <memory>
#include <string_view>

#include "apps/ortool/bench/bench_lane.hpp"
#include "libcore/measure/bench/bench_result.hpp"

namespace ortool {

/// The id of the error where no other process can be started.
constexpr std::string_view no_process_id = "bench.process";

/// Starts this program once more with `bench MODEL --stepped` and the variant's options; it loads,
/// compiles and runs once. Ends with the lane. Throws what the other process says is wrong, with
/// its exit code.
std::unique_ptr<Lane> make_child_lane(const Invocation& invocation, const BenchVariant& variant);

/// Of a process that runs the variant a few times.
ProcessMemory measure_memory(const Invocation& invocation, const BenchVariant& variant);

/// Whether another process can read the same model and inputs: none comes from standard input.
bool can_have_child(const OptionValues& options, const BenchVariant& variant);

}  // namespace ortool
