// Adaptive rounding: minimizes e' H e per output and input block, from two starts.
#include "libcore/quantize/refine/adaptive_rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr int max_passes = 12;
constexpr double trust_less = 0.01;  // of the mean square, added to the diagonal

/// One output's weights in one block, and their quantized values with the zero point subtracted.
struct RoundedRow {
  std::vector<double> exact;  ///< weights divided by the scale
  std::vector<double> code;
  double lowest = 0;
  double highest = 0;
};

/// Of the two neighbors of weight `index`, the one nearer to `wanted`.
double nearer_neighbor(const RoundedRow& row, std::size_t index, double wanted) {
  const double below = std::clamp(std::floor(row.exact[index]), row.lowest, row.highest);
  const double above = std::clamp(std::ceil(row.exact[index]), row.lowest, row.highest);
  return std::abs(wanted - below) < std::abs(wanted - above) ? below : above;
}

/// The lower triangle L with L L' = moments, row by row (Cholesky decomposition).
std::vector<double> triangle_of(std::vector<double> moments, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = moments[i * count + k];
      for (std::size_t j = 0; j < k; ++j) sum -= moments[i * count + j] * moments[k * count + j];
      moments[i * count + k] =
          i == k ? std::sqrt(std::max(sum, 1e-9)) : sum / moments[k * count + k];
    }
  }
  return moments;
}

/// Rounds from the last weight to the first, each compensating for the errors of those after it (L.
/// Babai's nearest plane algorithm, equivalent to GPTQ). Returns the quadratic form, |L' e|^2.
double round_in_turn(const std::vector<double>& triangle, RoundedRow& row) {
  const std::size_t count = row.exact.size();
  double sum = 0;
  // pending[i]: the sum over k > i of L(k, i) times the error of k.
  std::vector<double> pending(count);
  for (std::size_t i = count; i-- > 0;) {
    const double wanted = row.exact[i] - pending[i] / triangle[i * count + i];
    row.code[i] = nearer_neighbor(row, i, wanted);
    const double error = row.code[i] - row.exact[i];
    const double part = pending[i] + triangle[i * count + i] * error;
    sum += part * part;
    for (std::size_t k = 0; k < i; ++k) pending[k] += triangle[i * count + k] * error;
  }
  return sum;
}

/// Coordinate descent from row.level: flips one or two weights to their other neighbor as long as
/// the quadratic form decreases. `moments` is symmetric with a positive diagonal.
class Descent {
 public:
  Descent(const std::vector<double>& moments, RoundedRow& row)
      : moments_(moments),
        row_(row),
        count_(row.exact.size()),
        gradient_(count_),
        step_(count_),
        twice_(count_),
        curve_(count_),
        gain_(count_) {
    for (std::size_t i = 0; i < count_; ++i) {
      const double error = row.code[i] - row.exact[i];
      const double* sums = moments.data() + i * count_;
      for (std::size_t k = 0; error != 0 && k < count_; ++k) gradient_[k] += sums[k] * error;
      set_step(i);
    }
    set_gains();
  }

  /// The quadratic form at the row's current quantized values.
  double error() const {
    double sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += (row_.code[i] - row_.exact[i]) * gradient_[i];
    return sum;
  }

  void run(RoundingEffort effort) {
    repeat(max_passes, [this](std::size_t i) { return move_alone(i); });
    repeat(effort == RoundingEffort::thorough ? max_passes : 1,
           [this](std::size_t i) { return move_with_partner(i); });
  }

 private:
  template <typename Move>
  void repeat(int passes, const Move& move) {
    for (int pass = 0; pass < passes; ++pass) {
      bool has_moved = false;
      for (std::size_t i = 0; i < count_; ++i) has_moved = move(i) || has_moved;
      if (!has_moved) return;
    }
  }

  /// The step to the weight's other neighbor; 0 if there is none, with no gain.
  void set_step(std::size_t i) {
    const double below = std::clamp(std::floor(row_.exact[i]), row_.lowest, row_.highest);
    const double above = std::clamp(std::ceil(row_.exact[i]), row_.lowest, row_.highest);
    const double step = (row_.code[i] == below ? above : below) - row_.code[i];
    step_[i] = step;
    twice_[i] = 2 * step;
    curve_[i] = step == 0 ? std::numeric_limits<double>::infinity()
                          : step * step * moments_[i * count_ + i];
  }

  /// The change of the quadratic form from flipping each weight alone.
  void set_gains() {
    for (std::size_t k = 0; k < count_; ++k) gain_[k] = twice_[k] * gradient_[k] + curve_[k];
  }

  /// A threshold above rounding errors, which would otherwise prevent termination.
  bool is_worth(std::size_t i, double change) const {
    return change < -1e-9 * moments_[i * count_ + i];
  }

  bool move_alone(std::size_t i) {
    if (!is_worth(i, gain_[i])) return false;
    move(i);
    set_gains();
    return true;
  }

  /// Flips `i`, alone or with its best partner, if that decreases the form.
  bool move_with_partner(std::size_t i) {
    if (step_[i] == 0) return false;
    const double alone = std::exchange(gain_[i], std::numeric_limits<double>::infinity());
    const double best = alone + least_with(i);
    const bool has_partner = best < alone && is_worth(i, best);
    const std::size_t partner = has_partner ? partner_of(i) : i;
    gain_[i] = alone;
    if (!has_partner) return move_alone(i);
    move(i);
    move(partner);
    set_gains();
    return true;
  }

  /// The additional change from flipping `k`, given that `i` is flipped.
  double added_by(std::size_t i, std::size_t k) const {
    return gain_[k] + step_[i] * twice_[k] * moments_[i * count_ + k];
  }

  /// The minimum of added_by(); vectorized, since most of the time is spent here.
  double least_with(std::size_t i) const {
    constexpr std::size_t width = 8;
    std::array<double, width> least;
    least.fill(std::numeric_limits<double>::infinity());
    const double step = step_[i];
    const double* sums = moments_.data() + i * count_;
    std::size_t k = 0;
    for (; k + width <= count_; k += width) {
      for (std::size_t lane = 0; lane < width; ++lane) {
        const double added = gain_[k + lane] + step * twice_[k + lane] * sums[k + lane];
        least[lane] = added < least[lane] ? added : least[lane];
      }
    }
    for (; k < count_; ++k) least[0] = std::min(least[0], added_by(i, k));
    return *std::min_element(least.begin(), least.end());
  }

  /// The first partner that attains the minimum.
  std::size_t partner_of(std::size_t i) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < count_; ++k) {
      if (added_by(i, k) < added_by(i, best)) best = k;
    }
    return best;
  }

  void move(std::size_t i) {
    row_.code[i] += step_[i];
    const double* sums = moments_.data() + i * count_;
    for (std::size_t k = 0; k < count_; ++k) gradient_[k] += sums[k] * step_[i];
    set_step(i);
  }

  const std::vector<double>& moments_;
  RoundedRow& row_;
  std::size_t count_;
  std::vector<double> gradient_;
  std::vector<double> step_;
  std::vector<double> twice_;  ///< 2 * step, of each weight
  std::vector<double> curve_;  ///< step^2 * diagonal, of each weight
  std::vector<double> gain_;
};

/// The block's moments with damping on the diagonal.
std::vector<double> damped_block(const InputMoments& moments, std::int64_t group,
                                 std::int64_t block) {
  std::vector<double> full = moments.block(group, block);
  const auto count = static_cast<std::size_t>(moments.block_columns(block));
  double trace = 0;
  for (std::size_t i = 0; i < count; ++i) trace += full[i * count + i];
  const double added = std::max(trust_less * trace / static_cast<double>(count), 1e-3);
  for (std::size_t i = 0; i < count; ++i) full[i * count + i] += added;
  return full;
}

struct ImprovedRow {
  std::vector<double> code;
  double error_before = 0;
  double error_after = 0;
};

/// Descends from nearest rounding or from GPTQ, whichever is better; with thorough effort from
/// both.
ImprovedRow improve_row(const std::vector<double>& sums, const std::vector<double>& triangle,
                        RoundedRow row, RoundingEffort effort) {
  RoundedRow other = row;
  Descent near(sums, row);
  ImprovedRow improved;
  improved.error_before = near.error();
  const double error_in_turn = round_in_turn(triangle, other);
  const bool tries_both = effort == RoundingEffort::thorough;
  const bool tries_turn = tries_both || error_in_turn < improved.error_before;
  if (tries_both || !tries_turn) near.run(effort);
  improved.error_after = near.error();
  improved.code = std::move(row.code);
  if (!tries_turn) return improved;
  Descent in_turn(sums, other);
  in_turn.run(effort);
  if (tries_both && in_turn.error() >= improved.error_after) return improved;
  improved.error_after = in_turn.error();
  improved.code = std::move(other.code);
  return improved;
}

}  // namespace

ImprovedWeights improve_rounding(const Tensor& weights, const WeightMatrix& matrix,
                                 const QuantizedData& nearest, QuantizationType type,
                                 const InputMoments& moments, Workers& workers,
                                 RoundingEffort effort) {
  const std::span<const float> scales = nearest.scales.data<float>();
  const auto outputs = static_cast<std::size_t>(matrix.outputs());
  if ((scales.size() != 1 && scales.size() != outputs) ||
      moments.columns() != matrix.group_inputs() * matrix.taps()) {
    throw Error(
        ErrorCode::invalid,
        format("{} scales and sums of {} inputs do not match a layer with {} outputs of {}",
               scales.size(), moments.columns(), outputs, matrix.group_inputs() * matrix.taps()));
  }
  const CodeRange codes = code_range_of(type);
  ImprovedWeights improved{nearest, 0, 0};
  improved.codes.data = Tensor(nearest.data.type(), nearest.data.shape());
  std::copy_n(nearest.data.bytes(), nearest.data.size_bytes(), improved.codes.data.mutable_bytes());
  for (std::int64_t group = 0; group < matrix.groups(); ++group) {
    for (std::int64_t block = 0; block < moments.block_count(); ++block) {
      const std::vector<double> sums = damped_block(moments, group, block);
      const std::int64_t first = block * InputMoments::max_columns;
      const std::int64_t count = moments.block_columns(block);
      const std::vector<double> triangle = triangle_of(sums, static_cast<std::size_t>(count));
      const auto index_of = [&](std::int64_t output, std::int64_t column) {
        return matrix.index(output, (first + column) / matrix.taps(),
                            (first + column) % matrix.taps());
      };
      const auto place_of = [&](std::int64_t output) { return scales.size() == 1 ? 0 : output; };
      std::vector<ImprovedRow> rows(static_cast<std::size_t>(matrix.group_outputs()));
      workers.parallel_for(matrix.group_outputs(), [&](std::int64_t i) {
        const std::int64_t output = group * matrix.group_outputs() + i;
        const auto scale = static_cast<double>(scales[static_cast<std::size_t>(place_of(output))]);
        const std::int64_t zero = element_as_int64(nearest.zero_points, place_of(output));
        RoundedRow row;
        row.lowest = static_cast<double>(codes.lowest - zero);
        row.highest = static_cast<double>(codes.highest - zero);
        for (std::int64_t k = 0; k < count; ++k) {
          row.exact.push_back(element_as_double(weights, index_of(output, k)) / scale);
          row.code.push_back(
              static_cast<double>(element_as_int64(nearest.data, index_of(output, k)) - zero));
        }
        rows[static_cast<std::size_t>(i)] = improve_row(sums, triangle, std::move(row), effort);
      });
      // Sequential: sub-byte values share bytes, and sums have a fixed order.
      for (std::int64_t i = 0; i < matrix.group_outputs(); ++i) {
        const std::int64_t output = group * matrix.group_outputs() + i;
        const auto scale = static_cast<double>(scales[static_cast<std::size_t>(place_of(output))]);
        const std::int64_t zero = element_as_int64(nearest.zero_points, place_of(output));
        const ImprovedRow& row = rows[static_cast<std::size_t>(i)];
        improved.error_before += scale * scale * row.error_before;
        improved.error_after += scale * scale * row.error_after;
        for (std::int64_t k = 0; k < count; ++k) {
          set_element(improved.codes.data, index_of(output, k),
                      static_cast<std::int64_t>(row.code[static_cast<std::size_t>(k)]) + zero);
        }
      }
    }
  }
  return improved;
}

}  // namespace ortool
