// Divergence search: the first node whose value differs between two sessions on the same inputs.
#pragma once

#include <optional>
#include <string>

#include "libcore/runtime/paired_run.hpp"
#include "libcore/verify/output_judge.hpp"

namespace ortool {

struct Divergence {
  std::string node;
  std::string op_type;
  std::string value;
  std::string reason;
  double sqnr_db = 0;
};

/// Runs both in lockstep, node by node where they compute values of the same names, and compares
/// each such value while both are live: nothing is stored. Each runs once before to collect the
/// names. Returns the first value, in the order of `run`, that `judge` rejects; nothing when there
/// is none, or no value of the same name.
std::optional<Divergence> find_divergence(const ObservedRun& run, const ObservedRun& other,
                                          const Judge& judge);

}  // namespace ortool
