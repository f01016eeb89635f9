// Attention in float64: a scalar reference that processes one row of scores at a time.
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/attention/attention.hpp"

namespace ortool::cpu {
namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();

/// Softmax in place: e^(s - max) / Σ. Zeros if all scores are -inf, NaN if any is NaN.
void make_weights(double* scores, std::int64_t count) {
  double maximum = lowest;
  for (std::int64_t i = 0; i < count; ++i) {
    if (scores[i] > maximum || scores[i] != scores[i]) maximum = scores[i];
    if (maximum != maximum) break;
  }
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    scores[i] = maximum == lowest ? 0.0 : std::exp(scores[i] - maximum);
    sum += scores[i];
  }
  if (sum == 0) return;
  for (std::int64_t i = 0; i < count; ++i) scores[i] /= sum;
}

/// One query of one head; `scores` holds its scores for all keys.
struct ReferenceRow {
  const AttentionSizes& sizes;
  const AttentionRules& rules;
  const AttentionOperands<double>& operands;
  std::int64_t batch;
  std::int64_t head;
  std::int64_t query;
  double* scores;

  std::int64_t shared_head() const { return head / (sizes.query_heads / sizes.shared_heads); }

  void keep(KeptScores kept) const {
    if (rules.kept != kept) return;
    const std::int64_t place = (batch * sizes.query_heads + head) * sizes.queries + query;
    std::copy_n(scores, sizes.keys, operands.kept + place * sizes.keys);
  }

  void compute_scores() const {
    const double* q = operands.queries.at(batch, head, query);
    for (std::int64_t key = 0; key < sizes.keys; ++key) {
      const double* k = operands.keys.at(batch, shared_head(), key);
      double sum = 0;
      for (std::int64_t i = 0; i < sizes.key_size; ++i) sum += q[i] * k[i];
      scores[key] = sum * static_cast<double>(rules.scale);
    }
    keep(KeptScores::product);
    if (rules.softcap > 0) {
      const auto cap = static_cast<double>(rules.softcap);
      for (std::int64_t key = 0; key < sizes.keys; ++key)
        scores[key] = cap * std::tanh(scores[key] / cap);
    }
    keep(KeptScores::capped);
  }

  void apply_mask(KeyRange seen) const {
    bool hides_all = true;
    const double* mask =
        operands.mask.data == nullptr ? nullptr : operands.mask.at(batch, head, query);
    for (std::int64_t key = 0; key < sizes.keys; ++key) {
      const bool is_seen = key >= seen.begin && key < seen.end;
      const double bias = is_seen ? (mask == nullptr ? 0.0 : mask[key]) : lowest;
      scores[key] = is_seen ? scores[key] + bias : lowest;
      hides_all = hides_all && bias == lowest;
    }
    keep(KeptScores::masked);
    if (hides_all) std::fill_n(scores, sizes.keys, lowest);
  }

  void run() const {
    const KeyRange seen = visible_keys(sizes, rules, operands, batch, query);
    compute_scores();
    apply_mask(seen);
    make_weights(scores, sizes.keys);
    keep(KeptScores::weights);
    double* out = operands.out.at(batch, head, query);
    std::fill_n(out, sizes.value_size, 0.0);
    for (std::int64_t key = seen.begin; key < seen.end; ++key) {
      const double* value = operands.values.at(batch, shared_head(), key);
      for (std::int64_t i = 0; i < sizes.value_size; ++i) out[i] += scores[key] * value[i];
    }
  }
};

}  // namespace

void attention_f64(const AttentionSizes& sizes, const AttentionRules& rules,
                   const AttentionOperands<double>& operands, Workers& workers) {
  const std::int64_t heads = sizes.batch * sizes.query_heads;
  const std::int64_t products = sizes.keys * (sizes.key_size + sizes.value_size) + 1;
  const std::int64_t grain = std::max<std::int64_t>(1, 50000 / products);
  workers.parallel_ranges(heads * sizes.queries, grain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> scores(static_cast<std::size_t>(sizes.keys));
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t head = row / sizes.queries;
      ReferenceRow{sizes,
                   rules,
                   operands,
                   head / sizes.query_heads,
                   head % sizes.query_heads,
                   row % sizes.queries,
                   scores.data()}
          .run();
    }
  });
}

}  // namespace ortool::cpu
