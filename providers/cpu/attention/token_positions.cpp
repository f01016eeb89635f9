// Positions of tokens in caches whose batches differ in length.
#include "providers/cpu/attention/token_positions.hpp"

#include "kernels/cpu/elementwise/cast.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {

CachePositions::CachePositions(std::int64_t batch, std::int64_t length, std::int64_t total,
                               std::size_t lengths, WorkspaceLayout& layout)
    : batch_(batch), length_(length), total_(total), input_(lengths) {
  space_ = layout.add(bytes_of(DataType::int64, 2 * batch));
  if (total >= length) return;
  throw Error(
      ErrorCode::invalid,
      format("'total_sequence_length' is {} (expected at least the {} new tokens)", total, length));
}

void CachePositions::fill(const RunContext& run) const {
  const auto* given = run.input<std::int32_t>(input_);
  for (std::int64_t i = 0; i < batch_; ++i) {
    const std::int64_t length = std::int64_t{given[i]} + 1;
    const std::int64_t least = is_prompt() ? 1 : length_;
    if (length < least || length > total_) {
      throw Error(ErrorCode::invalid,
                  format("the lengths of keys less 1 hold {} (expected {} to {})", given[i],
                         least - 1, total_ - 1));
    }
    lengths(run)[i] = length;
    firsts(run)[i] = is_prompt() ? 0 : length - length_;
  }
}

TokenAngles::TokenAngles(const PrepareContext& context, std::size_t cosines, std::size_t sines,
                         std::size_t positions, const HeadSizes& sizes, WorkspaceLayout& layout)
    : inputs_{cosines, sines, positions}, type_(context.inputs[cosines].type), sizes_(sizes) {
  const Shape& cache = context.inputs[cosines].shape;
  if (cache.rank() != 2 || cache != context.inputs[sines].shape || 2 * cache[1] > sizes.size) {
    throw Error(
        ErrorCode::invalid,
        format("'cos_cache' and 'sin_cache' do not have the same shape (expected rows of at "
               "most {} angles)",
               sizes.size / 2));
  }
  const std::int64_t tokens = sizes.batch * sizes.length;
  if (context.has_input(positions) && context.inputs[positions].shape.element_count() < 1)
    throw Error(ErrorCode::invalid, "'position_ids' is empty (expected a position for each token)");
  rows_ = cache[0];
  pairs_ = cache[1];
  ids_space_ = layout.add(bytes_of(DataType::int64, tokens));
  if (context.has_input(positions) && context.inputs[positions].shape.element_count() != tokens)
    is_first_only_ = true;
  if (type_ == DataType::float32) return;
  cosines_space_ = layout.add(bytes_of(DataType::float32, multiply_sizes(tokens, pairs_)));
  sines_space_ = layout.add(bytes_of(DataType::float32, multiply_sizes(tokens, pairs_)));
}

void TokenAngles::fill(const RunContext& run, const CachePositions& cache, HeadSteps& steps) const {
  auto* ids = reinterpret_cast<std::int64_t*>(run.workspace() + ids_space_);
  const auto* given = run.input<std::int64_t>(inputs_[2]);
  const std::int64_t tokens = sizes_.batch * sizes_.length;
  for (std::int64_t i = 0; i < tokens; ++i) {
    const std::int64_t token = i % sizes_.length;
    ids[i] = cache.firsts(run)[i / sizes_.length] + token;
    if (given != nullptr)
      ids[i] = cache.is_prompt() || is_first_only_ ? given[0] + token : given[i];
    if (ids[i] < 0 || ids[i] >= rows_) {
      throw Error(ErrorCode::invalid, format("the position of a token is {} (expected 0 to {}, the "
                                             "rows of 'cos_cache')",
                                             ids[i], rows_ - 1));
    }
  }
  steps.pairs = pairs_;
  steps.angle_rows = ids;
  steps.cosines = run.input<float>(inputs_[0]);
  steps.sines = run.input<float>(inputs_[1]);
  if (type_ == DataType::float32) return;
  const std::int64_t row_bytes = bytes_of(type_, pairs_);
  const auto gather = [&](std::size_t input, std::int64_t space) {
    auto* out = reinterpret_cast<float*>(run.workspace() + space);
    for (std::int64_t i = 0; i < tokens; ++i) {
      cast(type_, run.input<std::byte>(input) + ids[i] * row_bytes, DataType::float32,
           out + i * pairs_, pairs_, run.workers());
    }
    return out;
  };
  steps.cosines = gather(inputs_[0], cosines_space_);
  steps.sines = gather(inputs_[1], sines_space_);
  for (std::int64_t i = 0; i < tokens; ++i) ids[i] = i;
}

}  // namespace ortool::cpu
