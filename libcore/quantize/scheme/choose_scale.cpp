// Scale and zero point: computed in double precision, with the scale rounded to float32 first.
#include "libcore/quantize/scheme/choose_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The quantized value that represents zero in a symmetric type.
std::int64_t middle_of(DataType type, int bits) {
  return is_signed_integer(type) ? 0 : std::int64_t{1} << (bits - 1);
}

}  // namespace

CodeRange code_range_of(QuantizationType type) {
  const int bits = element_bits(type.type);
  if (!is_integer(type.type) || bits > 16) {
    throw Error(ErrorCode::unsupported,
                format("values cannot be quantized to {}", name_of(type.type)),
                "use uint8, int8, uint16, int16, uint4 or int4");
  }
  if (type.is_reduced && bits != 8) {
    throw Error(ErrorCode::unsupported, format("{} has no reduced range", name_of(type.type)),
                "only 8-bit types are reduced to 7 bits");
  }
  const std::int64_t count = std::int64_t{1} << bits;
  CodeRange codes{0, count - 1};
  if (is_signed_integer(type.type)) codes = {-count / 2, count / 2 - 1};
  if (type.is_reduced) {
    codes = is_signed_integer(type.type) ? CodeRange{-64, 64} : CodeRange{0, 127};
  }
  if (type.is_symmetric) {
    const std::int64_t middle = middle_of(type.type, type.is_reduced ? 7 : bits);
    const std::int64_t reach = std::min(middle - codes.lowest, codes.highest - middle);
    codes = {middle - reach, middle + reach};
  }
  return codes;
}

Scale choose_scale(ValueRange range, QuantizationType type) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > range.high) {
    throw Error(ErrorCode::invalid,
                format("no scale can be chosen for the range from {} to {}", range.low, range.high),
                "both ends must be finite, and the lower end first");
  }
  const CodeRange codes = code_range_of(type);
  const double low = std::min(range.low, 0.0);
  const double high = std::max(range.high, 0.0);
  const double width = type.is_symmetric ? 2 * std::max(-low, high) : high - low;
  const std::int64_t middle = (codes.lowest + codes.highest) / 2;
  if (width == 0)
    return {1,
            type.is_symmetric ? middle : std::clamp<std::int64_t>(0, codes.lowest, codes.highest)};
  const double exact = width / static_cast<double>(codes.highest - codes.lowest);
  const float scale =
      static_cast<float>(std::clamp(exact, static_cast<double>(std::numeric_limits<float>::min()),
                                    static_cast<double>(std::numeric_limits<float>::max())));
  if (type.is_symmetric) return {scale, middle};
  const double zero = static_cast<double>(codes.lowest) - low / static_cast<double>(scale);
  return {scale, static_cast<std::int64_t>(std::clamp(std::nearbyint(zero),
                                                      static_cast<double>(codes.lowest),
                                                      static_cast<double>(codes.highest)))};
}

ValueRange representable_range(Scale scale, QuantizationType type) {
  const CodeRange codes = code_range_of(type);
  return {static_cast<double>(scale.scale) * static_cast<double>(codes.lowest - scale.zero_point),
          static_cast<double>(scale.scale) * static_cast<double>(codes.highest - scale.zero_point)};
}

std::int64_t to_code(float value, Scale scale, CodeRange codes) {
  const double code = static_cast<double>(std::nearbyint(value / scale.scale)) +
                      static_cast<double>(scale.zero_point);
  return static_cast<std::int64_t>(
      std::clamp(code, static_cast<double>(codes.lowest), static_cast<double>(codes.highest)));
}

float scale_held_by(DataType type, float scale) {
  if (type == DataType::float32 || type == DataType::float64) return scale;
  const Tensor narrow = convert(Tensor::scalar(scale), type);
  const auto held = static_cast<float>(element_as_double(narrow, 0));
  constexpr float min_half = 0x1p-24F;
  return held != 0 ? held : std::copysign(min_half, scale);
}

}  // namespace ortool
