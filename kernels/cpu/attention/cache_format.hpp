// Key/value cache format: how a row of keys or values is stored, and conversion from and to
// float32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

struct CacheFormat {
  /// float32, float16, bfloat16, int8, or uint8 for two 4-bit elements in a byte.
  DataType type = DataType::float32;
  std::int64_t size = 0;          ///< elements of a row
  const float* scales = nullptr;  ///< for int8 and uint8: one, or `size` for each head
  bool has_channel_scales = false;

  std::int64_t row_bytes() const;
};

/// Decodes `count` rows of one head, `stride_bytes` apart, to consecutive rows of float32.
void decode_rows(const CacheFormat& format, std::int64_t head, const std::byte* in,
                 std::int64_t stride_bytes, std::int64_t count, float* out, Isa isa);

/// Stores one row of a head.
void encode_row(const CacheFormat& format, std::int64_t head, const float* in, std::byte* out,
                Isa isa);

}  // namespace ortool::cpu
