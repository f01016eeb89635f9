// Divergence search: the first node whose value differs between two sessions on the same inputs.
#pragma once

#include <cstdint>
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

/// The outcome of a search, and how many values it could compare.
struct DivergenceSearch {
  std::optional<Divergence> first;  ///< nothing: no compared value differs
  std::int64_t matched_values = 0;  ///< values with a counterpart, which were compared
  std::int64_t values = 0;          ///< all values that the first run computes
};

/// Runs both in lockstep, node by node, and compares each value with its counterpart while both are
/// live: nothing is stored. Counterparts are the results of matched nodes (diff_models), then
/// values of the same name; not a float and a quantized value. Each runs once before to collect the
/// values. Returns the first value, in the order of `run`, that `judge` rejects.
DivergenceSearch find_divergence(const ObservedRun& run, const ObservedRun& other,
                                 const Judge& judge);

}  // namespace ortool
