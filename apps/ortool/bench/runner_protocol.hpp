// Stepped mode: another program drives a variant, for example to alternate it with a peer.
#pragma once

#include "apps/ortool/bench/runner_factory.hpp"

namespace ortool {

/// Reads lines from standard input until it ends and answers each with one JSON line on standard
/// output: `run N` and `run 0.2s` with the samples, `info` with preparation times and memory,
/// `device` with what runs take on devices. Throws ErrorCode::invalid for any other line.
void answer_steps(const Invocation& invocation, BenchRunner& runner, std::int64_t base_rss_bytes);

/// Resident memory of this process in bytes, now and at its peak; -1 where the
/// system does not report it. Unlike getrusage()'s maximum, which a child inherits from its parent.
std::int64_t resident_bytes();
std::int64_t peak_resident_bytes_of_process();

}  // namespace ortool
