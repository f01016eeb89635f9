// The methods that make a range of what calibration recorded, in one list.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "libcore/quantize/calibrate/value_record.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"

namespace ortool {

enum class CalibrationMethod { automatic, minmax, moving_average, percentile, entropy, mse };

struct MethodOptions {
  CalibrationMethod method = CalibrationMethod::automatic;
  /// Of method percentile: the share of elements, in percent, that the range holds at least.
  double percentile = 99.99;
};

struct ChosenRange {
  NumberRange range;
  CalibrationMethod method = CalibrationMethod::minmax;  ///< never automatic
  /// The share of finite elements outside, 0 to 1; 0 where there is no histogram.
  double clipped_ratio = 0;
  /// Mean squared error of quantising what was recorded, expected from its histogram; 0 where there
  /// is none.
  double mean_square_error = 0;
};

/// A row of the list of methods.
struct MethodRow {
  CalibrationMethod method;
  std::string_view name;  ///< the one of --calibration-method
  bool needs_histogram;
  bool needs_average;
  /// The range for elements of `type`; the record has what the row needs, and a finite element.
  NumberRange (*choose)(const ValueRecord& record, QuantizationType type,
                        const MethodOptions& options);
};

/// All methods but automatic.
std::span<const MethodRow> calibration_methods();

/// "auto", "minmax", "moving-average", "percentile", "entropy", "mse".
std::string_view name_of(CalibrationMethod method);
std::optional<CalibrationMethod> method_from_name(std::string_view name);

/// The range that a method chooses for elements of `type`; it holds zero. automatic takes, of the
/// methods that do not depend on order, the one with the least error; records without histograms
/// have minmax alone. Throws ErrorCode::invalid when the record holds no finite element, or not
/// what the method needs.
ChosenRange choose_range(const ValueRecord& record, QuantizationType type,
                         const MethodOptions& options);

// The methods, one a file below methods/.
NumberRange minmax_range(const ValueRecord& record, QuantizationType type,
                         const MethodOptions& options);
NumberRange moving_average_range(const ValueRecord& record, QuantizationType type,
                                 const MethodOptions& options);
NumberRange percentile_range(const ValueRecord& record, QuantizationType type,
                             const MethodOptions& options);
NumberRange entropy_range(const ValueRecord& record, QuantizationType type,
                          const MethodOptions& options);
NumberRange mse_range(const ValueRecord& record, QuantizationType type,
                      const MethodOptions& options);

}  // namespace ortool
