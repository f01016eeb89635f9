// BeamSearch and WhisperBeamSearch: the beams with the best sums of log probabilities.
#include "libcore/ops/contrib/search/beam_search.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/run_environment.hpp"
#include "libcore/runtime/search/beam_scorer.hpp"
#include "libcore/runtime/search/score_rules.hpp"
#include "libcore/runtime/search/search_decoder.hpp"
#include "libcore/runtime/search/search_operands.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_beams = 1024;

/// Logits to log probabilities, row by row.
void log_softmax(std::span<float> scores, std::int64_t rows, Workers& workers) {
  const auto width = scores.size() / static_cast<std::size_t>(rows);
  workers.parallel_for(rows, [&](std::int64_t row) {
    const std::span<float> own = scores.subspan(static_cast<std::size_t>(row) * width, width);
    const float largest = *std::max_element(own.begin(), own.end());
    double sum = 0;
    for (const float score : own) sum += std::exp(score - largest);
    const auto log_sum = static_cast<float>(std::log(sum));
    for (float& score : own) score = score - largest - log_sum;
  });
}

class BeamSearchKernel : public ControlFlowKernel {
 public:
  BeamSearchKernel(const Node& node, const WhisperBeamSearch& op, std::string_view name,
                   const MakeProgram& make_program)
      : op_(op),
        name_(name),
        input_count_(static_cast<std::size_t>(node.input_count())),
        decoder_(node, op, make_program) {}

  std::string_view name() const override { return name_; }
  std::vector<const Program*> programs() const override { return decoder_.programs(); }

  void run(DynamicContext& context, const RunEnvironment& environment) const override {
    const std::int64_t beams = integer_operand(inputs_of(context), 3, "num_beams", 1);
    const std::int64_t kept = integer_operand(inputs_of(context), 4, "num_return_sequences", 1);
    if (beams < 1 || beams > max_beams) {
      throw Error(ErrorCode::invalid,
                  format("'num_beams' is {} (expected 1 to {})", beams, max_beams));
    }
    if (kept < 1 || kept > beams) {
      throw Error(ErrorCode::invalid,
                  format("'num_return_sequences' is {} (expected 1 to {}, the number of beams)",
                         kept, beams));
    }
    const auto decoder = decoder_.start({&context.input(0), optional_tensor(inputs_of(context), 9),
                                         optional_tensor(inputs_of(context), 10), beams},
                                        context, environment);
    const Tensor& prompt = decoder->first_tokens();
    const std::int64_t batch = prompt.shape()[0];
    const std::int64_t max_length = max_length_operand(inputs_of(context), prompt.shape()[1]);
    Tensor sequences = context.make(DataType::int32, Shape{batch, kept, max_length});
    Tensor scores = context.make(DataType::float32, Shape{batch, kept});
    if (batch > 0) {
      search(*decoder, beams, max_length, sequences, scores, context);
    } else if (context.has_output(2)) {
      context.set_output(2, context.make(score_type(context), Shape{0, 0, beams, 0}));
    }
    context.set_output(0, std::move(sequences));
    if (context.has_output(1)) context.set_output(1, as_scores(std::move(scores), context));
    if (batch == 0 && context.has_output(4))
      context.set_output(4, context.make(score_type(context), Shape{0}));
  }

 private:
  SearchInputs inputs_of(const DynamicContext& context) const { return {context, input_count_}; }
  DataType score_type(const DynamicContext& context) const {
    return inputs_of(context).has(5) ? context.input(5).type() : DataType::float32;
  }
  Tensor as_scores(Tensor tensor, const DynamicContext& context) const {
    return convert(tensor, score_type(context), {}, context.cap());
  }

  std::int64_t vocabulary_of(const Tensor& logits) const {
    const std::int64_t width = logits.shape()[2];
    if (op_.vocab_size <= width) return op_.vocab_size > 1 ? op_.vocab_size : width;
    throw Error(ErrorCode::invalid,
                format("attribute 'vocab_size' is {} (expected at most {}, the size of the logits)",
                       op_.vocab_size, width));
  }

  ScoreRules read_rules(const DynamicContext& context, std::int64_t batch, std::int64_t beams,
                        std::int64_t vocabulary) const {
    ScoreRules rules;
    rules.beams = beams;
    rules.repetition_penalty = number_operand(inputs_of(context), 6, "repetition_penalty", 1.0F);
    if (!(rules.repetition_penalty > 0)) {
      throw Error(ErrorCode::invalid, format("'repetition_penalty' is {} (expected above 0)",
                                             rules.repetition_penalty));
    }
    rules.no_repeat_ngram_size = op_.no_repeat_ngram_size;
    rules.vocab_mask = mask_operand(inputs_of(context), 7, "vocab_mask", 0, vocabulary);
    rules.prefix_mask = mask_operand(inputs_of(context), 8, "prefix_vocab_mask", batch, vocabulary);
    rules.min_length = integer_operand(inputs_of(context), 2, "min_length", 0);
    rules.eos_token_id = op_.eos_token_id;
    rules.temperature = number_operand(inputs_of(context), 14, "temperature", 1.0F);
    const bool is_whisper = op_.model_type == SearchBodies::ModelType::whisper;
    if (is_whisper && integer_operand(inputs_of(context), 11, "logits_processor", 0) == 1)
      rules.timestamps = timestamp_tokens();
    const Tensor* forced = optional_tensor(inputs_of(context), 13);
    if (forced != nullptr && forced->element_count() > 0) {
      if (forced->shape().rank() != 2 || forced->shape()[0] != batch) {
        throw Error(ErrorCode::invalid,
                    format("'extra_decoding_ids' has the shape {} (expected {} rows)",
                           forced->shape().to_string(), batch));
      }
      rules.forced_tokens = forced->data<std::int32_t>();
      rules.forced_rows = batch;
    }
    return rules;
  }

  /// Where attributes do not give them, the tokens are those of the multilingual models.
  TimestampTokens timestamp_tokens() const {
    const auto or_after_eos = [&](std::int64_t token, std::int64_t offset) {
      return token >= 0 ? token : op_.eos_token_id + offset;
    };
    TimestampTokens tokens;
    tokens.end_of_text = op_.eos_token_id;
    tokens.start_of_transcript = or_after_eos(op_.decoder_start_token_id, 1);
    tokens.translate = op_.translate_token_id >= 0 ? op_.translate_token_id : 50358;
    tokens.transcribe = op_.transcribe_token_id >= 0 ? op_.transcribe_token_id : 50359;
    tokens.start_of_lm = or_after_eos(op_.start_of_lm_token_id, 105);
    tokens.no_timestamps = or_after_eos(op_.no_timestamps_token_id, 106);
    tokens.first_timestamp = or_after_eos(op_.beginning_timestamp_token_id, 107);
    return tokens;
  }

  void search(DecoderRun& decoder, std::int64_t beams, std::int64_t max_length, Tensor& out,
              Tensor& out_scores, DynamicContext& context) const {
    const Tensor& prompt = decoder.first_tokens();
    const std::int64_t batch = prompt.shape()[0];
    const std::int64_t rows = multiply_sizes(batch, beams);
    Tensor logits = decoder.first(max_length);
    const std::int64_t vocabulary = vocabulary_of(logits);
    const ScoreRules rules = read_rules(context, batch, beams, vocabulary);
    set_speech_output(logits, vocabulary, context);
    TokenSequences sequences(prompt, beams, max_length, context.cap());
    BeamScorer scorer({batch, beams, number_operand(inputs_of(context), 5, "length_penalty", 1.0F),
                       op_.early_stopping, static_cast<std::int32_t>(op_.eos_token_id),
                       static_cast<std::int32_t>(op_.pad_token_id)});
    // At first only one beam of each row counts, since all are alike.
    std::vector<float> sums(static_cast<std::size_t>(rows), -1e9F);
    for (std::int64_t row = 0; row < rows; row += beams) sums[static_cast<std::size_t>(row)] = 0;
    std::vector<BeamCandidate> candidates(static_cast<std::size_t>(2 * rows));
    Tensor all_scores =
        step_scores(max_length - sequences.length(), batch, beams, vocabulary, context);
    for (std::int64_t step = 0;; ++step) {
      Tensor scores = last_scores(logits, rows, vocabulary, context.cap());
      const std::span<float> numbers = scores.mutable_data<float>();
      log_softmax(numbers, rows, context.workers());
      rules.apply(sequences, step, numbers, context.workers());
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] += sums[i / static_cast<std::size_t>(vocabulary)];
      if (!all_scores.is_empty()) {
        std::copy(numbers.begin(), numbers.end(),
                  all_scores.mutable_data<float>().begin() +
                      step * static_cast<std::ptrdiff_t>(numbers.size()));
      }
      choose(numbers, batch, vocabulary, candidates, context.workers());
      scorer.process(sequences, candidates);
      sequences.append(scorer.parents(), scorer.tokens());
      sums.assign(scorer.scores().begin(), scorer.scores().end());
      if (scorer.is_done() || sequences.is_full()) break;
      logits = decoder.next(sequences, scorer.parents());
    }
    scorer.finish(sequences, out.shape()[1], out.mutable_data<std::int32_t>(),
                  out_scores.mutable_data<float>());
    if (!all_scores.is_empty()) context.set_output(2, as_scores(std::move(all_scores), context));
  }

  static void choose(std::span<const float> scores, std::int64_t batch, std::int64_t vocabulary,
                     std::vector<BeamCandidate>& candidates, Workers& workers) {
    const std::size_t width = scores.size() / static_cast<std::size_t>(batch);
    const std::size_t count = candidates.size() / static_cast<std::size_t>(batch);
    workers.parallel_for(batch, [&](std::int64_t row) {
      const auto index = static_cast<std::size_t>(row);
      best_candidates(scores.subspan(index * width, width), vocabulary,
                      std::span(candidates).subspan(index * count, count));
    });
  }

  /// The output 'scores', with zeros for steps that are not taken; nothing when it is omitted.
  static Tensor step_scores(std::int64_t steps, std::int64_t batch, std::int64_t beams,
                            std::int64_t vocabulary, const DynamicContext& context) {
    if (!context.has_output(2)) return {};
    Tensor scores = context.make(DataType::float32, Shape{steps, batch, beams, vocabulary});
    std::fill_n(scores.mutable_data<float>().data(), scores.element_count(), 0.0F);
    return scores;
  }

  /// The probability of the token that stands for no speech, after the prompt.
  void set_speech_output(const Tensor& logits, std::int64_t vocabulary,
                         DynamicContext& context) const {
    if (!context.has_output(4)) return;
    if (op_.no_speech_token_id < 0 || op_.no_speech_token_id >= vocabulary) {
      throw Error(ErrorCode::invalid,
                  format("attribute 'no_speech_token_id' is {} (expected 0 to {})",
                         op_.no_speech_token_id, vocabulary - 1));
    }
    const std::int64_t batch = logits.shape()[0];
    Tensor scores = last_scores(logits, batch, vocabulary, context.cap());
    log_softmax(scores.mutable_data<float>(), batch, context.workers());
    Tensor probabilities = context.make(DataType::float32, Shape{batch});
    for (std::int64_t row = 0; row < batch; ++row) {
      probabilities.mutable_data<float>()[static_cast<std::size_t>(row)] = std::exp(
          scores
              .data<float>()[static_cast<std::size_t>(row * vocabulary + op_.no_speech_token_id)]);
    }
    context.set_output(4, as_scores(std::move(probabilities), context));
  }

  WhisperBeamSearch op_;
  std::string_view name_;
  std::size_t input_count_;
  SearchDecoder decoder_;
};

}  // namespace

std::unique_ptr<const ControlFlowKernel> make_beam_search(const Node& node,
                                                          const MakeProgram& make_program) {
  WhisperBeamSearch op;
  static_cast<BeamSearch&>(op) = read_op<BeamSearch>(node);
  return std::make_unique<const BeamSearchKernel>(node, op, "beam_search", make_program);
}

std::unique_ptr<const ControlFlowKernel> make_whisper_beam_search(const Node& node,
                                                                  const MakeProgram& make_program) {
  return std::make_unique<const BeamSearchKernel>(node, read_op<WhisperBeamSearch>(node),
                                                  "whisper_beam_search", make_program);
}

}  // namespace ortool
