// The first node whose value is different in two sessions that run the same inputs.
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

/// Runs both at the same time, node by node as far as they compute values of the same names, and
/// compares each such value while both lend it: nothing is kept. Before that each runs once for the
/// names. The first value, in the order of `run`, that `judge` does not let pass; nothing when
/// there is none, or none of the same name.
std::optional<Divergence> find_divergence(const ObservedRun& run, const ObservedRun& other,
                                          const Judge& judge);

}  // namespace ortool
