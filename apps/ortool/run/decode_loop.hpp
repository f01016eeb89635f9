// run --loop: a decoder step after step, each fed with what the one before made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/run/feedback.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// What a loop leaves behind.
struct LoopResult {
  std::vector<RunValue> outputs;  ///< of the last step
  std::vector<double> step_ms;
};

/// Names of inputs that nobody has to give: what is fed back from outputs starts empty.
std::vector<std::string> fed_inputs(std::span<const Feedback> feedback);

/// Gives the inputs that are fed back and not given a first value without elements: symbols that
/// other inputs have given a number to keep it, the rest are 0. Says so.
void add_empty_inputs(const Invocation& invocation, const Model& model,
                      std::span<const Feedback> feedback, std::vector<GivenInput>& inputs);

/// Runs --steps steps; adds `loop` to the report, and the tokens with their texts of `labels` to
/// its text.
LoopResult run_loop(Invocation& invocation, const Session& session, const RunOptions& run_options,
                    std::span<const Feedback> feedback, NamedValues inputs,
                    std::span<const std::string> labels);

}  // namespace ortool
