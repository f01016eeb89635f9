// Feeds each step's outputs back to the inputs; stores only the generated tokens.
#include "libcore/generate/decode_loop.hpp"

#include <algorithm>
#include <functional>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/generate/cache_names.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/group_query_attention.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/runtime/feedback/feedback_session.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

class Loop {
 public:
  Loop(const Session& session, std::span<const Feedback> feedback, NamedValues inputs)
      : session_(session),
        fed_(session, output_feeds(feedback, is_fed_always(session))),
        feedback_(feedback),
        inputs_(std::move(inputs)) {
    const auto is_fed = is_fed_always(session);
    for (const Feedback& each : feedback_) {
      if (each.kind == Feedback::Kind::output && !is_fed(each))
        fed_.hold_output(each.output, each.input);
    }
    for (const Feedback& each : feedback_) {
      if (each.kind == Feedback::Kind::argmax) tokens_.push_back({each.input, {}});
    }
  }

  std::vector<RunValue> step(const RunOptions& options) { return fed_.run(inputs_, options); }

  /// Computes the next step's inputs, but for outputs that are fed back as they are.
  void feed(const std::vector<RunValue>& outputs) {
    auto token_rows = tokens_.begin();
    for (const Feedback& each : feedback_) {
      RunValue& input = input_of(each.input);
      switch (each.kind) {
        case Feedback::Kind::output:
          break;
        case Feedback::Kind::argmax: {
          Tensor tokens = next_tokens(value_of(outputs, each.output).tensor(), input.tensor());
          (token_rows++)->add(tokens);
          input = std::move(tokens);
          break;
        }
        case Feedback::Kind::append:
          input = appended(input.tensor(), each.number);
          break;
        case Feedback::Kind::next:
          input = counted_on(input.tensor());
          break;
      }
    }
  }

  /// Replaces what stayed on a device by its copies on the host.
  void fetch(std::vector<RunValue>& outputs) const {
    for (const FeedbackPair& feed : output_feeds(feedback_, [](const Feedback&) { return true; }))
      outputs[output_place(feed.output)] = fed_.fetch(feed.output);
  }

  const std::vector<TokenRows>& tokens() const { return tokens_; }

 private:
  /// Not caches of cross-attention of merged decoders, which make them in the first step alone.
  static std::function<bool(const Feedback&)> is_fed_always(const Session& session) {
    const auto inputs = session.inputs();
    const bool is_merged = std::any_of(inputs.begin(), inputs.end(), [](const Value* input) {
      return input->name() == cache_switch;
    });
    return [is_merged](const Feedback& feedback) {
      return !is_merged || !is_cache_input(feedback.input) || !is_cross_cache(feedback.input);
    };
  }
  static std::vector<FeedbackPair> output_feeds(
      std::span<const Feedback> feedback, const std::function<bool(const Feedback&)>& is_fed) {
    std::vector<FeedbackPair> feeds;
    for (const Feedback& each : feedback) {
      if (each.kind == Feedback::Kind::output && is_fed(each))
        feeds.push_back({each.output, each.input});
    }
    return feeds;
  }
  RunValue value_of(const std::vector<RunValue>& outputs, const std::string& name) const {
    const RunValue& value = outputs[output_place(name)];
    return value.is_none() ? fed_.fetch(name) : value;
  }
  RunValue& input_of(const std::string& name) {
    for (auto& [own, value] : inputs_) {
      if (own == name) return value;
    }
    throw Error(ErrorCode::invalid,
                format("option {}: input {} is not given", setting_name("loop"), quote(name)),
                format("give its first value: {} {}=FILE", setting_name("input"), name))
        .with_id("input.missing");
  }
  std::size_t output_place(const std::string& name) const {
    std::size_t place = 0;
    while (session_.outputs()[place]->name() != name) ++place;
    return place;
  }

  const Session& session_;
  FeedbackSession fed_;
  std::span<const Feedback> feedback_;
  NamedValues inputs_;
  std::vector<TokenRows> tokens_;
};

/// The fewest rows of a cache that drops what leaves a window; 0 for others.
std::int64_t window_rows(const Value& cache) {
  for (const Use& use : cache.uses()) {
    if (use.node == nullptr || use.node->op_type() != GroupQueryAttention::schema.name ||
        use.node->domain() != contrib_domain)
      continue;
    const auto op = read_op<GroupQueryAttention>(*use.node);
    if (op.drops_rows) return op.window;
  }
  return 0;
}

}  // namespace

void TokenRows::add(const Tensor& tokens) {
  rows.resize(static_cast<std::size_t>(tokens.element_count()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].push_back(element_as_int64(tokens, static_cast<std::int64_t>(i)));
  }
}

std::vector<std::string> fed_inputs(std::span<const Feedback> feedback) {
  std::vector<std::string> names;
  for (const Feedback& each : feedback) {
    const bool is_switch = each.kind == Feedback::Kind::next && each.input == cache_switch;
    if (each.kind == Feedback::Kind::output || is_switch) names.push_back(each.input);
  }
  return names;
}

void add_empty_inputs(const TaskContext& task, const Model& model,
                      std::span<const Feedback> feedback, std::vector<GivenInput>& inputs) {
  SymbolSizes symbols;
  const auto is_given = [&](std::string_view name) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const GivenInput& input) { return input.name == name; });
  };
  for (const Value* value : model.inputs()) {
    for (const GivenInput& input : inputs) {
      if (input.name == value->name() && input.value.is_tensor()) {
        learn_symbols(*value, input.value.tensor().shape(), symbols);
      }
    }
  }
  std::vector<std::string> made;
  for (const std::string& name : fed_inputs(feedback)) {
    const Value& value = *model.find_value(name);
    if (is_given(name) || value.has_default()) continue;
    if (!value.type().is_tensor() || !value.type().shape) {
      throw Error(
          ErrorCode::invalid,
          format("input {} has no known rank, so the loop has no first value for it", quote(name)),
          format("give its first value: {} {}=FILE", setting_name("input"), name))
          .with_id("input.missing");
    }
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : *value.type().shape) {
      const auto known = dimension.is_symbol() ? symbols.find(dimension.symbol()) : symbols.end();
      const bool is_rows = sizes.size() == 2;
      sizes.push_back(dimension.is_known()     ? dimension.number()
                      : known != symbols.end() ? known->second
                      : is_rows                ? window_rows(value)
                                               : 0);
    }
    Tensor start(value.type().element, Shape(std::move(sizes)), &task.memory);
    std::fill_n(start.mutable_bytes(), start.size_bytes(), std::byte{0});
    inputs.push_back({name, std::move(start), "zeros for the first step"});
    made.push_back(name);
  }
  if (!made.empty()) {
    task.note(format("the loop starts with empty or zero values for: {}", list_names(made)));
  }
}

LoopResult run_loop(const TaskContext& task, const Session& session, const RunOptions& run_options,
                    std::span<const Feedback> feedback, NamedValues inputs, std::int64_t steps) {
  Progress progress(task, "running");
  Loop loop(session, feedback, std::move(inputs));
  LoopResult result;
  for (std::int64_t i = 0; i < steps; ++i) {
    task.stop.poll();
    progress.tell_done(i, steps);
    const Stopwatch watch;
    RunOptions options = run_options;
    if (i + 1 < steps) options.profile = nullptr;
    result.outputs = loop.step(options);
    loop.feed(result.outputs);
    result.step_ms.push_back(watch.milliseconds());
  }
  if (steps > 0) loop.fetch(result.outputs);
  result.tokens = loop.tokens();
  return result;
}

}  // namespace ortool
