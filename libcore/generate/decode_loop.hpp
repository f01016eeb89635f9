// Autoregressive decoding: a decoder step after step, each fed with what the one before made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/dataset/values/given_input.hpp"
#include "libcore/generate/feedback.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// The tokens of one feedback of the kind argmax, by row of the batch.
struct TokenRows {
  std::string input;
  std::vector<std::vector<std::int64_t>> rows = {};

  /// `tokens`: one a row, of any integer type.
  void add(const Tensor& tokens);
};

/// What a loop leaves behind.
struct LoopResult {
  std::vector<RunValue> outputs;  ///< of the last step
  std::vector<double> step_ms;
  std::vector<TokenRows> tokens;
};

/// Names of inputs that nobody has to give: what is fed back from outputs starts empty.
std::vector<std::string> fed_inputs(std::span<const Feedback> feedback);

/// Gives the inputs that are fed back and not given a first value without elements: symbols that
/// other inputs have given a number to keep it, the rest are 0. Says so.
void add_empty_inputs(const TaskContext& task, const Model& model,
                      std::span<const Feedback> feedback, std::vector<GivenInput>& inputs);

/// Runs `steps` steps from `inputs`, which hold every input of the session that has no default.
/// Each step's outputs become inputs of the next one as `feedback` says; the last one is profiled.
LoopResult run_loop(const TaskContext& task, const Session& session, const RunOptions& run_options,
                    std::span<const Feedback> feedback, NamedValues inputs, std::int64_t steps);

}  // namespace ortool
