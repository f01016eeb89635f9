// A profiled run as a Chrome trace, with the fields that ONNX Runtime's viewers read.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/runtime/session.hpp"

namespace ortool {

/// Times of what came before the run.
struct TraceTimes {
  double load_ms = 0;
  double compile_ms = 0;
};

/// The trace as a JSON text: one event for loading, one for the session's making, one a run, one a
/// kernel call, those of subgraphs inside of their node's. Times count from the beginning of
/// loading.
std::string trace_text(const Session& session, const Profile& profile, const TraceTimes& times);

/// The same events, separated by commas, behind those in `text`, as those of a process with the
/// number `process`: several sessions in one trace are told apart by it.
void append_trace_events(std::string& text, const Session& session, const Profile& profile,
                         const TraceTimes& times, std::int64_t process);

/// The share of kernel time of each provider, in the order of their first use; empty when no time
/// was taken.
std::vector<std::pair<std::string, double>> provider_shares(const Profile& profile);

}  // namespace ortool
