// Attention task: packed products of queries and keys, softmax, and the product with the values.
#include "kernels/cpu/attention/attention_task.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "kernels/cpu/attention/attention_rows.hpp"
#include "kernels/cpu/attention/bf16_attention.hpp"
#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/types/fp16_convert.hpp"

namespace ortool::cpu {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::int64_t in_lines(std::int64_t floats) {
  return (floats + 15) / 16 * 16;
}

/// Row stride of the scores: a whole number of cache lines, but not a multiple of a page, which
/// would make the rows of a product conflict in the L1 cache.
std::int64_t score_stride(std::int64_t keys) {
  const std::int64_t stride = in_lines(keys);
  return stride % 1024 == 0 ? stride + 16 : stride;
}

void round_to_fp16(DataType type, float* values, std::int64_t count, Isa isa) {
  const Fp16Functions& functions = fp16_functions(isa);
  const bool is_float16 = type == DataType::float16;
  constexpr std::int64_t most = 512;
  std::uint16_t halves[most];
  for (std::int64_t i = 0; i < count; i += most) {
    const std::int64_t here = std::min(most, count - i);
    (is_float16 ? functions.float_to_float16 : functions.float_to_bfloat16)(values + i, halves,
                                                                            here);
    (is_float16 ? functions.float16_to_float : functions.bfloat16_to_float)(halves, values + i,
                                                                            here);
  }
}

/// Rounds floats to a 16-bit type; other types are left unchanged.
inline void round_to(DataType type, float* values, std::int64_t count, Isa isa) {
  if (type == DataType::float16 || type == DataType::bfloat16)
    round_to_fp16(type, values, count, isa);
}

/// Whether different queries see different keys, not counting the mask.
bool is_bounded(const AttentionRules& rules) {
  return rules.is_causal || rules.left_window >= 0 || rules.right_window >= 0;
}

class TaskRun {
 public:
  TaskRun(const AttentionCall& call, const AttentionTask& task, float* workspace)
      : call_(call),
        sizes_(call.sizes),
        rules_(call.rules),
        operands_(call.operands),
        task_(task),
        functions_(gemm_functions(call.isa)),
        row_functions_(attention_row_functions(call.isa)),
        is_bounded_(is_bounded(rules_)),
        common_(visible_keys(sizes_, rules_, operands_, task.batch, 0)) {
    const AttentionSpace space = attention_space(sizes_, rules_, call.cut, call.isa);
    for (float** part : {&keys_, &values_, &queries_, &scores_, &sums_}) *part = workspace;
    decoded_keys_ =
        workspace + space.keys + space.values + space.queries + space.scores + space.sums;
    decoded_values_ = decoded_keys_ + space.decoded_keys;
    values_ += space.keys;
    queries_ = values_ + space.values;
    scores_ = queries_ + space.queries;
    sums_ = scores_ + space.scores;
    if (space.rows > 0)
      bf16_.emplace(sizes_, call.isa, keys_, values_, decoded_values_ + space.decoded_values);
  }

  void run() {
    range_ = visible_to(task_.begin, task_.end);
    stride_ = score_stride(range_.size());
    decode(operands_.encoded_keys, decoded_keys_);
    decode(operands_.encoded_values, decoded_values_);
    if (!call_.cut.is_skinny) pack();
    for (std::int64_t row = task_.begin; row < task_.end; row += call_.cut.block_rows) {
      run_block(row, std::min(row + call_.cut.block_rows, task_.end));
    }
  }

 private:
  std::int64_t head_of(std::int64_t row) const {
    return task_.head * (sizes_.query_heads / sizes_.shared_heads) + row / sizes_.queries;
  }
  std::int64_t query_of(std::int64_t row) const { return row % sizes_.queries; }
  KeyRange visible(std::int64_t row) const {
    if (!is_bounded_) return common_;
    return visible_keys(sizes_, rules_, operands_, task_.batch, query_of(row));
  }

  /// The keys whose scores are computed for rows [begin, end): all of them if scores are kept.
  KeyRange visible_to(std::int64_t begin, std::int64_t end) const {
    if (rules_.kept != KeptScores::none) return {0, sizes_.keys};
    if (!is_bounded_) return common_;
    KeyRange all;
    for (std::int64_t row = begin; row < end; ++row) all = join_ranges(all, visible(row));
    return all;
  }

  /// Decodes the rows of `range_`, if they are encoded.
  void decode(const EncodedRows& encoded, float* out) const {
    if (!encoded.is_given()) return;
    decode_rows(encoded.format, task_.head, encoded.rows.at(task_.batch, task_.head, range_.begin),
                encoded.rows.row_stride, range_.size(), out, call_.isa);
  }
  StridedMatrix decoded_at(const EncodedRows& encoded, const float* decoded, std::int64_t key,
                           bool is_transposed) const {
    const std::int64_t size = encoded.format.size;
    return {decoded + (key - range_.begin) * size, size, is_transposed};
  }
  StridedMatrix keys_at(std::int64_t key) const {
    if (operands_.encoded_keys.is_given())
      return decoded_at(operands_.encoded_keys, decoded_keys_, key, true);
    return {operands_.keys.at(task_.batch, task_.head, key), operands_.keys.row_stride, true};
  }
  StridedMatrix values_at(std::int64_t key) const {
    if (operands_.encoded_values.is_given())
      return decoded_at(operands_.encoded_values, decoded_values_, key, false);
    return {operands_.values.at(task_.batch, task_.head, key), operands_.values.row_stride, false};
  }

  void pack() {
    if (bf16_) return bf16_->pack(keys_at(range_.begin), values_at(range_.begin), range_.size());
    const ColumnPanels keys = cut_columns(range_.size(), functions_);
    for (std::int64_t panel = 0; panel < keys.count; ++panel) {
      pack_column_panel(keys, panel, sizes_.key_size, keys_at(range_.begin), functions_, keys_);
    }
    const ColumnPanels values = cut_columns(sizes_.value_size, functions_);
    for (std::int64_t panel = 0; panel < values.count; ++panel) {
      pack_column_panel(values, panel, range_.size(), values_at(range_.begin), functions_, values_);
    }
  }

  void run_block(std::int64_t begin, std::int64_t end) {
    KeyRange range = bf16_ ? range_ : visible_to(begin, end);
    const std::int64_t rows = end - begin;
    gather_queries(begin, end);
    if (range.size() > 0) {
      if (call_.cut.is_skinny) {
        multiply_skinny_keys(rows);
      } else if (bf16_) {
        bf16_->multiply_keys(queries_, rows, scores_, stride_);
      } else {
        range = multiply_keys(rows, range);
      }
    }
    for (std::int64_t row = begin; row < end; ++row) {
      weigh(row, scores_ + (row - begin) * stride_, shifted(range));
    }
    if (range.size() == 0) {
      std::fill_n(sums_, rows * sizes_.value_size, 0.0F);
    } else if (call_.cut.is_skinny) {
      const StridedMatrix values = values_at(range_.begin);
      functions_.skinny(scores_, stride_, 1, static_cast<std::int32_t>(rows), values.data,
                        values.stride, sizes_.value_size, range_.size(), sums_, sizes_.value_size);
    } else if (bf16_) {
      bf16_->multiply_values(scores_, stride_, rows, sums_);
    } else {
      multiply_values(rows, range);
    }
    for (std::int64_t row = begin; row < end; ++row) {
      std::memcpy(operands_.out.at(task_.batch, head_of(row), query_of(row)),
                  sums_ + (row - begin) * sizes_.value_size,
                  static_cast<std::size_t>(sizes_.value_size) * sizeof(float));
    }
  }

  void gather_queries(std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const float* from = operands_.queries.at(task_.batch, head_of(row), query_of(row));
      float* to = queries_ + (row - begin) * sizes_.key_size;
      row_functions_.scale(from, to, sizes_.key_size, rules_.scale);
    }
  }

  void multiply_skinny_keys(std::int64_t rows) {
    const StridedMatrix keys = keys_at(range_.begin);
    for (std::int64_t row = 0; row < rows; ++row) {
      functions_.dot_rows(keys.data, keys.stride, range_.size(), sizes_.key_size,
                          queries_ + row * sizes_.key_size, scores_ + row * stride_);
    }
  }

  /// Computes the scores of the column panels that cover `range`; returns the keys of those panels.
  KeyRange multiply_keys(std::int64_t rows, KeyRange range) {
    const Epilogue plain;
    PanelProduct product;
    product.functions = &functions_;
    product.k = sizes_.key_size;
    product.rows = cut_rows(rows, functions_);
    product.columns = cut_columns(range_.size(), functions_);
    product.a = queries_;
    product.a_stride = sizes_.key_size;
    product.b = keys_;
    product.c = scores_;
    product.c_stride = stride_;
    product.epilogue = &plain;
    const std::int64_t width = product.columns.width;
    const std::int64_t first = (range.begin - range_.begin) / width;
    const std::int64_t last = (range.end - range_.begin + width - 1) / width;
    multiply_panels(product, 0, product.rows.count, first, last);
    return {range_.begin + first * width, std::min(range_.end, range_.begin + last * width)};
  }

  /// Multiplies one panel of values at a time, so that only the rows of `range` take part.
  void multiply_values(std::int64_t rows, KeyRange range) {
    const Epilogue plain;
    const ColumnPanels columns = cut_columns(sizes_.value_size, functions_);
    const std::int64_t first = range.begin - range_.begin;
    PanelProduct product;
    product.functions = &functions_;
    product.k = range.size();
    product.rows = cut_rows(rows, functions_);
    product.a = scores_ + first;
    product.a_stride = stride_;
    product.c_stride = sizes_.value_size;
    product.epilogue = &plain;
    for (std::int64_t panel = 0; panel < columns.count; ++panel) {
      const std::int64_t column = columns.first_column(panel);
      product.columns = cut_columns(columns.columns_in(panel), functions_);
      product.b = values_ + column * range_.size() + first * columns.stored_in(panel);
      product.c = sums_ + column;
      multiply_panels(product, 0, product.rows.count, 0, 1);
    }
  }

  void keep(KeptScores kept, std::int64_t row, const float* scores) const {
    if (rules_.kept != kept) return;
    const std::int64_t place =
        (task_.batch * sizes_.query_heads + head_of(row)) * sizes_.queries + query_of(row);
    std::memcpy(operands_.kept + place * sizes_.keys, scores,
                static_cast<std::size_t>(sizes_.keys) * sizeof(float));
  }

  /// Relative to the first key whose scores are held.
  KeyRange shifted(KeyRange range) const {
    if (range.size() == 0) return {};
    return {range.begin - range_.begin, range.end - range_.begin};
  }

  /// Turns the scores of `range` into softmax weights.
  void weigh(std::int64_t row, float* scores, KeyRange range) const {
    const KeyRange own = shifted(visible(row));
    const bool is_rounded = rules_.score_type != DataType::float32;
    float* own_scores = scores + own.begin;
    round_to(rules_.score_type, scores + range.begin, range.size(), call_.isa);
    keep(KeptScores::product, row, scores);
    if (rules_.softcap > 0) {
      row_functions_.cap(scores + range.begin, range.size(), rules_.softcap);
      round_to(rules_.score_type, scores + range.begin, range.size(), call_.isa);
    }
    keep(KeptScores::capped, row, scores);
    const float* bias = nullptr;
    if (operands_.mask.data != nullptr && own.size() > 0) {
      bias = operands_.mask.at(task_.batch, head_of(row), query_of(row)) +
             operands_.mask_first(task_.batch) + range_.begin + own.begin;
    }
    const float* bias_to_add = bias;
    if (operands_.key_mask.data != nullptr && own.size() > 0) {
      add_key_mask(row, own, bias, own_scores);
      bias_to_add = nullptr;
    }
    if (bias_to_add != nullptr && (is_rounded || rules_.kept == KeptScores::masked)) {
      for (std::int64_t i = 0; i < own.size(); ++i) own_scores[i] += bias[i];
      round_to(rules_.score_type, own_scores, own.size(), call_.isa);
      bias_to_add = nullptr;
    }
    if (rules_.kept == KeptScores::masked) {
      std::fill(scores, scores + own.begin, rules_.hidden_score);
      std::fill(scores + own.end, scores + sizes_.keys, rules_.hidden_score);
      keep(KeptScores::masked, row, scores);
    }
    round_to(rules_.weight_type, own_scores, own.size(), call_.isa);
    if (own.size() > 0) row_functions_.weights(own_scores, bias_to_add, own.size(), sink(row));
    if (bias != nullptr && std::isnan(own_scores[0]) && hides_all(bias, own.size())) {
      std::fill_n(own_scores, own.size(), 0.0F);
    }
    round_to(rules_.weight_type, own_scores, own.size(), call_.isa);
    round_to(rules_.score_type, own_scores, own.size(), call_.isa);
    if (range.size() > 0) {
      const std::int64_t own_begin = own.size() > 0 ? own.begin : range.end;
      std::fill(scores + range.begin, scores + own_begin, 0.0F);
      std::fill(scores + std::max(own.end, range.begin), scores + range.end, 0.0F);
    }
    keep(KeptScores::weights, row, scores);
  }

  /// Adds the bias, which may be null, then the key mask, in ONNX Runtime's order.
  void add_key_mask(std::int64_t row, KeyRange own, const float* bias, float* own_scores) const {
    const float* added =
        operands_.key_mask.at(task_.batch, head_of(row), query_of(row)) + range_.begin + own.begin;
    if (bias != nullptr) {
      for (std::int64_t i = 0; i < own.size(); ++i) own_scores[i] += bias[i];
    }
    for (std::int64_t i = 0; i < own.size(); ++i) own_scores[i] += added[i];
  }

  float sink(std::int64_t row) const {
    if (operands_.sinks != nullptr) return operands_.sinks[head_of(row)];
    return rules_.is_smooth ? 0.0F : -infinity;
  }

  static bool hides_all(const float* bias, std::int64_t count) {
    return std::all_of(bias, bias + count, [](float value) { return value == -infinity; });
  }

  const AttentionCall& call_;
  const AttentionSizes& sizes_;
  const AttentionRules& rules_;
  const AttentionOperands<float>& operands_;
  const AttentionTask& task_;
  const GemmFunctions& functions_;
  const AttentionRowFunctions& row_functions_;
  std::optional<Bf16AttentionProducts> bf16_;  ///< if the products are in bfloat16
  bool is_bounded_;
  KeyRange common_;          ///< visible keys if all queries see the same ones
  KeyRange range_;           ///< union over all rows of the task
  std::int64_t stride_ = 0;  ///< floats between rows of scores
  float* keys_ = nullptr;
  float* values_ = nullptr;
  float* queries_ = nullptr;
  float* scores_ = nullptr;
  float* sums_ = nullptr;
  float* decoded_keys_ = nullptr;
  float* decoded_values_ = nullptr;
};

}  // namespace

std::int64_t AttentionSpace::bytes() const {
  const std::int64_t floats =
      keys + values + queries + scores + sums + decoded_keys + decoded_values + rows;
  return floats * static_cast<std::int64_t>(sizeof(float));
}

AttentionSpace attention_space(const AttentionSizes& sizes, const AttentionRules& rules,
                               const AttentionPartition& cut, Isa isa) {
  const GemmFunctions& functions = gemm_functions(isa);
  AttentionSpace space;
  if (!cut.is_skinny && rules.has_bf16_products) {
    const Bf16AttentionSpace packed(sizes, cut.block_rows);
    space.keys = packed.keys;
    space.values = packed.values;
    space.rows = packed.rows;
  } else if (!cut.is_skinny) {
    space.keys = in_lines(cut_columns(sizes.keys, functions).stored * sizes.key_size);
    space.values = in_lines(cut_columns(sizes.value_size, functions).stored * sizes.keys);
  }
  space.queries = in_lines(cut.block_rows * sizes.key_size);
  space.scores = cut.block_rows * score_stride(sizes.keys);
  space.sums = in_lines(cut.block_rows * sizes.value_size);
  if (rules.has_encoded_keys) space.decoded_keys = in_lines(sizes.keys * sizes.key_size);
  if (rules.has_encoded_values) space.decoded_values = in_lines(sizes.keys * sizes.value_size);
  return space;
}

void run_attention_task(const AttentionCall& call, const AttentionTask& task, float* workspace) {
  TaskRun(call, task, workspace).run();
}

}  // namespace ortool::cpu
