// Feedback rules of a decoder: how each input of the next step follows from the current step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// How one input is computed for the next step.
struct Feedback {
  enum class Kind {
    output,  ///< a copy of the output
    argmax,  ///< the class with the highest score at the last position
    append,  ///< the input, extended by one along its last axis
    next,    ///< the input's last element plus one; of booleans true
  };

  Kind kind;
  std::string input;
  std::string output;       ///< for `output` and `argmax`
  std::int64_t number = 0;  ///< for `append`
};

/// Parses INPUT=OUTPUT, with one * in both for several at once; INPUT=argmax(OUTPUT),
/// INPUT=append(NUMBER), INPUT=next. Inputs named attention_mask, position_ids and use_cache_branch
/// without a rule are extended by 1, counted on, and true after the first step; that is reported.
/// Throws ErrorCode::invalid for unknown names and invalid forms.
std::vector<Feedback> parse_feedback(std::span<const std::string> texts, const Model& model,
                                     const TaskContext& task);

/// The rules of a decoder with the usual names: caches from the outputs of the same names,
/// input_ids from the highest logits. Throws ErrorCode::invalid for other models.
std::vector<Feedback> usual_feedback(const Model& model, const TaskContext& task);

/// The classes with the highest scores at the last position of `scores` ([…, positions, classes],
/// or [batch, classes]), as a tensor like `input`: one number for each row.
Tensor next_tokens(const Tensor& scores, const Tensor& input);
/// `input` with `number` appended to each row along its last axis.
Tensor appended(const Tensor& input, std::int64_t number);
/// The last element of each row plus one, of booleans true; the last axis has size 1.
Tensor counted_on(const Tensor& input);

}  // namespace ortool
