// Error measures of tensors, computed in double in one pass over blocks of elements.
#include "libcore/tensor/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/tensor/float_formats.hpp"
#include "libcore/tensor/signal_to_noise.hpp"

namespace ortool {
namespace {

constexpr std::int64_t compared_block = 512;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The distance of two finite values in ULPs of the format.
double steps_between(DataType type, double a, double b) {
  if (type == DataType::float8e8m0 || (a < 0) == (b < 0)) {
    const std::uint64_t from = encode_float(type, std::fabs(a));
    const std::uint64_t to = encode_float(type, std::fabs(b));
    return static_cast<double>(from > to ? from - to : to - from);
  }
  return static_cast<double>(encode_float(type, std::fabs(a))) +
         static_cast<double>(encode_float(type, std::fabs(b)));
}

/// The sums from which all measures are computed.
class Measures {
 public:
  Measures(TensorComparison& result, DataType type) : result_(result), type_(type) {}

  /// `allowed`: the tolerance of a finite pair.
  void add(std::int64_t index, double found, double expected, double allowed) {
    if (!std::isfinite(found) || !std::isfinite(expected)) {
      const bool same = found == expected || (std::isnan(found) && std::isnan(expected));
      if (!same) mismatch(index, infinity);
      return;
    }
    const double error = std::fabs(found - expected);
    found_squares_ += found * found;
    expected_squares_ += expected * expected;
    products_ += found * expected;
    error_squares_ += error * error;
    if (error == 0) return;
    result_.max_abs_error = std::max(result_.max_abs_error, error);
    if (expected != 0)
      result_.max_rel_error = std::max(result_.max_rel_error, error / std::fabs(expected));
    if (is_floating_point(type_))
      result_.max_ulp = std::max(result_.max_ulp, steps_between(type_, found, expected));
    const double excess = allowed > 0 ? error / allowed : infinity;
    if (error > allowed) {
      mismatch(index, excess);
    } else {
      keep_worst(index, excess);
    }
  }

  void mismatch(std::int64_t index, double excess) {
    ++result_.mismatched;
    keep_worst(index, excess);
  }

  void finish() {
    const double lengths = std::sqrt(found_squares_) * std::sqrt(expected_squares_);
    if (lengths > 0) {
      result_.cosine = std::clamp(products_ / lengths, -1.0, 1.0);
    } else {
      result_.cosine = found_squares_ == expected_squares_ ? 1 : 0;
    }
    result_.sqnr_db = signal_to_noise_db(expected_squares_, error_squares_);
    result_.passed = result_.mismatched == 0;
  }

 private:
  void keep_worst(std::int64_t index, double excess) {
    if (excess <= worst_) return;
    worst_ = excess;
    result_.worst_index = index;
  }

  TensorComparison& result_;
  DataType type_;
  double found_squares_ = 0;
  double expected_squares_ = 0;
  double products_ = 0;
  double error_squares_ = 0;
  double worst_ = 0;
};

/// Calls `body(first, block)` for each block of elements, converted to double.
template <typename Body>
void for_blocks(const Tensor& tensor, Body body) {
  std::array<double, compared_block> values;
  for (std::int64_t first = 0; first < tensor.element_count(); first += compared_block) {
    const auto count =
        static_cast<std::size_t>(std::min(compared_block, tensor.element_count() - first));
    read_doubles(tensor, first, std::span(values).first(count));
    body(first, std::span<const double>(values).first(count));
  }
}

double largest_magnitude(const Tensor& tensor) {
  double largest = 0;
  for_blocks(tensor, [&](std::int64_t, std::span<const double> block) {
    for (const double value : block) {
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
  });
  return largest;
}

void compare_strings(const Tensor& found, const Tensor& expected, Measures& measures) {
  for (std::size_t i = 0; i < found.strings().size(); ++i) {
    if (found.strings()[i] != expected.strings()[i])
      measures.mismatch(static_cast<std::int64_t>(i), infinity);
  }
}

void compare_complex(const Tensor& found, const Tensor& expected, const Tolerance& tolerance,
                     Measures& measures) {
  const DataType part = found.type() == DataType::complex64 ? DataType::float32 : DataType::float64;
  const auto parts_of = [part](const Tensor& tensor) {
    return Tensor::view(part, Shape{multiply_sizes(tensor.element_count(), 2)},
                        {tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())}, nullptr);
  };
  const Tensor found_parts = parts_of(found);
  const Tensor expected_parts = parts_of(expected);
  const double atol =
      tolerance.atol_of_max ? tolerance.atol * largest_magnitude(expected_parts) : tolerance.atol;
  for (std::int64_t i = 0; i < found_parts.element_count(); ++i) {
    const double reference = element_as_double(expected_parts, i);
    measures.add(i / 2, element_as_double(found_parts, i), reference,
                 atol + tolerance.rtol * std::fabs(reference));
  }
}

void compare_numbers(const Tensor& found, const Tensor& expected, const Tolerance& tolerance,
                     Measures& measures) {
  const bool is_float = is_floating_point(found.type());
  double atol = 0;
  double rtol = 0;
  if (is_float) {
    rtol = tolerance.rtol;
    atol = tolerance.atol_of_max ? tolerance.atol * largest_magnitude(expected) : tolerance.atol;
  }
  std::array<double, compared_block> references;
  for_blocks(found, [&](std::int64_t first, std::span<const double> block) {
    read_doubles(expected, first, std::span(references).first(block.size()));
    for (std::size_t i = 0; i < block.size(); ++i) {
      measures.add(first + static_cast<std::int64_t>(i), block[i], references[i],
                   atol + rtol * std::fabs(references[i]));
    }
  });
  // Large 64-bit integers are not exact in double.
  if (found.type() != DataType::int64 && found.type() != DataType::uint64) return;
  for (std::int64_t i = 0; i < found.element_count(); ++i) {
    if (element_as_int64(found, i) != element_as_int64(expected, i) &&
        element_as_double(found, i) == element_as_double(expected, i))
      measures.mismatch(i, infinity);
  }
}

}  // namespace

TensorComparison compare(const Tensor& found, const Tensor& expected, const Tolerance& tolerance) {
  TensorComparison result;
  if (found.type() != expected.type()) {
    result.difference =
        format("type {} found, {} expected", name_of(found.type()), name_of(expected.type()));
    return result;
  }
  if (found.shape() != expected.shape()) {
    result.difference = format("shape {} found, {} expected", found.shape().to_string(),
                               expected.shape().to_string());
    return result;
  }
  result.count = found.element_count();
  Measures measures(result, found.type());
  if (found.type() == DataType::string) {
    compare_strings(found, expected, measures);
  } else if (is_arithmetic(found.type())) {
    compare_numbers(found, expected, tolerance, measures);
  } else {
    compare_complex(found, expected, tolerance, measures);
  }
  measures.finish();
  return result;
}

Statistics statistics_of(const Tensor& tensor) {
  Statistics result;
  result.count = tensor.element_count();
  if (!is_arithmetic(tensor.type())) return result;
  bool is_first = true;
  std::int64_t finite_count = 0;
  double sum = 0;
  for_blocks(tensor, [&](std::int64_t, std::span<const double> block) {
    for (const double value : block) {
      if (std::isnan(value)) {
        ++result.nan_count;
        continue;
      }
      result.min = is_first ? value : std::min(result.min, value);
      result.max = is_first ? value : std::max(result.max, value);
      is_first = false;
      if (std::isinf(value)) {
        ++result.inf_count;
        continue;
      }
      ++finite_count;
      sum += value;
    }
  });
  if (finite_count == 0) return result;
  result.mean = sum / static_cast<double>(finite_count);
  double squares = 0;
  for_blocks(tensor, [&](std::int64_t, std::span<const double> block) {
    for (const double value : block) {
      if (std::isfinite(value)) squares += (value - result.mean) * (value - result.mean);
    }
  });
  result.std = std::sqrt(squares / static_cast<double>(finite_count));
  return result;
}

}  // namespace ortool
