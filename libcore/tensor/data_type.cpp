// Table of element types.
#include "libcore/tensor/data_type.hpp"

#include <array>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

enum class Kind { none, floating, signed_integer, unsigned_integer, complex };

struct Row {
  std::string_view name;
  std::string_view onnx_name;
  int bits;
  Kind kind;
};

constexpr std::array<Row, data_type_count> rows = {{
    {"undefined", "undefined", 0, Kind::none},
    {"float32", "float", 32, Kind::floating},
    {"uint8", "uint8", 8, Kind::unsigned_integer},
    {"int8", "int8", 8, Kind::signed_integer},
    {"uint16", "uint16", 16, Kind::unsigned_integer},
    {"int16", "int16", 16, Kind::signed_integer},
    {"int32", "int32", 32, Kind::signed_integer},
    {"int64", "int64", 64, Kind::signed_integer},
    {"string", "string", 0, Kind::none},
    {"bool", "bool", 8, Kind::none},
    {"float16", "float16", 16, Kind::floating},
    {"float64", "double", 64, Kind::floating},
    {"uint32", "uint32", 32, Kind::unsigned_integer},
    {"uint64", "uint64", 64, Kind::unsigned_integer},
    {"complex64", "complex64", 64, Kind::complex},
    {"complex128", "complex128", 128, Kind::complex},
    {"bfloat16", "bfloat16", 16, Kind::floating},
    {"float8e4m3fn", "float8e4m3fn", 8, Kind::floating},
    {"float8e4m3fnuz", "float8e4m3fnuz", 8, Kind::floating},
    {"float8e5m2", "float8e5m2", 8, Kind::floating},
    {"float8e5m2fnuz", "float8e5m2fnuz", 8, Kind::floating},
    {"uint4", "uint4", 4, Kind::unsigned_integer},
    {"int4", "int4", 4, Kind::signed_integer},
    {"float4e2m1", "float4e2m1", 4, Kind::floating},
    {"float8e8m0", "float8e8m0", 8, Kind::floating},
    {"uint2", "uint2", 2, Kind::unsigned_integer},
    {"int2", "int2", 2, Kind::signed_integer},
    {"float6e2m3", "float6e2m3", 6, Kind::floating},
    {"float6e3m2", "float6e3m2", 6, Kind::floating},
}};

const Row& row(DataType type) {
  return rows[static_cast<std::size_t>(type)];
}

}  // namespace

int element_bits(DataType type) {
  return row(type).bits;
}

std::int64_t bytes_of(DataType type, std::int64_t count) {
  constexpr std::int64_t max_bits = std::int64_t{8} << 40;
  const std::int64_t bits = element_bits(type);
  if (count < 0 || (bits > 0 && count > max_bits / bits)) {
    throw Error(
        ErrorCode::invalid,
        format("a tensor of {} {} elements exceeds the limit of 2^40 bytes", count, name_of(type)),
        "check the shape; a tensor of this size is not possible");
  }
  return (count * bits + 7) / 8;
}

std::string_view name_of(DataType type) {
  return row(type).name;
}

std::string_view onnx_name_of(DataType type) {
  return row(type).onnx_name;
}

std::optional<DataType> data_type_from_name(std::string_view name) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].name == name || rows[i].onnx_name == name) return static_cast<DataType>(i);
  }
  return std::nullopt;
}

bool is_floating_point(DataType type) {
  return row(type).kind == Kind::floating;
}

bool is_integer(DataType type) {
  return row(type).kind == Kind::signed_integer || row(type).kind == Kind::unsigned_integer;
}

bool is_8bit_type(DataType type) {
  return type == DataType::int8 || type == DataType::uint8;
}

bool is_signed_integer(DataType type) {
  return row(type).kind == Kind::signed_integer;
}

bool is_packed(DataType type) {
  return row(type).bits > 0 && row(type).bits < 8;
}

bool is_known(std::int32_t number) {
  return number > 0 && number < data_type_count;
}

}  // namespace ortool
