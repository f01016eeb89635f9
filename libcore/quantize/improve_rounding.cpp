// For each output, block after block of inputs: two ways to make e' H e small, and the better one
// of them.
#include "libcore/quantize/improve_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/tensor/packed.hpp"

namespace ortool {
namespace {

constexpr int most_passes = 12;
constexpr double trust_less = 0.01;  // of the mean square, added to each

/// The weights of one output in one block, with their levels less the zero point.
struct RoundedRow {
  std::vector<double> exact;  ///< weights by the scale
  std::vector<double> level;
  double lowest = 0;
  double highest = 0;
};

double squared_form(const std::vector<double>& moments, const RoundedRow& row) {
  const std::size_t count = row.exact.size();
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double part = 0;
    for (std::size_t k = 0; k < count; ++k) {
      part += moments[i * count + k] * (row.level[k] - row.exact[k]);
    }
    sum += part * (row.level[i] - row.exact[i]);
  }
  return sum;
}

/// The level next to weight `index` that is nearer to `wanted`.
double nearer_neighbour(const RoundedRow& row, std::size_t index, double wanted) {
  const double below = std::clamp(std::floor(row.exact[index]), row.lowest, row.highest);
  const double above = std::clamp(std::ceil(row.exact[index]), row.lowest, row.highest);
  return std::abs(wanted - below) < std::abs(wanted - above) ? below : above;
}

/// The lower triangle L with L L' = moments, row by row (Cholesky).
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

/// From the last weight to the first, each makes up for the errors of those behind it (L. Babai's
/// nearest plane, which is what GPTQ does).
void round_in_turn(const std::vector<double>& triangle, RoundedRow& row) {
  const std::size_t count = row.exact.size();
  // pending[i]: the sum over k > i of L(k, i) times the error of k.
  std::vector<double> pending(count);
  for (std::size_t i = count; i-- > 0;) {
    const double wanted = row.exact[i] - pending[i] / triangle[i * count + i];
    row.level[i] = nearer_neighbour(row, i, wanted);
    const double error = row.level[i] - row.exact[i];
    for (std::size_t k = 0; k < i; ++k) pending[k] += triangle[i * count + k] * error;
  }
}

/// Goes down from row.level, moving one weight or two at once to their other neighbours, as long as
/// the squared form gets smaller. `moments` is symmetric with a positive diagonal.
class Descent {
 public:
  Descent(const std::vector<double>& moments, RoundedRow& row)
      : moments_(moments), row_(row), count_(row.exact.size()), gradient_(count_), step_(count_) {
    for (std::size_t i = 0; i < count_; ++i) {
      const double error = row.level[i] - row.exact[i];
      for (std::size_t k = 0; k < count_; ++k) gradient_[k] += moments[i * count_ + k] * error;
      set_step(i);
    }
  }

  void run() {
    for (int pass = 0; pass < most_passes; ++pass) {
      bool has_moved = false;
      for (std::size_t i = 0; i < count_; ++i) has_moved = move_from(i) || has_moved;
      if (!has_moved) break;
    }
  }

 private:
  /// To the neighbour that the weight does not stand at; 0: there is none.
  void set_step(std::size_t i) {
    const double below = std::clamp(std::floor(row_.exact[i]), row_.lowest, row_.highest);
    const double above = std::clamp(std::ceil(row_.exact[i]), row_.lowest, row_.highest);
    step_[i] = (row_.level[i] == below ? above : below) - row_.level[i];
  }

  /// What moving `i` alone adds to the squared form.
  double gain_of(std::size_t i) const {
    return step_[i] * (2 * gradient_[i] + step_[i] * moments_[i * count_ + i]);
  }

  /// Moves `i`, or `i` and the best partner, when that makes the form smaller.
  bool move_from(std::size_t i) {
    if (step_[i] == 0) return false;
    const double alone = gain_of(i);
    const double* row = moments_.data() + i * count_;
    double least = alone;
    std::size_t partner = i;
    for (std::size_t k = 0; k < count_; ++k) {
      if (k == i) continue;
      const double both = alone + gain_of(k) + 2 * step_[i] * step_[k] * row[k];
      if (step_[k] != 0 && both < least) {
        least = both;
        partner = k;
      }
    }
    // Rounding errors would go on for ever.
    if (!(least < -1e-9 * row[i])) return false;
    move(i);
    if (partner != i) move(partner);
    return true;
  }

  void move(std::size_t i) {
    row_.level[i] += step_[i];
    for (std::size_t k = 0; k < count_; ++k) gradient_[k] += moments_[i * count_ + k] * step_[i];
    set_step(i);
  }

  const std::vector<double>& moments_;
  RoundedRow& row_;
  std::size_t count_;
  std::vector<double> gradient_;
  std::vector<double> step_;
};

/// The block's sums with what is added to each input's square.
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
  std::vector<double> level;
  double error_before = 0;
  double error_after = 0;
};

/// The better of two ways down, from the nearest levels and from those rounded in turn.
ImprovedRow improve_row(const std::vector<double>& sums, const std::vector<double>& triangle,
                        RoundedRow row) {
  ImprovedRow improved;
  improved.error_before = squared_form(sums, row);
  RoundedRow other = row;
  Descent(sums, row).run();
  round_in_turn(triangle, other);
  Descent(sums, other).run();
  const double error = squared_form(sums, row);
  const double others_error = squared_form(sums, other);
  improved.error_after = std::min(error, others_error);
  improved.level = others_error < error ? std::move(other.level) : std::move(row.level);
  return improved;
}

void put_level(Tensor& tensor, std::int64_t index, std::int64_t level) {
  const int bits = element_bits(tensor.type());
  if (bits < 8) {
    set_packed(tensor.mutable_bytes(), index, bits, static_cast<std::uint8_t>(level));
  } else {
    set_element(tensor, index, level);
  }
}

}  // namespace

ImprovedWeights improve_rounding(const Tensor& weights, const WeightMatrix& matrix,
                                 const WeightLevels& nearest, QuantizationType type,
                                 const InputMoments& moments, Workers& workers) {
  const std::span<const float> scales = nearest.scales.data<float>();
  const auto outputs = static_cast<std::size_t>(matrix.outputs());
  if ((scales.size() != 1 && scales.size() != outputs) ||
      moments.columns() != matrix.group_inputs() * matrix.taps()) {
    throw Error(
        ErrorCode::invalid,
        format("{} scales and sums of {} inputs do not fit a layer with {} outputs of {}",
               scales.size(), moments.columns(), outputs, matrix.group_inputs() * matrix.taps()));
  }
  const Levels levels = levels_of(type);
  ImprovedWeights improved{nearest, 0, 0};
  improved.levels.data = Tensor(nearest.data.type(), nearest.data.shape());
  std::copy_n(nearest.data.bytes(), nearest.data.size_bytes(),
              improved.levels.data.mutable_bytes());
  for (std::int64_t group = 0; group < matrix.groups(); ++group) {
    for (std::int64_t block = 0; block < moments.block_count(); ++block) {
      const std::vector<double> sums = damped_block(moments, group, block);
      const std::int64_t first = block * InputMoments::most_columns;
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
        row.lowest = static_cast<double>(levels.lowest - zero);
        row.highest = static_cast<double>(levels.highest - zero);
        for (std::int64_t k = 0; k < count; ++k) {
          row.exact.push_back(element_as_double(weights, index_of(output, k)) / scale);
          row.level.push_back(
              static_cast<double>(element_as_int64(nearest.data, index_of(output, k)) - zero));
        }
        rows[static_cast<std::size_t>(i)] = improve_row(sums, triangle, std::move(row));
      });
      // One after the other: levels of few bits share bytes, and sums have an order.
      for (std::int64_t i = 0; i < matrix.group_outputs(); ++i) {
        const std::int64_t output = group * matrix.group_outputs() + i;
        const auto scale = static_cast<double>(scales[static_cast<std::size_t>(place_of(output))]);
        const std::int64_t zero = element_as_int64(nearest.zero_points, place_of(output));
        const ImprovedRow& row = rows[static_cast<std::size_t>(i)];
        improved.error_before += scale * scale * row.error_before;
        improved.error_after += scale * scale * row.error_after;
        for (std::int64_t k = 0; k < count; ++k) {
          put_level(improved.levels.data, index_of(output, k),
                    static_cast<std::int64_t>(row.level[static_cast<std::size_t>(k)]) + zero);
        }
      }
    }
  }
  return improved;
}

}  // namespace ortool
