// DataType: ONNX's element types with their numbers, names and sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ortool {

/// Element types with ONNX's numbers (TensorProto.DataType).
enum class DataType : std::int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26,
  float6e2m3 = 27,
  float6e3m2 = 28,
};

constexpr std::int32_t data_type_count = 29;

/// Bits of one element in memory: 6, 4 and 2 for the packed types, 0 for string and undefined.
int element_bits(DataType type);

/// Size of `count` elements in bytes, packed types rounded up; 0 for strings. Throws
/// ErrorCode::invalid when the product exceeds 2^40 or `count` is negative.
std::int64_t bytes_of(DataType type, std::int64_t count);

/// The name shown to users: "float32", "bfloat16", "bool", "uint4" …
std::string_view name_of(DataType type);

/// The name in ONNX's textual syntax: "float", "double", "bool" …
std::string_view onnx_name_of(DataType type);

/// The type with either name, or nothing.
std::optional<DataType> data_type_from_name(std::string_view name);

bool is_floating_point(DataType type);  ///< float64 down to float4
bool is_integer(DataType type);         ///< signed or unsigned, packed included, bool excluded
bool is_signed_integer(DataType type);
bool is_8bit_type(DataType type);  ///< int8 or uint8
bool is_packed(DataType type);     ///< several elements in each byte
bool is_known(std::int32_t number);

}  // namespace ortool
