// Autoregressive decoding: runs a decoder step by step, feeding outputs back to inputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/dataset/values/given_input.hpp"
#include "libcore/generate/feedback.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// The tokens of one argmax feedback, for each row of the batch.
struct TokenRows {
  std::string input;
  std::vector<std::vector<std::int64_t>> rows = {};

  /// `tokens`: one token for each row, of any integer type.
  void add(const Tensor& tokens);
};

/// The result of a decode loop.
struct LoopResult {
  std::vector<RunValue> outputs;  ///< of the last step
  std::vector<double> step_ms;
  std::vector<TokenRows> tokens;
};

/// Names of inputs that the user need not give, since those fed back from outputs start empty.
std::vector<std::string> fed_inputs(std::span<const Feedback> feedback);

/// Adds empty initial values for inputs that are fed back and were not given: symbols take their
/// size from other inputs, or 0; a cache of a window has the rows of the window. Reports that to
/// the task.
void add_empty_inputs(const TaskContext& task, const Model& model,
                      std::span<const Feedback> feedback, std::vector<GivenInput>& inputs);

/// Runs `steps` steps from `inputs`, which must contain every input of the session without a
/// default. After each step, inputs are updated according to `feedback`; the last step is profiled.
LoopResult run_loop(const TaskContext& task, const Session& session, const RunOptions& run_options,
                    std::span<const Feedback> feedback, NamedValues inputs, std::int64_t steps);

}  // namespace ortool
