// Adaptive rounding: minimizes e' H e per output and input block, from two starts.
#include "libcore/quantize/refine/adaptive_rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/float_lanes.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr int max_passes = 12;
constexpr double trust_less = 0.01;  // of the mean square, added to the diagonal
constexpr float infinite = std::numeric_limits<float>::infinity();

/// The count of a row's elements with padding to whole vectors.
std::size_t padded(std::size_t count) {
  return (count + float_lanes - 1) / float_lanes * float_lanes;
}

/// One output's weights in one block, and their quantized values with the zero point subtracted.
struct RoundedRow {
  std::vector<float> exact;  ///< weights divided by the scale
  std::vector<float> code;
  float lowest = 0;
  float highest = 0;

  float below(std::size_t i) const { return std::clamp(std::floor(exact[i]), lowest, highest); }
  float above(std::size_t i) const { return std::clamp(std::ceil(exact[i]), lowest, highest); }
};

/// A block's moments, damped, and divided by the mean of their diagonal.
struct Block {
  std::size_t count = 0;
  std::size_t stride = 0;       ///< of rows; a multiple of float_lanes
  double unit = 1;              ///< what they were divided by
  std::vector<float> sums;      ///< the symmetric matrix
  std::vector<float> triangle;  ///< the lower triangle L with L L' = sums; 0 above the diagonal
};

/// to[k] += factor * from[k], up to a multiple of float_lanes.
void add_scaled(float* to, const float* from, float factor, std::size_t count) {
  for (std::size_t k = 0; k < count; k += float_lanes)
    store_lanes(to + k, load_lanes<FloatLanes>(to + k) + factor * load_lanes<FloatLanes>(from + k));
}

/// The sum of products of the first `count` elements.
double dot(const double* a, const double* b, std::size_t count) {
  std::array<DoubleLanes, 2> sums = {};
  std::size_t k = 0;
  for (; k + 2 * double_lanes <= count; k += 2 * double_lanes) {
    sums[0] += load_lanes<DoubleLanes>(a + k) * load_lanes<DoubleLanes>(b + k);
    sums[1] += load_lanes<DoubleLanes>(a + k + 2) * load_lanes<DoubleLanes>(b + k + 2);
  }
  const DoubleLanes sum = sums[0] + sums[1];
  double total = sum[0] + sum[1];
  for (; k < count; ++k) total += a[k] * b[k];
  return total;
}

/// The lower triangle of the Cholesky decomposition, row by row; the rest is left as it was.
void decompose(std::vector<double>& moments, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    double* const row = moments.data() + i * count;
    for (std::size_t k = 0; k < i; ++k) {
      const double* const other = moments.data() + k * count;
      row[k] = (row[k] - dot(row, other, k)) / other[k];
    }
    row[i] = std::sqrt(std::max(row[i] - dot(row, row, i), 1e-9));
  }
}

/// The moments with damping on the diagonal.
Block damped_block(const InputMoments& moments, std::int64_t group, std::int64_t number) {
  std::vector<double> full = moments.block(group, number);
  Block block;
  block.count = static_cast<std::size_t>(moments.block_columns(number));
  block.stride = padded(block.count);
  double trace = 0;
  for (std::size_t i = 0; i < block.count; ++i) trace += full[i * block.count + i];
  const double mean = trace / static_cast<double>(block.count);
  const double added = std::max(trust_less * mean, 1e-3);
  block.unit = mean + added;
  block.sums.resize(block.count * block.stride);
  block.triangle.resize(block.count * block.stride);
  for (std::size_t i = 0; i < block.count; ++i) {
    full[i * block.count + i] += added;
    for (std::size_t k = 0; k < block.count; ++k) {
      full[i * block.count + k] /= block.unit;
      block.sums[i * block.stride + k] = static_cast<float>(full[i * block.count + k]);
    }
  }
  decompose(full, block.count);
  for (std::size_t i = 0; i < block.count; ++i) {
    for (std::size_t k = 0; k <= i; ++k)
      block.triangle[i * block.stride + k] = static_cast<float>(full[i * block.count + k]);
  }
  return block;
}

/// The quadratic form |L' e|^2 of the row's errors. `choose(i, pending)` may change the code of
/// weight i before its error counts; `pending` is the sum over k > i of L(k, i) times the error of
/// k.
template <typename Choose>
double quadratic_form(const Block& block, RoundedRow& row, const Choose& choose) {
  double sum = 0;
  std::vector<float> pending(block.stride);
  for (std::size_t i = block.count; i-- > 0;) {
    const float* const triangle = block.triangle.data() + i * block.stride;
    choose(i, pending[i]);
    const float error = row.code[i] - row.exact[i];
    const float part = pending[i] + triangle[i] * error;
    sum += static_cast<double>(part) * static_cast<double>(part);
    add_scaled(pending.data(), triangle, error, padded(i));
  }
  return sum;
}

/// Rounds from the last weight to the first, each compensating for the errors of those after it (L.
/// Babai's nearest plane algorithm, equivalent to GPTQ). Returns the quadratic form.
double round_in_turn(const Block& block, RoundedRow& row) {
  return quadratic_form(block, row, [&](std::size_t i, float pending) {
    const float wanted = row.exact[i] - pending / block.triangle[i * block.stride + i];
    const float below = row.below(i);
    const float above = row.above(i);
    row.code[i] = std::abs(wanted - below) < std::abs(wanted - above) ? below : above;
  });
}

/// Coordinate descent from row.code: flips one or two weights to their other neighbor as long as
/// the quadratic form decreases.
class Descent {
 public:
  Descent(const Block& block, RoundedRow& row)
      : block_(block),
        row_(row),
        gradient_(block.stride),
        step_(block.stride),
        twice_(block.stride),
        curve_(block.stride, infinite),
        gain_(block.stride) {
    for (std::size_t i = 0; i < block.count; ++i) {
      const float error = row.code[i] - row.exact[i];
      if (error != 0) add_scaled(gradient_.data(), sums_of(i), error, block.stride);
      set_step(i);
    }
    set_gains();
  }

  /// The quadratic form at the row's current quantized values.
  double error() const {
    double sum = 0;
    for (std::size_t i = 0; i < block_.count; ++i)
      sum += static_cast<double>(row_.code[i] - row_.exact[i]) * static_cast<double>(gradient_[i]);
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
      for (std::size_t i = 0; i < block_.count; ++i) has_moved = move(i) || has_moved;
      if (!has_moved) return;
    }
  }

  const float* sums_of(std::size_t i) const { return block_.sums.data() + i * block_.stride; }

  /// The step to the weight's other neighbor; 0 if there is none, with no gain.
  void set_step(std::size_t i) {
    const float below = row_.below(i);
    const float step = (row_.code[i] == below ? row_.above(i) : below) - row_.code[i];
    step_[i] = step;
    twice_[i] = 2 * step;
    curve_[i] = step == 0 ? infinite : step * step * sums_of(i)[i];
  }

  /// The change of the quadratic form from flipping each weight alone.
  void set_gains() {
    for (std::size_t k = 0; k < block_.stride; k += float_lanes) {
      store_lanes(&gain_[k],
                  load_lanes<FloatLanes>(&twice_[k]) * load_lanes<FloatLanes>(&gradient_[k]) +
                      load_lanes<FloatLanes>(&curve_[k]));
    }
  }

  /// A threshold above rounding errors, which would otherwise prevent termination.
  bool is_worth(std::size_t i, float change) const { return change < -1e-5F * sums_of(i)[i]; }

  bool move_alone(std::size_t i) {
    if (!is_worth(i, gain_[i])) return false;
    move(i);
    set_gains();
    return true;
  }

  /// Flips `i`, alone or with its best partner, if that decreases the form.
  bool move_with_partner(std::size_t i) {
    if (step_[i] == 0) return false;
    const float alone = std::exchange(gain_[i], infinite);
    const float best = alone + least_with(i);
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
  float added_by(std::size_t i, std::size_t k) const {
    return gain_[k] + step_[i] * twice_[k] * sums_of(i)[k];
  }

  /// The minimum of added_by(), where most of the time is spent.
  float least_with(std::size_t i) const {
    FloatLanes least = float_lanes_of(infinite);
    const float step = step_[i];
    const float* sums = sums_of(i);
    for (std::size_t k = 0; k < block_.stride; k += float_lanes) {
      const FloatLanes added =
          load_lanes<FloatLanes>(&gain_[k]) +
          step * load_lanes<FloatLanes>(&twice_[k]) * load_lanes<FloatLanes>(sums + k);
      least = added < least ? added : least;
    }
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  }

  /// The first partner that attains the minimum.
  std::size_t partner_of(std::size_t i) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < block_.count; ++k) {
      if (added_by(i, k) < added_by(i, best)) best = k;
    }
    return best;
  }

  void move(std::size_t i) {
    row_.code[i] += step_[i];
    add_scaled(gradient_.data(), sums_of(i), step_[i], block_.stride);
    set_step(i);
  }

  const Block& block_;
  RoundedRow& row_;
  // Padded to whole vectors; flipping what is behind the row never gains.
  std::vector<float> gradient_;
  std::vector<float> step_;
  std::vector<float> twice_;  ///< 2 * step, of each weight
  std::vector<float> curve_;  ///< step^2 * diagonal, of each weight
  std::vector<float> gain_;
};

struct ImprovedRow {
  std::vector<float> code;
  double error_before = 0;
  double error_after = 0;
};

/// Descends from nearest rounding or from GPTQ, whichever is better; with thorough effort from
/// both.
ImprovedRow improve_row(const Block& block, RoundedRow row, RoundingEffort effort) {
  ImprovedRow improved;
  RoundedRow other = row;
  improved.error_before = quadratic_form(block, row, [](std::size_t, float) {});
  const double error_in_turn = round_in_turn(block, other);
  const bool tries_both = effort == RoundingEffort::thorough;
  const bool starts_in_turn = error_in_turn < improved.error_before;
  const auto descend = [&](RoundedRow& start) {
    Descent descent(block, start);
    descent.run(effort);
    return descent.error();
  };
  RoundedRow& first = starts_in_turn ? other : row;
  RoundedRow& second = starts_in_turn ? row : other;
  improved.error_after = descend(first);
  if (tries_both) {
    const double error = descend(second);
    if (error < improved.error_after) {
      improved.error_after = error;
      improved.code = std::move(second.code);
      return improved;
    }
  }
  improved.code = std::move(first.code);
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
  const Tensor converted = convert(weights, DataType::float32).aligned();
  const std::span<const float> floats = converted.data<float>();
  ImprovedWeights improved{nearest, 0, 0};
  improved.codes.data = Tensor(nearest.data.type(), nearest.data.shape());
  std::copy_n(nearest.data.bytes(), nearest.data.size_bytes(), improved.codes.data.mutable_bytes());
  for (std::int64_t group = 0; group < matrix.groups(); ++group) {
    for (std::int64_t block = 0; block < moments.block_count(); ++block) {
      const Block damped = damped_block(moments, group, block);
      const std::int64_t first = block * InputMoments::max_columns;
      const std::int64_t count = moments.block_columns(block);
      const auto index_of = [&](std::int64_t output, std::int64_t column) {
        return matrix.index(output, (first + column) / matrix.taps(),
                            (first + column) % matrix.taps());
      };
      const auto place_of = [&](std::int64_t output) { return scales.size() == 1 ? 0 : output; };
      std::vector<ImprovedRow> rows(static_cast<std::size_t>(matrix.group_outputs()));
      workers.parallel_for(matrix.group_outputs(), [&](std::int64_t i) {
        const std::int64_t output = group * matrix.group_outputs() + i;
        const float scale = scales[static_cast<std::size_t>(place_of(output))];
        const std::int64_t zero = element_as_int64(nearest.zero_points, place_of(output));
        RoundedRow row;
        row.lowest = static_cast<float>(codes.lowest - zero);
        row.highest = static_cast<float>(codes.highest - zero);
        row.exact.reserve(damped.count);
        row.code.reserve(damped.count);
        for (std::int64_t k = 0; k < count; ++k) {
          const std::int64_t index = index_of(output, k);
          row.exact.push_back(floats[static_cast<std::size_t>(index)] / scale);
          row.code.push_back(static_cast<float>(element_as_int64(nearest.data, index) - zero));
        }
        rows[static_cast<std::size_t>(i)] = improve_row(damped, std::move(row), effort);
      });
      // Sequential: sub-byte values share bytes, and sums have a fixed order.
      for (std::int64_t i = 0; i < matrix.group_outputs(); ++i) {
        const std::int64_t output = group * matrix.group_outputs() + i;
        const auto scale = static_cast<double>(scales[static_cast<std::size_t>(place_of(output))]);
        const std::int64_t zero = element_as_int64(nearest.zero_points, place_of(output));
        const ImprovedRow& row = rows[static_cast<std::size_t>(i)];
        improved.error_before += scale * scale * damped.unit * row.error_before;
        improved.error_after += scale * scale * damped.unit * row.error_after;
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
