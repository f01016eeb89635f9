// Precision error: what computing products in 16 bits costs the outputs, node by node, and which
// nodes a budget keeps in float32.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/provider/kept_float.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// The differences of float outputs from those in float32: of the output and sample where they are
/// greatest.
struct PrecisionError {
  std::string output;
  double cosine_error = 0;  ///< 1 - cosine similarity; 1 where an element is not finite
  double sqnr_db = std::numeric_limits<double>::infinity();
  double max_abs_error = 0;
};

/// What one node alone in 16 bits costs.
struct NodePrecisionError {
  std::string node;
  std::string op_type;
  std::string kernel;  ///< in 16 bits
  PrecisionError error;
  bool is_kept = false;  ///< in float32, by the plan
};

struct PrecisionErrorReport {
  PrecisionError all;                     ///< with every node that can be in 16 bits
  std::vector<NodePrecisionError> nodes;  ///< those, the costliest first
  PrecisionError left;                    ///< with the plan; without a budget as `all`
};

/// Makes a session of one model in 16 bits, but for the nodes that are kept.
using PrecisionSessions = std::function<std::unique_ptr<Session>(const KeepsFloat& keeps_float)>;

/// Runs the model in float32, in 16 bits, and once for each node in 16 bits alone, on the inputs of
/// each sample; outputs in float32 are held in memory. With a budget, keeps the costliest nodes in
/// float32: as few as leave every output of every sample a cosine similarity of 1 - budget. Throws
/// ErrorCode::invalid for a model without float outputs.
PrecisionErrorReport measure_precision_error(const TaskContext& task,
                                             const PrecisionSessions& make_session,
                                             std::span<const NamedValues> samples,
                                             const RunOptions& options,
                                             std::optional<double> budget);

}  // namespace ortool
