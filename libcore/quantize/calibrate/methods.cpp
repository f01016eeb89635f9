// The table of calibration methods, and automatic selection by quantization error.
#include "libcore/quantize/calibrate/methods.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/quantize/calibrate/histogram_error.hpp"

namespace ortool {
namespace {

constexpr std::array<MethodRow, 5> method_rows = {{
    {CalibrationMethod::minmax, "minmax", false, false, minmax_range},
    {CalibrationMethod::moving_average, "moving-average", false, true, moving_average_range},
    {CalibrationMethod::percentile, "percentile", true, false, percentile_range},
    {CalibrationMethod::entropy, "entropy", true, false, entropy_range},
    {CalibrationMethod::mse, "mse", true, false, mse_range},
}};

/// Clipping errors all have the same sign and hit the most salient values; rounding errors have
/// either sign and mostly cancel in the sums that follow. Clipping is weighted accordingly.
constexpr double clipping_weight = 4;

const MethodRow& row_of(CalibrationMethod method) {
  const auto found = std::find_if(method_rows.begin(), method_rows.end(),
                                  [method](const MethodRow& row) { return row.method == method; });
  ORTOOL_CHECK(found != method_rows.end());
  return *found;
}

struct Judged {
  ChosenRange chosen;
  double weighted_error = 0;
};

Judged judge(const MethodRow& row, const ValueRecord& record, std::span<const Histogram::Bin> bins,
             QuantizationType type, const MethodOptions& options) {
  ValueRange range = row.choose(record, type, options);
  range = {std::min(range.low, 0.0), std::max(range.high, 0.0)};
  Judged judged{{range, row.method, 0, 0}, 0};
  if (!record.options().with_histogram) return judged;
  const auto count = static_cast<double>(record.finite_count());
  const QuantizationError error = expected_error(bins, choose_scale(range, type), type);
  judged.chosen.clipped_ratio = count_outside(bins, range) / count;
  judged.chosen.mean_square_error = error.total() / count;
  judged.weighted_error = error.rounding + clipping_weight * error.clipping;
  return judged;
}

}  // namespace

std::span<const MethodRow> calibration_methods() {
  return method_rows;
}

std::string_view name_of(CalibrationMethod method) {
  return method == CalibrationMethod::automatic ? "auto" : row_of(method).name;
}

std::optional<CalibrationMethod> method_from_name(std::string_view name) {
  if (name == name_of(CalibrationMethod::automatic)) return CalibrationMethod::automatic;
  for (const MethodRow& row : method_rows) {
    if (row.name == name) return row.method;
  }
  return std::nullopt;
}

ChosenRange choose_range(const ValueRecord& record, QuantizationType type,
                         const MethodOptions& options) {
  if (record.finite_count() == 0) {
    throw Error(
        ErrorCode::invalid,
        record.count() == 0
            ? std::string("calibration found no elements of it")
            : format("calibration found {} NaN and {} infinite elements of it, and no others",
                     record.nan_count(), record.infinity_count()),
        "give data that reaches it, or keep its nodes in float");
  }
  const std::vector<Histogram::Bin> bins = record.bins();
  if (options.method != CalibrationMethod::automatic) {
    const MethodRow& row = row_of(options.method);
    const bool has_average = record.moving_average().has_value();
    if ((row.needs_histogram && !record.options().with_histogram) ||
        (row.needs_average && !has_average)) {
      throw Error(ErrorCode::invalid,
                  format("the calibration lacks the statistics that method {} needs", row.name),
                  "calibrate again with this method");
    }
    return judge(row, record, bins, type, options).chosen;
  }
  Judged best{{}, std::numeric_limits<double>::infinity()};
  for (const MethodRow& row : method_rows) {
    if (row.needs_average || (row.needs_histogram && !record.options().with_histogram)) continue;
    const Judged judged = judge(row, record, bins, type, options);
    if (judged.weighted_error < best.weighted_error) best = judged;
  }
  return best.chosen;
}

}  // namespace ortool
