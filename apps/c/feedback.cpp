// Feedback of the C interface: outputs that are inputs of the next run, and inputs that are held.
#include <memory>

#include "apps/c/guard.hpp"
#include "apps/c/handles.hpp"

using namespace ortool;     // NOLINT(google-build-using-namespace): functions of the C interface
using namespace ortool::c;  // NOLINT(google-build-using-namespace)

ortool_status ortool_feedback_new(const ortool_session* session, const char* const* outputs,
                                  const char* const* inputs, size_t count,
                                  ortool_feedback** feedback_out, ortool_error** error) {
  return guarded(error, [&] {
    require(session, "session");
    require(feedback_out, "feedback_out");
    if (count > 0) require(outputs, "outputs");
    if (count > 0) require(inputs, "inputs");
    std::vector<FeedbackPair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
      require(outputs[i], "outputs[]");
      require(inputs[i], "inputs[]");
      pairs.push_back({outputs[i], inputs[i]});
    }
    *feedback_out = new ortool_feedback{session->state, pairs,
                                        FeedbackSession(*session->state->session, pairs)};
  });
}

void ortool_feedback_free(ortool_feedback* feedback) {
  delete feedback;
}

ortool_status ortool_feedback_fetch(const ortool_feedback* feedback, const char* output,
                                    ortool_value** value_out, ortool_error** error) {
  return guarded(error, [&] {
    require(feedback, "feedback");
    require(output, "output");
    require(value_out, "value_out");
    auto value = std::make_unique<ortool_value>();
    value->value = feedback->runs.fetch(output);
    value->keeper = feedback->session;
    *value_out = value.release();
  });
}

ortool_status ortool_feedback_hold(ortool_feedback* feedback, const char* input, const char* output,
                                   ortool_error** error) {
  return guarded(error, [&] {
    require(feedback, "feedback");
    require(input, "input");
    if (output == nullptr) {
      feedback->runs.hold(input);
      return;
    }
    feedback->runs.hold_output(output, input);
    feedback->pairs.push_back({output, input});
  });
}

ortool_status ortool_feedback_set(ortool_feedback* feedback, const char* input,
                                  const ortool_value* value, ortool_error** error) {
  return guarded(error, [&] {
    require(feedback, "feedback");
    require(input, "input");
    require(value, "value");
    feedback->runs.set(input, value->value.owned(&feedback->session->memory));
  });
}
