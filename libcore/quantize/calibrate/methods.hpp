// Calibration methods: the list of algorithms that derive a clipping range from the records.
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
  /// For method percentile: the minimum share of elements within the range, in percent.
  double percentile = 99.99;
};

struct ChosenRange {
  ValueRange range;
  CalibrationMethod method = CalibrationMethod::minmax;  ///< never automatic
  /// The fraction of finite elements that are clipped, 0 to 1; 0 without a histogram.
  double clipped_ratio = 0;
  /// The mean squared quantization error expected from the histogram; 0 without one.
  double mean_square_error = 0;
};

/// An entry of the list of methods.
struct MethodRow {
  CalibrationMethod method;
  std::string_view name;  ///< the name that --calibration-method takes
  bool needs_histogram;
  bool needs_average;
  /// The range for elements of `type`; the record has what the method needs, and a finite element.
  ValueRange (*choose)(const ValueRecord& record, QuantizationType type,
                       const MethodOptions& options);
};

/// All methods except automatic.
std::span<const MethodRow> calibration_methods();

/// "auto", "minmax", "moving-average", "percentile", "entropy", "mse".
std::string_view name_of(CalibrationMethod method);
std::optional<CalibrationMethod> method_from_name(std::string_view name);

/// The clipping range that a method chooses for elements of `type`; always includes zero. automatic
/// selects, among the methods that do not depend on sample order, the one with the least error; for
/// records without histograms that is minmax. Throws ErrorCode::invalid when the record has no
/// finite element, or lacks what the method needs.
ChosenRange choose_range(const ValueRecord& record, QuantizationType type,
                         const MethodOptions& options);

// One function per method, each in its own file in methods/.
ValueRange minmax_range(const ValueRecord& record, QuantizationType type,
                        const MethodOptions& options);
ValueRange moving_average_range(const ValueRecord& record, QuantizationType type,
                                const MethodOptions& options);
ValueRange percentile_range(const ValueRecord& record, QuantizationType type,
                            const MethodOptions& options);
ValueRange entropy_range(const ValueRecord& record, QuantizationType type,
                         const MethodOptions& options);
ValueRange mse_range(const ValueRecord& record, QuantizationType type,
                     const MethodOptions& options);

}  // namespace ortool
