// Decoder-only bodies (GPT-2): tokens, positions, a mask and one cache of keys and values per
// layer.
#include <algorithm>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/runtime/search/body_inputs.hpp"
#include "libcore/runtime/search/search_decoder.hpp"
#include "libcore/runtime/search/shared_buffer.hpp"

namespace ortool {
namespace {

class GptRun : public DecoderRun {
 public:
  GptRun(const SearchDecoder& bodies, const SearchPrompt& prompt, const DynamicContext& context,
         const RunEnvironment& environment)
      : bodies_(bodies),
        prompt_(prompt),
        context_(context),
        environment_(environment),
        batch_(prompt.input_ids->shape()[0]),
        length_(prompt.input_ids->shape()[1]) {
    if (length_ < 1) throw Error(ErrorCode::invalid, "'input_ids' has no token");
  }

  const Tensor& first_tokens() const override { return *prompt_.input_ids; }

  Tensor first(std::int64_t max_length) override {
    const Body& body = bodies_.first_decoder();
    if (layout().shares_buffer()) shared_.emplace(batch_, max_length, context_.cap());
    const std::span<Value* const> inputs = body.graph().inputs();
    std::vector<RunValue> given;
    given.emplace_back(as_declared(*prompt_.input_ids, *inputs[0], context_.cap()));
    mask_places();
    given.emplace_back(as_declared(positions_, *inputs[1], context_.cap()));
    given.emplace_back(as_declared(mask_, *inputs[2], context_.cap()));
    for (std::size_t i = 3; i < 3 + layout().caches; ++i) {
      const std::int64_t heads = declared_size(*inputs[i], 2, -1);
      const std::int64_t size = declared_size(*inputs[i], 4, -1);
      if (heads < 0 || size < 0) {
        throw Error(ErrorCode::invalid,
                    format("input '{}' of the body 'decoder' is declared as {} (expected a cache "
                           "[2, batch, heads, length, size] with fixed heads and size)",
                           inputs[i]->name(), inputs[i]->type().to_string()));
      }
      const DataType type = inputs[i]->type().element;
      given.emplace_back(shared_ ? shared_->empty_cache(type, {2, batch_, heads, 0, size}, 3)
                                 : context_.make(type, Shape{2, batch_, heads, 0, size}));
    }
    add_shared_inputs(body.graph(), 0, given);
    Tensor logits = run(body, std::move(given), batch_, "decoder");
    const std::vector<std::int32_t> rows = rows_of_beams(batch_, prompt_.beams);
    for (RunValue& cache : caches_) cache = reorder_rows(cache, 1, rows, context_.cap());
    if (shared_) shared_->expand(prompt_.beams);
    mask_ = gather_rows(mask_, 0, rows, context_.cap());
    for (const std::int32_t row : rows)
      next_positions_.push_back(lengths_[static_cast<std::size_t>(row)]);
    return logits;
  }

  Tensor next(const TokenSequences& sequences, std::span<const std::int32_t> parents) override {
    const Body& body = bodies_.decoder();
    const std::span<Value* const> inputs = body.graph().inputs();
    const std::int64_t rows = sequences.rows();
    std::vector<RunValue> given;
    given.emplace_back(last_tokens(sequences, 1, *inputs[0], context_.cap()));
    Tensor positions = Tensor::of<std::int32_t>(Shape{rows, 1}, next_positions_);
    for (std::int32_t& position : next_positions_) ++position;
    given.emplace_back(as_declared(positions, *inputs[1], context_.cap()));
    extend_mask();
    given.emplace_back(as_declared(mask_, *inputs[2], context_.cap()));
    const bool has_indirection = layout().has(DecoderInput::cache_indirection);
    for (RunValue& cache : caches_)
      given.push_back(has_indirection ? cache : reorder_rows(cache, 1, parents, context_.cap()));
    caches_.clear();
    if (has_indirection) shared_->advance(parents, sequences.length() - 1);
    add_shared_inputs(body.graph(), sequences.length() - 1, given);
    return run(body, std::move(given), rows, "decoder");
  }

 private:
  const DecoderLayout& layout() const { return bodies_.op().layout; }

  /// What a body reads behind its caches, which hold `length` tokens.
  void add_shared_inputs(const Graph& body, std::int64_t length, std::vector<RunValue>& given) {
    for (std::size_t i = 3 + layout().caches; i < layout().inputs.size(); ++i)
      given.push_back(shared_->input(layout().inputs[i], *body.inputs()[i], length));
  }

  Tensor run(const Body& body, std::vector<RunValue> given, std::int64_t rows,
             std::string_view name) {
    check_body_inputs(body.graph(), given, name);
    std::vector<RunValue> results = body.run(std::move(given), context_, environment_);
    Tensor logits = take_logits(results, rows, context_.cap());
    caches_.assign(std::make_move_iterator(results.begin() + 1),
                   std::make_move_iterator(results.end()));
    for (const RunValue& cache : caches_) {
      const Shape& shape = cache.tensor().shape();
      if (shape.rank() == 5 && shape[0] == 2 && shape[1] == rows) continue;
      throw Error(ErrorCode::invalid,
                  format("a cache of the body '{}' is {} (expected [2, {}, heads, length, size])",
                         name, cache.describe(), rows));
    }
    return logits;
  }

  /// Padding is masked and has position 0; other tokens are counted.
  void mask_places() {
    mask_ = context_.make(DataType::int32, prompt_.input_ids->shape());
    positions_ = context_.make(DataType::int32, prompt_.input_ids->shape());
    const std::int32_t* tokens = prompt_.input_ids->data<std::int32_t>().data();
    const std::int32_t* given = prompt_.attention_mask != nullptr
                                    ? prompt_.attention_mask->data<std::int32_t>().data()
                                    : nullptr;
    std::int32_t* mask = mask_.mutable_data<std::int32_t>().data();
    std::int32_t* positions = positions_.mutable_data<std::int32_t>().data();
    for (std::int64_t row = 0; row < batch_; ++row) {
      std::int32_t count = 0;
      for (std::int64_t i = row * length_; i < (row + 1) * length_; ++i) {
        const bool is_padding = tokens[i] == bodies_.op().pad_token_id;
        mask[i] = given != nullptr ? given[i] : static_cast<std::int32_t>(!is_padding);
        positions[i] = is_padding ? 0 : count++;
      }
      lengths_.push_back(count);
    }
  }

  void extend_mask() {
    const std::int64_t rows = mask_.shape()[0];
    const std::int64_t width = mask_.shape()[1];
    Tensor wider = context_.make(DataType::int32, Shape{rows, width + 1});
    const std::int32_t* from = mask_.data<std::int32_t>().data();
    std::int32_t* to = wider.mutable_data<std::int32_t>().data();
    for (std::int64_t row = 0; row < rows; ++row) {
      to = std::copy_n(from + row * width, width, to);
      *to++ = 1;
    }
    mask_ = std::move(wider);
  }

  const SearchDecoder& bodies_;
  SearchPrompt prompt_;
  const DynamicContext& context_;
  const RunEnvironment& environment_;
  std::int64_t batch_;
  std::int64_t length_;
  Tensor mask_;
  Tensor positions_;
  std::vector<std::int32_t> lengths_;         ///< of each prompt without padding
  std::vector<std::int32_t> next_positions_;  ///< of each row
  std::vector<RunValue> caches_;
  std::optional<SharedBuffer> shared_;  ///< of bodies that share one between past and present
};

}  // namespace

std::unique_ptr<DecoderRun> start_gpt(const SearchDecoder& bodies, const SearchPrompt& prompt,
                                      const DynamicContext& context,
                                      const RunEnvironment& environment) {
  return std::make_unique<GptRun>(bodies, prompt, context, environment);
}

}  // namespace ortool
