// --stepped: a variant that another program steps, so that it can alternate it with a peer.
#pragma once

#include "apps/ortool/bench/bench_lane.hpp"

namespace ortool {

/// Reads lines from standard input until it ends and answers each with one JSON line on standard
/// output: `run N` and `run 0.2s` with the samples, `info` with what making the lane ready took and
/// the memory. Throws ErrorCode::invalid for any other line.
void answer_steps(const Invocation& invocation, Lane& lane, std::int64_t base_rss_bytes);

/// Bytes of physical memory that this process holds now, and at most since it began; -1 where the
/// system does not tell. Unlike getrusage()'s maximum, which a child inherits from its parent.
std::int64_t resident_bytes();
std::int64_t peak_resident_bytes_of_process();

}  // namespace ortool
