// Runs of the C interface: inputs and outputs by name or position, and profiles.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "apps/c/guard.hpp"
#include "apps/c/handles.hpp"
#include "apps/c/task_scope.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/measure/trace.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::c {
namespace {

void check_count(std::string_view what, std::size_t given, std::size_t expected) {
  if (given == expected) return;
  throw Error(ErrorCode::invalid,
              format("{} {} are given without names, the model has {}", given, what, expected),
              format("give all {} in their order, or some with their names", what))
      .with_id("usage.count");
}

/// `is_fed`: a feedback may have all inputs.
NamedValues match_given(const SessionState& state, const char* const* names,
                        const ortool_value* const* inputs, std::size_t count, bool is_fed) {
  if (count > 0) require(inputs, "inputs");
  if (names == nullptr && !(is_fed && count == 0))
    check_count("inputs", count, state.inputs.size());
  NamedValues given;
  given.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    require(inputs[i], "inputs[]");
    if (names != nullptr) require(names[i], "input_names[]");
    given.emplace_back(names != nullptr ? names[i] : state.inputs[i].name, inputs[i]->value);
  }
  return given;
}

std::size_t output_position(const SessionState& state, const char* name) {
  require(name, "output_names[]");
  for (std::size_t i = 0; i < state.outputs.size(); ++i) {
    if (std::strcmp(state.outputs[i].name, name) == 0) return i;
  }
  std::vector<std::string> known;
  for (std::size_t i = 0; i < state.outputs.size(); ++i) known.emplace_back(state.outputs[i].name);
  throw unknown_name("output", name, "outputs", known);
}

/// The caller's memory for an output.
BoundOutput bound_output(const ortool_value_info& output, const ortool_value& target) {
  const bool is_memory = target.value.is_tensor() && !target.writable.empty();
  const auto type = is_memory ? static_cast<ortool_type>(target.value.tensor().type()) : 0;
  if (!is_memory || (output.kind == ORTOOL_TENSOR && output.type != type)) {
    throw Error(ErrorCode::invalid,
                format("output '{}' is {}, which cannot be written to {}", output.name,
                       output.type_text, is_memory ? target.value.describe() : "that value"),
                "give a tensor over your own memory of the output's type, or NULL")
        .with_id("output.memory");
  }
  return {output.name, target.writable};
}

/// Whether memory that `value` refers to is part of [begin, end).
bool overlaps(const RunValue& value, const std::byte* begin, const std::byte* end) {
  if (value.is_tensor()) {
    const std::byte* bytes = value.tensor().bytes();
    return bytes != nullptr && bytes < end && begin < bytes + value.tensor().size_bytes();
  }
  const std::span<const RunValue> elements =
      value.is_sequence() ? value.elements() : std::span<const RunValue>();
  return std::any_of(elements.begin(), elements.end(),
                     [&](const RunValue& element) { return overlaps(element, begin, end); });
}

/// A copy of an output in the memory of an input, as that of Identity may be: the caller's memory,
/// which may change. Any other output as it is.
RunValue apart_from_inputs(const RunValue& output, const NamedValues& inputs, MemoryCap& cap) {
  if (output.is_sequence()) {
    const auto elements = output.elements();
    std::vector<RunValue> apart;
    for (const RunValue& element : elements)
      apart.push_back(apart_from_inputs(element, inputs, cap));
    return RunValue::sequence(std::move(apart));
  }
  if (output.is_map()) {
    return RunValue::map(apart_from_inputs(output.keys(), inputs, cap).tensor(),
                         apart_from_inputs(output.map_values(), inputs, cap).tensor());
  }
  if (!output.is_tensor() || output.tensor().bytes() == nullptr) return output;
  const Tensor& tensor = output.tensor();
  const std::byte* begin = tensor.bytes();
  const std::byte* end = begin + tensor.size_bytes();
  const bool is_shared = std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) {
    return overlaps(input.second, begin, end);
  });
  if (!is_shared) return output;
  Tensor copy(tensor.type(), tensor.shape(), &cap);
  std::copy(begin, end, copy.mutable_bytes());
  return copy;
}

/// `values` with copies of those that are held from this run on and lie in the caller's memory.
NamedValues copy_held(const ortool_feedback& feedback, const SessionState& state,
                      const ortool_value* const* inputs, NamedValues values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (inputs[i]->writable.empty() || !feedback.runs.is_held_next(values[i].first)) continue;
    const Tensor& given = values[i].second.tensor();
    Tensor copy(given.type(), given.shape(), &state.memory);
    std::copy_n(given.bytes(), given.size_bytes(), copy.mutable_bytes());
    values[i].second = std::move(copy);
  }
  return values;
}

/// A run whose fed and held values do not lie in memory of the caller, which may change before the
/// next.
std::vector<RunValue> run_fed(ortool_feedback& feedback, const SessionState& state,
                              const ortool_value* const* inputs, NamedValues given,
                              const RunOptions& options) {
  if (feedback.session.get() != &state) {
    throw Error(ErrorCode::invalid, "the feedback is of another session",
                "make one for each session: ortool_feedback_new()")
        .with_id("usage.feedback");
  }
  const NamedValues values = copy_held(feedback, state, inputs, std::move(given));
  std::vector<FeedbackPair> made;
  for (const FeedbackPair& pair : feedback.pairs) {
    if (feedback.runs.is_made_next(pair.input)) made.push_back(pair);
  }
  std::vector<RunValue> results = feedback.runs.run(values, options);
  for (const FeedbackPair& pair : made) {
    const RunValue& output = results[output_position(state, pair.output.c_str())];
    if (!output.is_tensor()) continue;
    RunValue apart = apart_from_inputs(output, values, state.memory);
    if (apart.tensor().bytes() != output.tensor().bytes())
      feedback.runs.set(pair.input, std::move(apart));
  }
  return results;
}

void fill_profile(const Profile& from, const std::shared_ptr<const SessionState>& session,
                  ortool_profile& profile) {
  profile.session = session;
  profile.events.clear();
  profile.pointers.clear();
  profile.texts.clear();
  profile.total_ns = from.total_ns;
  const auto keep = [&](std::string_view text) { return profile.texts.emplace_back(text).c_str(); };
  for (const ProfileEvent& event : from.events) {
    profile.events.push_back({keep(event.node), keep(event.op_type), keep(event.provider),
                              keep(event.kernel), event.depth, event.start_ns, event.duration_ns});
    profile.pointers.push_back(&profile.events.back());
  }
}

}  // namespace
}  // namespace ortool::c

using namespace ortool;     // NOLINT(google-build-using-namespace): functions of the C interface
using namespace ortool::c;  // NOLINT(google-build-using-namespace)

ortool_status ortool_run(const ortool_session* session, const char* const* input_names,
                         const ortool_value* const* inputs, size_t input_count,
                         const char* const* output_names, ortool_value** outputs,
                         size_t output_count, const ortool_run_options* options,
                         ortool_error** error) {
  return guarded(error, [&] {
    require(session, "session");
    if (output_count > 0) require(outputs, "outputs");
    const SessionState& state = *session->state;
    const ortool_run_options given = completed(options, "options");
    if (output_names == nullptr) check_count("outputs", output_count, state.outputs.size());
    const NamedValues values =
        match_given(state, input_names, inputs, input_count, given.feedback != nullptr);

    RunOptions run_options;
    run_options.threads =
        given.threads > 0 ? std::min(given.threads, state.threads) : state.threads;
    std::vector<std::size_t> positions(output_count);
    std::vector<std::unique_ptr<ortool_value>> made(output_count);
    for (std::size_t i = 0; i < output_count; ++i) {
      positions[i] = output_names != nullptr ? output_position(state, output_names[i]) : i;
      if (outputs[i] == nullptr) {
        made[i] = std::make_unique<ortool_value>();
      } else {
        run_options.bound_outputs.push_back(bound_output(state.outputs[positions[i]], *outputs[i]));
      }
    }

    StopToken own_stop;
    StopToken& stop = given.stop != nullptr ? given.stop->token : own_stop;
    std::optional<Deadline> deadline;
    check_timeout(given.timeout);
    if (given.timeout > 0) deadline.emplace(stop, given.timeout);
    if (given.stop != nullptr || given.timeout > 0) run_options.stop = &stop;
    std::optional<Profile> profile;
    if (given.profile != nullptr) run_options.profile = &profile.emplace();

    const std::vector<RunValue> results =
        given.feedback != nullptr ? run_fed(*given.feedback, state, inputs, values, run_options)
                                  : state.session->run(values, run_options);
    if (profile) fill_profile(*profile, session->state, *given.profile);
    for (std::size_t i = 0; i < output_count; ++i) {
      if (made[i] == nullptr) continue;
      made[i]->value = apart_from_inputs(results[positions[i]], values, session->state->memory);
      made[i]->keeper = session->state;
    }
    for (std::size_t i = 0; i < output_count; ++i) {
      if (made[i] != nullptr) {
        outputs[i] = made[i].release();
      } else {
        outputs[i]->value = results[positions[i]];
      }
    }
  });
}

ortool_status ortool_stop_new(ortool_stop** stop_out, ortool_error** error) {
  return guarded(error, [&] {
    require(stop_out, "stop_out");
    *stop_out = new ortool_stop;
  });
}

void ortool_stop_request(ortool_stop* stop) {
  stop->token.request(ErrorCode::interrupted);
}

void ortool_stop_free(ortool_stop* stop) {
  delete stop;
}

ortool_status ortool_profile_new(ortool_profile** profile_out, ortool_error** error) {
  return guarded(error, [&] {
    require(profile_out, "profile_out");
    *profile_out = new ortool_profile;
  });
}

void ortool_profile_free(ortool_profile* profile) {
  delete profile;
}

const ortool_profile_event* const* ortool_profile_events(const ortool_profile* profile,
                                                         size_t* count) {
  if (count != nullptr) *count = profile->events.size();
  return profile->pointers.data();
}

int64_t ortool_profile_total_ns(const ortool_profile* profile) {
  return profile->total_ns;
}

ortool_status ortool_profile_trace(const ortool_profile* profile, char** text_out,
                                   ortool_error** error) {
  return guarded(error, [&] {
    require(profile, "profile");
    require(text_out, "text_out");
    if (profile->session == nullptr) {
      throw Error(ErrorCode::invalid, "no run has filled the profile",
                  "pass it to ortool_run() before")
          .with_id("usage.profile");
    }
    Profile events;
    events.total_ns = profile->total_ns;
    for (const ortool_profile_event& event : profile->events) {
      events.events.push_back({event.node, event.op_type, event.provider, event.kernel, event.depth,
                               event.start_ns, event.duration_ns});
    }
    const SessionState& state = *profile->session;
    *text_out = copy_text(trace_text(*state.session, events, {state.load_ms, state.compile_ms}));
  });
}
