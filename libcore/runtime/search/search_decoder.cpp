// Compiles the bodies of generation operators, and starts runs of them.
#include "libcore/runtime/search/search_decoder.hpp"

#include "libcore/base/format.hpp"
#include "libcore/runtime/program.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

SearchDecoder::SearchDecoder(const Node& node, const SearchBodies& op,
                             const MakeProgram& make_program)
    : op_(op), decoder_(node, *op.decoder, make_program) {
  if (op.init_decoder != nullptr) init_decoder_.emplace(node, *op.init_decoder, make_program);
  if (op.encoder != nullptr) encoder_.emplace(node, *op.encoder, make_program);
}

std::unique_ptr<DecoderRun> SearchDecoder::start(const SearchPrompt& prompt,
                                                 const DynamicContext& context,
                                                 const RunEnvironment& environment) const {
  const std::int64_t rank = prompt.input_ids->shape().rank();
  const std::int64_t expected = op_.model_type == SearchBodies::ModelType::whisper ? 3 : 2;
  if (rank != expected) {
    throw Error(ErrorCode::invalid,
                format("'input_ids' has rank {} (expected {})", rank, expected));
  }
  if (op_.model_type != SearchBodies::ModelType::whisper && prompt.attention_mask != nullptr &&
      prompt.attention_mask->shape() != prompt.input_ids->shape()) {
    throw Error(
        ErrorCode::invalid,
        format("'attention_mask' has the shape {} (expected {}, that of 'input_ids')",
               prompt.attention_mask->shape().to_string(), prompt.input_ids->shape().to_string()));
  }
  return op_.encoder == nullptr ? start_gpt(*this, prompt, context, environment)
                                : start_encoder_decoder(*this, prompt, context, environment);
}

std::vector<const Program*> SearchDecoder::programs() const {
  std::vector<const Program*> programs = {&decoder_.program()};
  if (init_decoder_) programs.push_back(&init_decoder_->program());
  if (encoder_) programs.push_back(&encoder_->program());
  return programs;
}

Tensor take_logits(std::vector<RunValue>& results, std::int64_t rows, MemoryCap* cap) {
  const Tensor logits = std::exchange(results.front(), {}).tensor();
  const Shape& shape = logits.shape();
  const bool is_float = logits.type() == DataType::float32 || logits.type() == DataType::float16;
  if (!is_float || shape.rank() != 3 || shape[0] != rows || shape[1] < 1 || shape[2] < 2) {
    throw Error(ErrorCode::invalid,
                format("the body's logits are {}[{}] (expected {} rows of floats for each position "
                       "and token)",
                       name_of(logits.type()), shape.to_string(), rows));
  }
  return convert(logits, DataType::float32, {}, cap);
}

}  // namespace ortool
