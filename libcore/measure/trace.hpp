// Chrome trace of a profiled run, with the fields that ONNX Runtime's viewers expect.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/runtime/session.hpp"

namespace ortool {

/// Times of the phases before the run.
struct TraceTimes {
  double load_ms = 0;
  double compile_ms = 0;
};

/// The trace as JSON: one event for loading, one for session creation, one per run, and one per
/// kernel call, with those of subgraphs nested in their node's. Times start at the beginning of
/// loading.
std::string trace_text(const Session& session, const Profile& profile, const TraceTimes& times);

/// Appends the same events, separated by commas, to `text`, as those of process number `process`,
/// which distinguishes several sessions in one trace.
void append_trace_events(std::string& text, const Session& session, const Profile& profile,
                         const TraceTimes& times, std::int64_t process);

/// Each provider's share of kernel time, in the order of first use; empty when no time was
/// measured.
std::vector<std::pair<std::string, double>> provider_shares(const Profile& profile);

}  // namespace ortool
