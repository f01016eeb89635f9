// Encoder-decoder bodies (T5, BART, Whisper): the encoder runs once and fills the cross-attention
// caches, which stay; those of self-attention grow.
#include <algorithm>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/runtime/search/body_inputs.hpp"
#include "libcore/runtime/search/search_decoder.hpp"
#include "libcore/runtime/search/shared_buffer.hpp"

namespace ortool {
namespace {

class EncoderDecoderRun : public DecoderRun {
 public:
  EncoderDecoderRun(const SearchDecoder& bodies, const SearchPrompt& prompt,
                    const DynamicContext& context, const RunEnvironment& environment)
      : bodies_(bodies),
        prompt_(prompt),
        context_(context),
        environment_(environment),
        batch_(prompt.input_ids->shape()[0]),
        layout_(bodies.op().layout) {
    if (layout_.has(DecoderInput::encoder_input_ids)) source_ = *prompt.input_ids;
    if (bodies.op().model_type == SearchBodies::ModelType::whisper &&
        prompt.decoder_input_ids != nullptr) {
      first_tokens_ = *prompt.decoder_input_ids;
      if (first_tokens_.shape().rank() != 2 || first_tokens_.shape()[0] != batch_ ||
          first_tokens_.shape()[1] < 1) {
        throw Error(ErrorCode::invalid,
                    format("'decoder_input_ids' has the shape {} (expected {} rows of tokens)",
                           first_tokens_.shape().to_string(), batch_));
      }
      return;
    }
    if (bodies.op().decoder_start_token_id < 0) {
      throw Error(ErrorCode::invalid, "attribute 'decoder_start_token_id' is missing",
                  "set it to the token that the decoder starts with");
    }
    first_tokens_ = context.make(DataType::int32, Shape{batch_, 1});
    std::fill_n(first_tokens_.mutable_data<std::int32_t>().data(), batch_,
                static_cast<std::int32_t>(bodies.op().decoder_start_token_id));
  }

  const Tensor& first_tokens() const override { return first_tokens_; }

  Tensor first(std::int64_t max_length) override {
    if (layout_.shares_buffer()) shared_.emplace(batch_, max_length, context_.cap());
    const std::span<Value* const> inputs = bodies_.encoder().graph().inputs();
    std::vector<RunValue> given;
    given.emplace_back(as_declared(*prompt_.input_ids, *inputs[0], context_.cap()));
    const bool is_whisper = bodies_.op().model_type == SearchBodies::ModelType::whisper;
    if (!is_whisper) {
      mask_ = source_mask();
      given.emplace_back(as_declared(mask_, *inputs[1], context_.cap()));
    }
    if (given.size() < inputs.size())
      given.emplace_back(as_declared(first_tokens_, *inputs[given.size()], context_.cap()));
    check_body_inputs(bodies_.encoder().graph(), given, "encoder");
    std::vector<RunValue> results = bodies_.encoder().run(std::move(given), context_, environment_);
    const bool has_logits = bodies_.op().encoder_takes_first_step();
    Tensor logits = has_logits ? take_logits(results, batch_, context_.cap()) : Tensor();
    if (has_logits) take_hidden_states(std::move(results[1]));
    const auto caches = static_cast<std::ptrdiff_t>(layout_.caches);
    cross_.assign(std::make_move_iterator(results.end() - caches),
                  std::make_move_iterator(results.end()));
    check_caches(cross_, batch_, "encoder");
    if (has_logits) {
      caches_.assign(std::make_move_iterator(results.begin() + 2),
                     std::make_move_iterator(results.begin() + 2 + caches));
      check_caches(caches_, batch_, "encoder");
      for (RunValue& cache : caches_) {
        if (shared_) cache = shared_->lengthened(cache, 2);
      }
    } else {
      logits = first_decoder_step();
    }
    expand();
    return logits;
  }

  Tensor next(const TokenSequences& sequences, std::span<const std::int32_t> parents) override {
    const Value& ids = *bodies_.decoder().graph().inputs().front();
    const std::int64_t count = declared_size(ids, 1, -1) == 1 ? 1 : sequences.length();
    const std::int64_t past = sequences.length() - 1;
    if (layout_.has(DecoderInput::cache_indirection)) {
      shared_->advance(parents, past);
    } else {
      for (RunValue& cache : caches_) cache = reorder_rows(cache, 0, parents, context_.cap());
    }
    return decoder_step(last_tokens(sequences, count, ids, context_.cap()), sequences.rows(), past);
  }

 private:
  /// The decoder's first step without an encoder that takes it: from empty caches.
  Tensor first_decoder_step() {
    const std::span<Value* const> inputs = bodies_.decoder().graph().inputs();
    const std::size_t first_past = layout_.first(DecoderInput::past);
    for (std::size_t i = 0; i < layout_.caches; ++i) {
      const Tensor& cross = cross_[i].tensor();
      const Value& input = *inputs[first_past + i];
      const std::int64_t heads = declared_size(input, 1, cross.shape()[1]);
      const std::int64_t size = declared_size(input, 3, cross.shape()[3]);
      caches_.emplace_back(shared_ ? shared_->empty_cache(cross.type(), {batch_, heads, 0, size}, 2)
                                   : context_.make(cross.type(), Shape{batch_, heads, 0, size}));
    }
    return decoder_step(as_declared(first_tokens_, *inputs.front(), context_.cap()), batch_, 0);
  }

  /// `past_length`: how many tokens the caches hold.
  Tensor decoder_step(Tensor tokens, std::int64_t rows, std::int64_t past_length) {
    const Graph& body = bodies_.decoder().graph();
    std::vector<RunValue> given;
    std::size_t past = 0;
    std::size_t cross = 0;
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      const Value& input = *body.inputs()[i];
      switch (layout_.inputs[i]) {
        case DecoderInput::input_ids:
          given.emplace_back(std::move(tokens));
          break;
        case DecoderInput::encoder_attention_mask:
          given.emplace_back(as_declared(mask_, input, context_.cap()));
          break;
        case DecoderInput::encoder_input_ids:
          given.emplace_back(as_declared(source_, input, context_.cap()));
          break;
        case DecoderInput::encoder_hidden_states:
          given.push_back(hidden_states_);
          break;
        case DecoderInput::past:
          given.push_back(std::move(caches_[past++]));
          break;
        case DecoderInput::cross:
          given.push_back(cross_[cross++]);
          break;
        case DecoderInput::past_length:
        case DecoderInput::beam_width:
        case DecoderInput::cache_indirection:
          given.push_back(shared_->input(layout_.inputs[i], input, past_length));
          break;
        case DecoderInput::position_ids:
        case DecoderInput::attention_mask:
          ORTOOL_CHECK(false);
      }
    }
    check_body_inputs(body, given, "decoder");
    std::vector<RunValue> results = bodies_.decoder().run(std::move(given), context_, environment_);
    Tensor logits = take_logits(results, rows, context_.cap());
    caches_.assign(std::make_move_iterator(results.begin() + 1),
                   std::make_move_iterator(results.end()));
    check_caches(caches_, rows, "decoder");
    return logits;
  }

  void take_hidden_states(RunValue states) {
    if (!layout_.has(DecoderInput::encoder_hidden_states)) return;
    const Shape& shape = states.tensor().shape();
    if (shape.rank() < 1 || shape[0] != batch_) {
      throw Error(ErrorCode::invalid,
                  format("the encoder's hidden states are {} (expected {} rows)", states.describe(),
                         batch_));
    }
    hidden_states_ = std::move(states);
  }

  static void check_caches(const std::vector<RunValue>& caches, std::int64_t rows,
                           std::string_view name) {
    for (const RunValue& cache : caches) {
      const Shape& shape = cache.tensor().shape();
      if (shape.rank() == 4 && shape[0] == rows) continue;
      throw Error(ErrorCode::invalid,
                  format("a cache of the body '{}' is {} (expected [{}, heads, length, size])",
                         name, cache.describe(), rows));
    }
  }

  /// Repeats what belongs to a row of the batch for each of its beams.
  void expand() {
    const std::vector<std::int32_t> rows = rows_of_beams(batch_, prompt_.beams);
    for (RunValue& cache : caches_) cache = reorder_rows(cache, 0, rows, context_.cap());
    for (RunValue& cache : cross_) cache = reorder_rows(cache, 0, rows, context_.cap());
    if (shared_) shared_->expand(prompt_.beams);
    if (layout_.has(DecoderInput::encoder_hidden_states))
      hidden_states_ = reorder_rows(hidden_states_, 0, rows, context_.cap());
    if (!mask_.is_empty()) mask_ = gather_rows(mask_, 0, rows, context_.cap());
    if (!source_.is_empty()) source_ = gather_rows(source_, 0, rows, context_.cap());
  }

  /// Padding before the first token is masked; later tokens of the same number end sentences.
  Tensor source_mask() const {
    if (prompt_.attention_mask != nullptr) return *prompt_.attention_mask;
    const Tensor& ids = *prompt_.input_ids;
    Tensor mask = context_.make(DataType::int32, ids.shape());
    const std::int32_t* token = ids.data<std::int32_t>().data();
    std::int32_t* out = mask.mutable_data<std::int32_t>().data();
    for (std::int64_t row = 0; row < batch_; ++row) {
      bool has_begun = false;
      for (std::int64_t i = 0; i < ids.shape()[1]; ++i) {
        if (*token++ != bodies_.op().pad_token_id) has_begun = true;
        *out++ = static_cast<std::int32_t>(has_begun);
      }
    }
    return mask;
  }

  const SearchDecoder& bodies_;
  SearchPrompt prompt_;
  const DynamicContext& context_;
  const RunEnvironment& environment_;
  std::int64_t batch_;
  const DecoderLayout& layout_;
  Tensor first_tokens_;
  Tensor mask_;
  Tensor source_;
  RunValue hidden_states_;
  std::vector<RunValue> caches_;
  std::vector<RunValue> cross_;
  std::optional<SharedBuffer> shared_;  ///< of bodies that share one between past and present
};

}  // namespace

std::unique_ptr<DecoderRun> start_encoder_decoder(const SearchDecoder& bodies,
                                                  const SearchPrompt& prompt,
                                                  const DynamicContext& context,
                                                  const RunEnvironment& environment) {
  return std::make_unique<EncoderDecoderRun>(bodies, prompt, context, environment);
}

}  // namespace ortool
