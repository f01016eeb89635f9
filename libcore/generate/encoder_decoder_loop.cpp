// Feeds the decoder of an encoder-decoder step by step.
#include "libcore/generate/encoder_decoder_loop.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/generate/cache_names.hpp"
#include "libcore/generate/feedback.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/runtime/feedback/feedback_session.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

bool is_token_input(std::string_view name) {
  return name == "input_ids" || name == "decoder_input_ids";
}

/// Of the decoder, for what the encoder has computed.
bool is_states_input(std::string_view name) {
  return name == "encoder_hidden_states" || name == "encoder_outputs" ||
         name == "last_hidden_state" || name == "hidden_states";
}

std::size_t place_of(std::span<Value* const> values,
                     std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i]->name() == name) return i;
    }
  }
  return values.size();
}

Tensor filled(DataType type, Shape shape, std::int64_t number) {
  Tensor tensor(type, std::move(shape));
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) set_element(tensor, i, number);
  return tensor;
}

class Generation {
 public:
  Generation(const TaskContext& task, const EncoderDecoder& model,
             const GenerationSettings& settings)
      : task_(task), model_(model), settings_(settings) {}

  void encode(const NamedValues& inputs, const RunOptions& options) {
    const std::span<Value* const> outputs = model_.encoder->outputs();
    const std::size_t place =
        place_of(outputs, {"last_hidden_state", "encoder_hidden_states", "hidden_states"});
    std::vector<RunValue> results = model_.encoder->run(inputs, options);
    states_ = std::move(results[place < outputs.size() ? place : 0]);
    const Shape& shape = states_.tensor().shape();
    if (shape.rank() < 2 || shape[0] < 1) {
      throw Error(ErrorCode::invalid, format("the encoder's result is {} (expected a row of states "
                                             "for each sample)",
                                             states_.describe()))
          .with_id("loop.type");
    }
    batch_ = shape[0];
    for (const auto& [name, value] : inputs) {
      if (name == "attention_mask" || name == "encoder_attention_mask") mask_ = value.tensor();
    }
    if (mask_.is_empty()) mask_ = filled(DataType::int64, Shape{batch_, shape[1]}, 1);
    const auto count = static_cast<std::int64_t>(settings_.start.size());
    tokens_ = Tensor(DataType::int64, Shape{batch_, count});
    for (std::int64_t i = 0; i < batch_ * count; ++i) {
      set_element(tokens_, i, settings_.start[static_cast<std::size_t>(i % count)]);
    }
    rows_.rows.resize(static_cast<std::size_t>(batch_));
    has_ended_.resize(static_cast<std::size_t>(batch_));
  }

  std::vector<RunValue> step(const RunOptions& options) {
    const Session& session = current();
    if (!runs_ || entered_ != &session) enter(session);
    std::vector<RunValue> results = runs_->run(inputs_of(session), options);
    keep_caches(session, results);
    choose_tokens(session, results);
    return results;
  }

  /// Replaces what stayed on a device by its copies on the host.
  void fetch(std::vector<RunValue>& results) const {
    const auto fetch_all = [&](const std::vector<FeedbackPair>& pairs) {
      for (const FeedbackPair& pair : pairs) {
        RunValue& result = results[place_of(entered_->outputs(), {pair.output})];
        if (result.is_none()) result = runs_->fetch(pair.output);
      }
    };
    fetch_all(feeds_);
    fetch_all(held_outputs_);
  }

  const Session& current() const {
    return taken_ > 0 && model_.with_past != nullptr ? *model_.with_past : *model_.decoder;
  }
  bool have_all_ended() const {
    return std::find(has_ended_.begin(), has_ended_.end(), false) == has_ended_.end();
  }
  const TokenRows& rows() const { return rows_; }

 private:
  /// The session that takes the later steps.
  const Session& next() const {
    return model_.with_past != nullptr ? *model_.with_past : *model_.decoder;
  }

  /// From now on steps run in `session`. Caches of self-attention are fed back where they are;
  /// those of cross-attention, the encoder's states and its mask stay as they are.
  void enter(const Session& session) {
    const std::vector<std::string> outputs = names_of(session.outputs());
    feeds_.clear();
    held_.clear();
    held_outputs_.clear();
    for (const Value* input : session.inputs()) {
      const std::string name(input->name());
      if (is_states_input(name) || is_encoder_mask(*input, session)) held_.insert(name);
      if (!is_cache_input(name) || &session != &next()) continue;
      if (!is_cross_cache(name)) {
        feeds_.push_back({cache_output(name, outputs), name});
      } else if (caches_.contains(name)) {
        held_.insert(name);
      } else {
        // Merged decoders compute them in the first step, and leave empty ones later.
        held_outputs_.push_back({cache_output(name, outputs), name});
      }
    }
    runs_.emplace(session, feeds_, std::vector<std::string>(held_.begin(), held_.end()));
    for (const FeedbackPair& pair : held_outputs_) runs_->hold_output(pair.output, pair.input);
    entered_ = &session;
    is_first_ = true;
  }

  static std::string cache_output(const std::string& input,
                                  const std::vector<std::string>& outputs) {
    std::string output = cache_output_of(input, outputs);
    if (!output.empty()) return output;
    throw Error(ErrorCode::invalid,
                format("no output of the decoder becomes its cache {} (its outputs: {})",
                       quote(input), list_names(outputs)))
        .with_id("loop.cache");
  }

  /// Whether the session has its value from an earlier step.
  bool is_there(const std::string& input) const {
    const auto is_of = [&](const FeedbackPair& pair) { return pair.input == input; };
    return !is_first_ &&
           (held_.contains(input) || std::any_of(feeds_.begin(), feeds_.end(), is_of) ||
            std::any_of(held_outputs_.begin(), held_outputs_.end(), is_of));
  }

  NamedValues inputs_of(const Session& session) const {
    NamedValues inputs;
    SymbolSizes symbols;
    for (const Value* input : session.inputs()) {
      if (is_cache_input(input->name()) || is_there(std::string(input->name()))) continue;
      RunValue value = value_of(*input, session);
      learn_symbols(*input, value.tensor().shape(), symbols);
      inputs.emplace_back(input->name(), std::move(value));
    }
    for (const Value* input : session.inputs()) {
      if (!is_cache_input(input->name()) || is_there(std::string(input->name()))) continue;
      const auto kept = caches_.find(input->name());
      inputs.emplace_back(input->name(),
                          kept != caches_.end() ? kept->second : empty_cache(*input, symbols));
    }
    return inputs;
  }

  RunValue value_of(const Value& input, const Session& session) const {
    const std::string_view name = input.name();
    const DataType type = input.type().element;
    const std::int64_t count = tokens_.shape()[1];
    if (is_token_input(name)) return convert(tokens_, type);
    if (name == cache_switch) return filled(type, Shape{1}, taken_ > 0 ? 1 : 0);
    if (is_states_input(name)) return convert(states_.tensor(), type);
    if (is_encoder_mask(input, session)) return convert(mask_, type);
    if (is_decoder_mask(name)) return filled(type, Shape{batch_, past_ + count}, 1);
    if (name == "position_ids" || name == "decoder_position_ids" || name == "cache_position") {
      const bool has_rows = input.type().shape && input.type().shape->size() == 2;
      Tensor places(type, has_rows ? Shape{batch_, count} : Shape{count});
      for (std::int64_t i = 0; i < places.element_count(); ++i)
        set_element(places, i, past_ + i % count);
      return places;
    }
    throw Error(
        ErrorCode::invalid,
        format("input {} of the decoder is none that an encoder-decoder's loop feeds", quote(name)),
        "it feeds tokens, masks, positions, the encoder's states and caches by the names "
        "of optimum's exports")
        .with_id("input.unknown");
  }

  static bool is_decoder_mask(std::string_view name) {
    return name == "attention_mask" || name == "decoder_attention_mask";
  }
  static bool is_encoder_mask(const Value& input, const Session& session) {
    return input.name() == "encoder_attention_mask" ||
           (is_decoder_mask(input.name()) && is_source_mask(input, session));
  }
  /// T5's exporters name the encoder's mask so where the decoder has none of its own.
  static bool is_source_mask(const Value& input, const Session& session) {
    const PartialShape& shape = input.type().shape;
    return place_of(session.inputs(), {"encoder_attention_mask"}) == session.inputs().size() &&
           shape && shape->size() == 2 &&
           shape->back().symbol().find("encoder") != std::string::npos;
  }

  /// Zeros with the sizes that other inputs give the symbols; unknown lengths are 0.
  RunValue empty_cache(const Value& input, const SymbolSizes& symbols) const {
    const ValueType& type = input.type();
    if (!type.is_tensor() || !type.shape) {
      throw Error(
          ErrorCode::invalid,
          format("cache {} of the decoder has no known rank, so the loop has no first value "
                 "for it",
                 quote(input.name())))
          .with_id("input.missing");
    }
    std::vector<std::int64_t> sizes;
    for (const Dimension& size : *type.shape) {
      const auto known = size.is_symbol() ? symbols.find(size.symbol()) : symbols.end();
      sizes.push_back(size.is_known()          ? size.number()
                      : known != symbols.end() ? known->second
                      : sizes.empty()          ? batch_
                                               : 0);
    }
    Tensor zeros(type.element, Shape(std::move(sizes)), &task_.memory);
    std::fill_n(zeros.mutable_bytes(), zeros.size_bytes(), std::byte{0});
    return zeros;
  }

  /// Hands caches on that the session does not feed back itself.
  void keep_caches(const Session& session, const std::vector<RunValue>& results) {
    const std::vector<std::string> outputs = names_of(session.outputs());
    bool has_caches = false;
    for (const Value* input : next().inputs()) {
      const std::string name(input->name());
      if (!is_cache_input(name)) continue;
      has_caches = true;
      if (&session == &next() || taken_ > 0) continue;
      caches_[name] = results[place_of(session.outputs(), {cache_output(name, outputs)})];
    }
    keeps_caches_ = has_caches;
    is_first_ = false;
  }

  void choose_tokens(const Session& session, const std::vector<RunValue>& results) {
    const std::size_t place = place_of(session.outputs(), {"logits"});
    const Tensor& logits = results[place < results.size() ? place : 0].tensor();
    const Tensor like(DataType::int64, Shape{batch_, 1});
    Tensor chosen = next_tokens(logits, like);
    if (chosen.element_count() != batch_) {
      throw Error(ErrorCode::invalid, format("the decoder's logits are {} (expected {} rows)",
                                             RunValue(logits).describe(), batch_))
          .with_id("loop.type");
    }
    for (std::int64_t row = 0; row < batch_; ++row) {
      const auto index = static_cast<std::size_t>(row);
      if (has_ended_[index]) {
        set_element(chosen, row, settings_.padding);
        continue;
      }
      const std::int64_t token = element_as_int64(chosen, row);
      rows_.rows[index].push_back(token);
      has_ended_[index] =
          std::find(settings_.end.begin(), settings_.end.end(), token) != settings_.end.end();
    }
    ++taken_;
    if (keeps_caches_) {
      past_ += tokens_.shape()[1];
      tokens_ = std::move(chosen);
    } else {
      tokens_ = with_column(tokens_, chosen);
    }
  }

  /// For decoders without caches, which take the whole sequence in each step.
  static Tensor with_column(const Tensor& tokens, const Tensor& column) {
    const std::int64_t width = tokens.shape()[1];
    Tensor result(tokens.type(), Shape{tokens.shape()[0], width + 1});
    for (std::int64_t row = 0; row < tokens.shape()[0]; ++row) {
      for (std::int64_t i = 0; i <= width; ++i) {
        set_element(
            result, row * (width + 1) + i,
            i < width ? element_as_int64(tokens, row * width + i) : element_as_int64(column, row));
      }
    }
    return result;
  }

  const TaskContext& task_;
  const EncoderDecoder& model_;
  const GenerationSettings& settings_;
  RunValue states_;
  Tensor mask_;
  Tensor tokens_;                                        ///< of the next step
  std::map<std::string, RunValue, std::less<>> caches_;  ///< by input, for the next session
  std::optional<FeedbackSession> runs_;                  ///< of `entered_`
  const Session* entered_ = nullptr;
  std::vector<FeedbackPair> feeds_;
  std::vector<FeedbackPair> held_outputs_;
  std::set<std::string, std::less<>> held_;
  bool is_first_ = true;  ///< no step has run in `entered_`
  TokenRows rows_ = {.input = "input_ids"};
  std::vector<bool> has_ended_;
  std::int64_t batch_ = 0;
  std::int64_t past_ = 0;   ///< tokens in the caches
  std::int64_t taken_ = 0;  ///< steps
  bool keeps_caches_ = false;
};

}  // namespace

GenerationResult generate(const TaskContext& task, const EncoderDecoder& model,
                          const RunOptions& options, const NamedValues& encoder_inputs,
                          const GenerationSettings& settings) {
  Progress progress(task, "running");
  Generation generation(task, model, settings);
  GenerationResult result;
  RunOptions unprofiled = options;
  unprofiled.profile = nullptr;
  Stopwatch watch;
  generation.encode(encoder_inputs, unprofiled);
  for (std::int64_t i = 0; i < settings.steps && !generation.have_all_ended(); ++i) {
    task.stop.poll();
    progress.tell_done(i, settings.steps);
    result.decoder = &generation.current();
    result.loop.outputs = generation.step(i + 1 < settings.steps ? unprofiled : options);
    result.loop.step_ms.push_back(watch.milliseconds());
    watch = Stopwatch();
  }
  generation.fetch(result.loop.outputs);
  result.loop.tokens.push_back(generation.rows());
  return result;
}

}  // namespace ortool
