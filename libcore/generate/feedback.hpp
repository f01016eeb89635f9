// Feedback of a decoder: how each input of the next step is made of this step's outputs and inputs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// What becomes of one input from one step to the next.
struct Feedback {
  enum class Kind {
    output,  ///< the output as it is
    argmax,  ///< the class with the highest score at the last position
    append,  ///< the input, one longer along its last axis
    next,    ///< the input's last number plus one
  };

  Kind kind;
  std::string input;
  std::string output;       ///< of `output` and `argmax`
  std::int64_t number = 0;  ///< of `append`
};

/// Parses INPUT=OUTPUT, with one * in both for several at once; INPUT=argmax(OUTPUT),
/// INPUT=append(NUMBER), INPUT=next. Inputs called attention_mask and position_ids that no text
/// speaks of grow by a 1 and go on counting; that is said. Throws ErrorCode::invalid for names and
/// forms that are none.
std::vector<Feedback> parse_feedback(std::span<const std::string> texts, const Model& model,
                                     const TaskContext& task);

/// The highest of the scores at the last position of `scores` ([…, positions, classes], or [batch,
/// classes]), as a tensor like `input`: one number a row.
Tensor next_tokens(const Tensor& scores, const Tensor& input);
/// `input` with `number` behind each row of its last axis.
Tensor appended(const Tensor& input, std::int64_t number);
/// The last number of each row plus one; an axis of one.
Tensor counted_on(const Tensor& input);

}  // namespace ortool
