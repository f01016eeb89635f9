// Blockwise quantization: chooses a block's scale, quantizes, and packs the bits.
#include "libcore/quantize/scheme/block_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/tensor/packed.hpp"

namespace ortool {
namespace {

void check_options(const Tensor& weights, const BlockOptions& options) {
  if (weights.shape().rank() != 2 || !is_floating_point(weights.type())) {
    throw Error(ErrorCode::invalid,
                format("blockwise quantization requires a float matrix (found {}[{}])",
                       name_of(weights.type()), weights.shape().to_string()));
  }
  const std::int64_t size = options.block_size;
  if ((options.bits != 4 && options.bits != 8) || size < 16 || (size & (size - 1)) != 0) {
    throw Error(ErrorCode::unsupported,
                format("blocks of {} elements of {} bits are not supported", size, options.bits),
                "use 4 or 8 bits, and blocks of a power of two from 16 up");
  }
}

double block_error(std::span<const float> block, Scale scale, CodeRange codes) {
  double error = 0;
  for (const float value : block) {
    const double found = static_cast<double>(scale.scale) *
                         static_cast<double>(to_code(value, scale, codes) - scale.zero_point);
    error += (found - static_cast<double>(value)) * (found - static_cast<double>(value));
  }
  return error;
}

Scale choose_block_scale(std::span<const float> block, const BlockOptions& options) {
  const CodeRange codes{0, (std::int64_t{1} << options.bits) - 1};
  float least = 0;
  float most = 0;
  for (const float value : block) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (!options.is_symmetric) {
    return choose_scale({static_cast<double>(least), static_cast<double>(most)},
                        {options.bits == 4 ? DataType::uint4 : DataType::uint8, false, false});
  }
  // There is one more value below the middle than above it: a negative scale mirrors it.
  const std::int64_t middle = std::int64_t{1} << (options.bits - 1);
  const float largest = std::max(-least, most);
  if (largest == 0) return {1, middle};
  const float smallest_scale = std::numeric_limits<float>::min();
  const Scale even{std::max(largest / static_cast<float>(middle - 1), smallest_scale), middle};
  const float side = most >= -least ? -1.0F : 1.0F;
  const Scale full{side * std::max(largest / static_cast<float>(middle), smallest_scale), middle};
  return block_error(block, full, codes) < block_error(block, even, codes) ? full : even;
}

}  // namespace

BlockWeights quantize_blocks(const Tensor& weights, const BlockOptions& options, MemoryCap* cap) {
  check_options(weights, options);
  const Tensor floats = convert(weights.aligned(), DataType::float32);
  const std::span<const float> data = floats.data<float>();
  BlockWeights result{options, weights.shape()[0], weights.shape()[1], {}, {}, {}};
  const std::int64_t blocks = result.blocks();
  const std::int64_t size = options.block_size;
  const int bits = options.bits;
  const std::int64_t zero_bytes = (blocks * bits + 7) / 8;
  result.packed = Tensor(DataType::uint8, {result.n, blocks, size * bits / 8}, cap);
  result.scales = Tensor(DataType::float32, {result.n * blocks}, cap);
  if (!options.is_symmetric) {
    result.zero_points = Tensor(DataType::uint8, {result.n * zero_bytes}, cap);
    std::fill_n(result.zero_points.mutable_bytes(), result.zero_points.size_bytes(), std::byte{0});
  }
  const auto store = [bits](std::byte* bytes, std::int64_t index, std::int64_t code) {
    if (bits == 8) {
      bytes[index] = static_cast<std::byte>(code);
    } else {
      set_packed(bytes, index, bits, static_cast<std::uint8_t>(code));
    }
  };
  const CodeRange codes{0, (std::int64_t{1} << bits) - 1};
  std::vector<float> block;
  for (std::int64_t column = 0; column < result.n; ++column) {
    for (std::int64_t b = 0; b < blocks; ++b) {
      block.clear();
      for (std::int64_t row = b * size; row < std::min(result.k, (b + 1) * size); ++row) {
        block.push_back(data[static_cast<std::size_t>(row * result.n + column)]);
        if (!std::isfinite(block.back())) {
          throw Error(ErrorCode::invalid,
                      format("weights contain {} at row {}, column {}", block.back(), row, column),
                      "NaN and infinite values cannot be quantized");
        }
      }
      Scale scale = choose_block_scale(block, options);
      scale.scale = scale_held_by(options.scale_type, scale.scale);
      result.scales.mutable_data<float>()[static_cast<std::size_t>(column * blocks + b)] =
          scale.scale;
      if (!options.is_symmetric) {
        store(result.zero_points.mutable_bytes() + column * zero_bytes, b, scale.zero_point);
      }
      std::byte* out = result.packed.mutable_bytes() + (column * blocks + b) * (size * bits / 8);
      for (std::int64_t i = 0; i < size; ++i) {
        const bool is_inside = i < static_cast<std::int64_t>(block.size());
        store(out, i,
              is_inside ? to_code(block[static_cast<std::size_t>(i)], scale, codes)
                        : scale.zero_point);
      }
    }
  }
  return result;
}

Tensor dequantize_blocks(const BlockWeights& weights, MemoryCap* cap) {
  const std::int64_t blocks = weights.blocks();
  const std::int64_t size = weights.options.block_size;
  const int bits = weights.options.bits;
  const std::int64_t zero_bytes = (blocks * bits + 7) / 8;
  const auto code_at = [bits](const std::byte* bytes, std::int64_t index) -> std::int64_t {
    return bits == 8 ? static_cast<std::uint8_t>(bytes[index]) : get_packed(bytes, index, bits);
  };
  Tensor result(DataType::float32, {weights.k, weights.n}, cap);
  const std::span<float> out = result.mutable_data<float>();
  for (std::int64_t column = 0; column < weights.n; ++column) {
    for (std::int64_t row = 0; row < weights.k; ++row) {
      const std::int64_t block = column * blocks + row / size;
      const std::int64_t zero =
          weights.options.is_symmetric
              ? std::int64_t{1} << (bits - 1)
              : code_at(weights.zero_points.bytes() + column * zero_bytes, row / size);
      const std::int64_t code =
          code_at(weights.packed.bytes() + block * (size * bits / 8), row % size);
      out[static_cast<std::size_t>(row * weights.n + column)] =
          static_cast<float>(code - zero) *
          weights.scales.data<float>()[static_cast<std::size_t>(block)];
    }
  }
  return result;
}

}  // namespace ortool
