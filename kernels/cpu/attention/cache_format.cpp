// Key/value cache rows in float32, 16-bit floats and quantized integers.
#include "kernels/cpu/attention/cache_format.hpp"

#include <algorithm>

#include "kernels/cpu/attention/cache_rows.hpp"
#include "kernels/cpu/types/fp16_convert.hpp"

namespace ortool::cpu {
namespace {

const float* scales_of(const CacheFormat& format, std::int64_t head) {
  return format.has_channel_scales ? format.scales + head * format.size : format.scales;
}

}  // namespace

std::int64_t CacheFormat::row_bytes() const {
  switch (type) {
    case DataType::int8:
      return size;
    case DataType::uint8:
      return (size + 1) / 2;
    case DataType::float16:
    case DataType::bfloat16:
      return 2 * size;
    default:
      return 4 * size;
  }
}

void decode_rows(const CacheFormat& format, std::int64_t head, const std::byte* in,
                 std::int64_t stride_bytes, std::int64_t count, float* out, Isa isa) {
  const CacheRowFunctions& rows = cache_row_functions(isa);
  const Fp16Functions& halves = fp16_functions(isa);
  const float* scales = scales_of(format, head);
  const std::int64_t step = format.has_channel_scales ? 1 : 0;
  for (std::int64_t i = 0; i < count; ++i, in += stride_bytes, out += format.size) {
    switch (format.type) {
      case DataType::int8:
        rows.decode_int8(reinterpret_cast<const std::int8_t*>(in), scales, step, out, format.size);
        break;
      case DataType::uint8:
        rows.decode_int4(reinterpret_cast<const std::uint8_t*>(in), scales, step, out, format.size);
        break;
      case DataType::float16:
        halves.float16_to_float(reinterpret_cast<const std::uint16_t*>(in), out, format.size);
        break;
      case DataType::bfloat16:
        halves.bfloat16_to_float(reinterpret_cast<const std::uint16_t*>(in), out, format.size);
        break;
      default:
        std::copy_n(reinterpret_cast<const float*>(in), format.size, out);
    }
  }
}

void encode_row(const CacheFormat& format, std::int64_t head, const float* in, std::byte* out,
                Isa isa) {
  const CacheRowFunctions& rows = cache_row_functions(isa);
  const Fp16Functions& halves = fp16_functions(isa);
  const float* scales = scales_of(format, head);
  const std::int64_t step = format.has_channel_scales ? 1 : 0;
  switch (format.type) {
    case DataType::int8:
      return rows.encode_int8(in, scales, step, reinterpret_cast<std::int8_t*>(out), format.size);
    case DataType::uint8:
      return rows.encode_int4(in, scales, step, reinterpret_cast<std::uint8_t*>(out), format.size);
    case DataType::float16:
      return halves.float_to_float16(in, reinterpret_cast<std::uint16_t*>(out), format.size);
    case DataType::bfloat16:
      return halves.float_to_bfloat16(in, reinterpret_cast<std::uint16_t*>(out), format.size);
    default:
      std::copy_n(in, format.size, reinterpret_cast<float*>(out));
  }
}

}  // namespace ortool::cpu
