// GreedySearch and Sampling: one sequence for each row of the batch.
#include "libcore/ops/contrib/search/greedy_search.hpp"

#include <algorithm>
#include <numeric>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/search/beam_scorer.hpp"
#include "libcore/runtime/search/score_rules.hpp"
#include "libcore/runtime/search/search_decoder.hpp"
#include "libcore/runtime/search/search_operands.hpp"
#include "libcore/runtime/search/token_sampler.hpp"

namespace ortool {
namespace {

class GreedySearchKernel : public ControlFlowKernel {
 public:
  GreedySearchKernel(const Node& node, const Sampling& op, bool samples,
                     const MakeProgram& make_program)
      : op_(op),
        samples_(samples),
        input_count_(static_cast<std::size_t>(node.input_count())),
        decoder_(node, op, make_program) {}

  std::string_view name() const override { return samples_ ? "sampling" : "greedy_search"; }
  std::vector<const Program*> programs() const override { return decoder_.programs(); }

  void run(DynamicContext& context, const RunEnvironment& environment) const override {
    const auto decoder =
        decoder_.start({&context.input(0), optional_tensor(inputs_of(context), 6), nullptr, 1},
                       context, environment);
    const Tensor& prompt = decoder->first_tokens();
    const std::int64_t batch = prompt.shape()[0];
    const std::int64_t max_length = max_length_operand(inputs_of(context), prompt.shape()[1]);
    Tensor out = context.make(DataType::int32, Shape{batch, max_length});
    std::fill_n(out.mutable_data<std::int32_t>().data(), out.element_count(), padding());
    if (batch > 0) {
      search(*decoder, max_length, out, context);
    } else if (context.has_output(1)) {
      context.set_output(1, context.make(DataType::float32, Shape{0, 0}));
    }
    context.set_output(0, std::move(out));
  }

 private:
  SearchInputs inputs_of(const DynamicContext& context) const { return {context, input_count_}; }
  std::int32_t padding() const { return static_cast<std::int32_t>(op_.pad_token_id); }

  ScoreRules read_rules(const DynamicContext& context, std::int64_t batch,
                        std::int64_t vocabulary) const {
    ScoreRules rules;
    rules.repetition_penalty = number_operand(inputs_of(context), 3, "repetition_penalty", 1.0F);
    if (!(rules.repetition_penalty > 0)) {
      throw Error(ErrorCode::invalid, format("'repetition_penalty' is {} (expected above 0)",
                                             rules.repetition_penalty));
    }
    rules.no_repeat_ngram_size = op_.no_repeat_ngram_size;
    rules.vocab_mask = mask_operand(inputs_of(context), 4, "vocab_mask", 0, vocabulary);
    rules.prefix_mask = mask_operand(inputs_of(context), 5, "prefix_vocab_mask", batch, vocabulary);
    rules.min_length = integer_operand(inputs_of(context), 2, "min_length", 0);
    rules.eos_token_id = op_.eos_token_id;
    rules.temperature = op_.temperature;
    rules.presence_mask = mask_operand(inputs_of(context), 7, "presence_mask", batch, vocabulary);
    rules.presence_penalty = op_.presence_penalty;
    return rules;
  }

  void search(DecoderRun& decoder, std::int64_t max_length, Tensor& out,
              DynamicContext& context) const {
    const std::int64_t batch = out.shape()[0];
    Tensor logits = decoder.first(max_length);
    const std::int64_t width = logits.shape()[2];
    if (op_.vocab_size > width) {
      throw Error(ErrorCode::invalid, format("attribute 'vocab_size' is {} (expected at most {}, "
                                             "the size of the logits)",
                                             op_.vocab_size, width));
    }
    const std::int64_t vocabulary = op_.vocab_size > 1 ? op_.vocab_size : width;
    const ScoreRules rules = read_rules(context, batch, vocabulary);
    TokenSampler sampler(
        static_cast<std::uint32_t>(integer_operand(inputs_of(context), 8, "seed", 0)));
    TokenSequences sequences(decoder.first_tokens(), 1, max_length, context.cap());
    std::vector<std::int32_t> rows(static_cast<std::size_t>(batch));
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<std::int32_t> tokens(rows.size());
    std::vector<bool> has_ended(rows.size());
    for (std::int64_t step = 0;; ++step) {
      Tensor scores = last_scores(logits, batch, vocabulary, context.cap());
      rules.apply(sequences, step, scores.mutable_data<float>(), context.workers());
      choose(scores, tokens, sampler, context.workers());
      if (samples_ && context.has_output(1)) context.set_output(1, std::move(scores));
      for (std::size_t row = 0; row < tokens.size(); ++row) {
        if (tokens[row] == op_.eos_token_id) has_ended[row] = true;
        if (has_ended[row]) tokens[row] = padding();
      }
      sequences.append(rows, tokens);
      const bool have_all_ended =
          std::find(has_ended.begin(), has_ended.end(), false) == has_ended.end();
      if (have_all_ended || sequences.is_full()) break;
      logits = decoder.next(sequences, rows);
    }
    std::int32_t* to = out.mutable_data<std::int32_t>().data();
    for (std::int64_t row = 0; row < batch; ++row) {
      const std::span<const std::int32_t> sequence = sequences.row(row);
      std::copy(sequence.begin(), sequence.end(), to + row * max_length);
    }
  }

  void choose(Tensor& scores, std::span<std::int32_t> tokens, TokenSampler& sampler,
              Workers& workers) const {
    const std::span<float> numbers = scores.mutable_data<float>();
    const std::size_t width = numbers.size() / tokens.size();
    workers.parallel_for(static_cast<std::int64_t>(tokens.size()), [&](std::int64_t row) {
      const std::span<float> own = numbers.subspan(static_cast<std::size_t>(row) * width, width);
      if (samples_) return filter_scores(op_, own);
      BeamCandidate best;
      best_candidates(own, static_cast<std::int64_t>(width), {&best, 1});
      tokens[static_cast<std::size_t>(row)] = best.token;
    });
    if (samples_) sampler.draw(numbers, tokens);
  }

  Sampling op_;
  bool samples_;
  std::size_t input_count_;
  SearchDecoder decoder_;
};

}  // namespace

std::unique_ptr<const ControlFlowKernel> make_greedy_search(const Node& node,
                                                            const MakeProgram& make_program) {
  Sampling op;
  static_cast<GreedySearch&>(op) = read_op<GreedySearch>(node);
  return std::make_unique<const GreedySearchKernel>(node, op, false, make_program);
}

std::unique_ptr<const ControlFlowKernel> make_sampling(const Node& node,
                                                       const MakeProgram& make_program) {
  return std::make_unique<const GreedySearchKernel>(node, read_op<Sampling>(node), true,
                                                    make_program);
}

}  // namespace ortool
