// QuantizeLinear and DequantizeLinear: iterates over runs of elements with a common scale or with
// consecutive scales.
#include "kernels/cpu/elementwise/quantize_linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/elementwise/quantize_reference.hpp"
#include "kernels/cpu/epilogue/quantize_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t quantize_grain =
    16384;  // a multiple of the elements per byte of any packed type
constexpr std::int64_t chunk = 256;

/// Contiguous elements with a single scale (step 0) or consecutive scales (step 1).
struct Run {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t scale = 0;
  std::int64_t scale_step = 0;
};

/// The remainder of the run that contains element `index`.
Run run_at(const ScaleLayout& layout, std::int64_t index) {
  const std::int64_t total = layout.outer * layout.axis * layout.inner;
  if (layout.kind == ScaleLayout::Kind::single) return {index, total - index, 0, 0};
  const std::int64_t inner = index % layout.inner;
  const std::int64_t row = index / layout.inner;
  const std::int64_t along = row % layout.axis;
  if (layout.kind == ScaleLayout::Kind::along_axis) {
    if (layout.inner == 1) return {index, layout.axis - along, along, 1};
    return {index, layout.inner - inner, along, 0};
  }
  const std::int64_t blocks = (layout.axis + layout.block - 1) / layout.block;
  const std::int64_t block = row / layout.axis * blocks + along / layout.block;
  if (layout.inner == 1) {
    const std::int64_t end = std::min(layout.axis, (along / layout.block + 1) * layout.block);
    return {index, end - along, block, 0};
  }
  return {index, layout.inner - inner, block * layout.inner + inner, 1};
}

/// Calls `body(run)` for all runs, split at thread boundaries.
template <typename Body>
void for_each_run(const ScaleLayout& layout, Workers& workers, Body body) {
  const std::int64_t total = layout.outer * layout.axis * layout.inner;
  workers.parallel_ranges(total, quantize_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end;) {
      Run run = run_at(layout, index);
      run.count = std::min(run.count, end - index);
      body(run);
      index += run.count;
    }
  });
}

bool is_byte(DataType type) {
  return type == DataType::int8 || type == DataType::uint8;
}

std::int32_t byte_at(DataType type, const std::byte* data, std::int64_t index) {
  if (data == nullptr) return 0;
  return type == DataType::int8 ? std::int32_t{reinterpret_cast<const std::int8_t*>(data)[index]}
                                : std::int32_t{reinterpret_cast<const std::uint8_t*>(data)[index]};
}

/// Scale and zero point of each element of a chunk.
struct CodeRange {
  double scales[chunk];
  double zero_points[chunk] = {};

  /// Reads those of `count` elements of `run`, starting at its element `done`. Chunks are read in
  /// order; if the run has a single scale, only the first call reads it.
  void read(const QuantizeOperands& operands, const Run& run, std::int64_t done,
            std::int64_t count) {
    const bool is_scaled_once = run.scale_step == 0;
    if (done > 0 && is_scaled_once) return;
    const std::int64_t first = run.scale + done * run.scale_step;
    const std::int64_t needed = is_scaled_once ? 1 : count;
    read_numbers(operands.scale_type, operands.scales, first, needed, scales);
    if (operands.zero_points != nullptr)
      read_numbers(operands.zero_point_type, operands.zero_points, first, needed, zero_points);
    if (!is_scaled_once) return;
    std::fill(scales + 1, scales + chunk, scales[0]);
    std::fill(zero_points + 1, zero_points + chunk, zero_points[0]);
  }
};

void quantize_run(const QuantizeOperands& operands, const Run& run, DataType precision,
                  bool saturate) {
  double values[chunk];
  CodeRange codes;
  for (std::int64_t done = 0; done < run.count; done += chunk) {
    const std::int64_t count = std::min(chunk, run.count - done);
    codes.read(operands, run, done, count);
    read_numbers(operands.in_type, operands.in, run.first + done, count, values);
    for (std::int64_t i = 0; i < count; ++i) values[i] /= codes.scales[i];
    round_to(precision, values, count);
    if (is_integer(operands.out_type)) {
      for (std::int64_t i = 0; i < count; ++i)
        values[i] = values[i] == values[i] ? std::nearbyint(values[i]) + codes.zero_points[i]
                                           : codes.zero_points[i];
    }
    write_numbers(operands.out_type, operands.out, run.first + done, count, values, saturate);
  }
}

void dequantize_run(const QuantizeOperands& operands, const Run& run) {
  double values[chunk];
  CodeRange codes;
  for (std::int64_t done = 0; done < run.count; done += chunk) {
    const std::int64_t count = std::min(chunk, run.count - done);
    codes.read(operands, run, done, count);
    read_numbers(operands.in_type, operands.in, run.first + done, count, values);
    for (std::int64_t i = 0; i < count; ++i) {
      values[i] = static_cast<double>(static_cast<float>(values[i] - codes.zero_points[i]) *
                                      static_cast<float>(codes.scales[i]));
    }
    write_numbers(operands.out_type, operands.out, run.first + done, count, values, true);
  }
}

struct FloatRange {
  float low = 0.0F;
  float high = 0.0F;
};

/// Minimum and maximum, extended to include 0. NaN is ignored.
FloatRange range_of(const float* in, std::int64_t count, const QuantizeFunctions& functions,
                    Workers& workers) {
  constexpr std::int64_t max_parts = 64;
  FloatRange parts[max_parts];
  const std::int64_t part = std::max(quantize_grain, (count + max_parts - 1) / max_parts);
  workers.parallel_ranges(count, part, [&](std::int64_t begin, std::int64_t end) {
    FloatRange& own = parts[begin / part];
    functions.extremes(in + begin, end - begin, &own.low, &own.high);
  });
  FloatRange all;
  for (const FloatRange& each : parts) {
    all.low = std::min(all.low, each.low);
    all.high = std::max(all.high, each.high);
  }
  return all;
}

}  // namespace

void quantize(const QuantizeOperands& operands, const ScaleLayout& layout, DataType precision,
              bool saturate, Isa isa, Workers& workers) {
  const bool is_plain = operands.in_type == DataType::float32 &&
                        operands.scale_type == DataType::float32 &&
                        precision == DataType::float32 && is_byte(operands.out_type);
  const QuantizeFunctions& functions = quantize_functions(isa);
  const float least = operands.out_type == DataType::int8 ? -128.0F : 0.0F;
  const std::int64_t count = layout.outer * layout.axis * layout.inner;
  // Unused bits after the last packed element are zero.
  if (is_packed(operands.out_type) && count > 0)
    operands.out[bytes_of(operands.out_type, count) - 1] = std::byte{0};
  for_each_run(layout, workers, [&](const Run& run) {
    if (!is_plain || run.scale_step != 0) return quantize_run(operands, run, precision, saturate);
    const std::int32_t zero = byte_at(operands.zero_point_type, operands.zero_points, run.scale);
    const float low = least - static_cast<float>(zero);
    functions.quantize(reinterpret_cast<const float*>(operands.in) + run.first, run.count,
                       reinterpret_cast<const float*>(operands.scales)[run.scale],
                       {low, low + 255.0F, zero},
                       reinterpret_cast<std::uint8_t*>(operands.out) + run.first);
  });
}

void dequantize(const QuantizeOperands& operands, const ScaleLayout& layout, Isa isa,
                Workers& workers) {
  const bool is_plain = is_byte(operands.in_type) && operands.scale_type == DataType::float32 &&
                        operands.out_type == DataType::float32;
  const QuantizeFunctions& functions = quantize_functions(isa);
  const bool is_signed = operands.in_type == DataType::int8;
  for_each_run(layout, workers, [&](const Run& run) {
    if (!is_plain || run.scale_step != 0) return dequantize_run(operands, run);
    const std::int32_t zero = byte_at(operands.zero_point_type, operands.zero_points, run.scale);
    const Int8Scale scale{static_cast<std::uint8_t>(is_signed ? 128 : 0),
                          zero + (is_signed ? 128 : 0),
                          reinterpret_cast<const float*>(operands.scales)[run.scale]};
    functions.dequantize(reinterpret_cast<const std::uint8_t*>(operands.in) + run.first, run.count,
                         scale, reinterpret_cast<float*>(operands.out) + run.first);
  });
}

void dynamic_quantize(const float* in, std::int64_t count, std::uint8_t* out, float* scale,
                      std::uint8_t* zero_point, Isa isa, Workers& workers) {
  const QuantizeFunctions& functions = quantize_functions(isa);
  const auto [low, high] = range_of(in, count, functions, workers);
  const float range = high - low;
  *scale = range == 0.0F ? 1.0F : range / 255.0F;
  const float zero = std::nearbyint(std::clamp(-low / *scale, 0.0F, 255.0F));
  *zero_point = static_cast<std::uint8_t>(zero == zero ? zero : 0.0F);
  const auto shift = static_cast<float>(*zero_point);
  workers.parallel_ranges(count, quantize_grain, [&](std::int64_t begin, std::int64_t end) {
    functions.quantize(in + begin, end - begin, *scale, {-shift, 255.0F - shift, *zero_point},
                       out + begin);
  });
}

}  // namespace ortool::cpu
