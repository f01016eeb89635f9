// Key padding masks of ONNX Runtime's operators.
#include "providers/cpu/attention/key_mask.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/format.hpp"

namespace ortool::cpu {

KeyMaskOperand::KeyMaskOperand(const PrepareContext& context, std::size_t input,
                               const KeyMaskOptions& options, WorkspaceLayout& layout)
    : options_(options), input_(input) {
  if (!context.has_input(input) && !options.adds_causal) return;
  batches_ = 1;
  rows_ = options.adds_causal ? options.queries : 1;
  if (context.has_input(input)) {
    const Shape& shape = context.inputs[input].shape;
    form_ = key_mask_form(to_partial(shape), Dimension(options.batch), Dimension(options.keys));
    batches_ = options.batch;
    if (form_ == KeyMaskFormat::queries_and_keys) {
      rows_ = options.queries;
      row_stride_ = shape[shape.rank() - 1];
      batch_stride_ = row_stride_ * shape[shape.rank() - 2];
      const bool fits = shape.rank() == 4
                            ? shape[1] == 1 && shape[2] >= options.queries + options.past &&
                                  shape[3] >= options.keys
                            : shape[1] == options.queries && shape[2] == options.keys;
      if (!fits || shape[0] != options.batch) {
        throw Error(ErrorCode::invalid,
                    format("the mask of rank {} has {} rows and {} columns (expected those of {} "
                           "queries and {} keys, for each batch)",
                           shape.rank(), shape[shape.rank() - 2], row_stride_, options.queries,
                           options.keys));
      }
      // A mask for the longest sequence: its rows are positions.
      if (shape.rank() == 4) first_row_ = options.past;
    } else if (form_ == KeyMaskFormat::keys && shape[0] != options.batch) {
      throw Error(ErrorCode::invalid,
                  format("the mask has {} rows (expected {})", shape[0], options.batch));
    }
  }
  space_ = layout.add(
      bytes_of(DataType::float32, multiply_sizes(multiply_sizes(batches_, rows_), options.keys)));
}

void KeyMaskOperand::fill_row(const std::int32_t* mask, std::int64_t batch, std::int64_t query,
                              float* row) const {
  const std::int64_t keys = options_.keys;
  if (!form_) {
    std::fill_n(row, keys, 0.0F);
  } else if (form_ == KeyMaskFormat::keys || form_ == KeyMaskFormat::queries_and_keys) {
    const std::int32_t* from =
        form_ == KeyMaskFormat::keys
            ? mask + batch * keys
            : mask + batch * batch_stride_ + (first_row_ + query) * row_stride_;
    for (std::int64_t i = 0; i < keys; ++i) row[i] = from[i] > 0 ? 0.0F : options_.filter;
  } else {
    const std::int64_t end = std::clamp<std::int64_t>(mask[batch], 0, keys);
    std::int64_t begin = 0;
    if (form_ == KeyMaskFormat::ends_and_starts)
      begin = std::clamp<std::int64_t>(mask[options_.batch + batch], 0, end);
    std::fill_n(row, keys, options_.filter);
    std::fill(row + begin, row + end, 0.0F);
  }
  // The last query sees all keys, also where there are more than past ones and queries.
  if (!options_.adds_causal || query == options_.queries - 1) return;
  const std::int64_t visible = std::min(keys, options_.past + query + 1);
  std::fill(row + visible, row + keys, std::numeric_limits<float>::lowest());
}

HeadRows<const float*> KeyMaskOperand::read(const RunContext& run) const {
  if (batches_ == 0) return {};
  auto* out = reinterpret_cast<float*>(run.workspace() + space_);
  const auto* mask = run.input<std::int32_t>(input_);
  for (std::int64_t batch = 0; batch < batches_; ++batch) {
    for (std::int64_t query = 0; query < rows_; ++query)
      fill_row(mask, batch, query, out + (batch * rows_ + query) * options_.keys);
  }
  return {out, batches_ == 1 ? 0 : rows_ * options_.keys, 0, rows_ == 1 ? 0 : options_.keys};
}

}  // namespace ortool::cpu
