// Floating-point formats bit by bit, against hashes and sums from PyPI's ml_dtypes and numpy.
#include "libcore/tensor/float_formats.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/tensor/packed.hpp"

using namespace ortool;

namespace {

constexpr double format_infinity = std::numeric_limits<double>::infinity();
constexpr double format_nan = std::numeric_limits<double>::quiet_NaN();

constexpr DataType small_formats[] = {DataType::float16,      DataType::bfloat16,
                                      DataType::float8e4m3fn, DataType::float8e4m3fnuz,
                                      DataType::float8e5m2,   DataType::float8e5m2fnuz,
                                      DataType::float4e2m1,   DataType::float8e8m0,
                                      DataType::float6e2m3,   DataType::float6e3m2};

std::uint64_t pattern_count(DataType type) {
  return std::uint64_t{1} << element_bits(type);
}

class Fnv {
 public:
  void add(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      hash_ = (hash_ ^ (value >> (8 * i) & 0xff)) * 0x100000001b3ULL;
    }
  }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

std::vector<double> wide_doubles() {
  std::vector<double> values;
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double fraction =
        1 + static_cast<double>(state >> 6 & ((std::uint64_t{1} << 52) - 1)) * 0x1p-52;
    const double value = std::ldexp(fraction, static_cast<int>(state >> 58) - 40);
    values.push_back((state & 1) != 0 ? -value : value);
  }
  return values;
}

}  // namespace

TEST_CASE("every pattern of every small float survives decoding and encoding") {
  for (const DataType type : small_formats) {
    INFO(name_of(type));
    std::uint64_t differing = 0;
    for (std::uint64_t bits = 0; bits < pattern_count(type); ++bits) {
      const double value = decode_float(type, bits);
      const std::uint64_t back = encode_float(type, value, {.saturate = false});
      if (std::isnan(value) ? !std::isnan(decode_float(type, back)) : back != bits) {
        // 2^-127 also stands for zero, which only saturating rounding reaches.
        ++differing;
      }
    }
    CHECK(differing == 0);
  }
}

TEST_CASE("what lies between two neighbors rounds to the nearer and halves to the even one") {
  for (const DataType type : small_formats) {
    if (type == DataType::float8e8m0) continue;
    INFO(name_of(type));
    std::uint64_t wrong = 0;
    for (std::uint64_t bits = 0; decode_float(type, bits) < largest_float(type); ++bits) {
      const double low = decode_float(type, bits);
      const double high = decode_float(type, bits + 1);
      const double middle = (low + high) / 2;
      wrong += encode_float(type, middle) != ((bits & 1) == 0 ? bits : bits + 1);
      wrong += encode_float(type, std::nextafter(middle, 0)) != bits;
      wrong += encode_float(type, std::nextafter(middle, format_infinity)) != bits + 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("float8 and float4 hold the values that ml_dtypes gives them") {
  struct Facts {
    DataType type;
    double largest;
    double smallest;
    int nans;
    int infinities;
    double sum_of_magnitudes;
    std::uint64_t hash_of_fp16;
  };
  const Facts all[] = {
      {DataType::float8e4m3fn, 448, 0x1p-9, 2, 0, 10815.75, 0xcd9d67a49dee32a5},
      {DataType::float8e4m3fnuz, 240, 0x1p-10, 1, 0, 5887.875, 0x7abd8b7db1f239a5},
      {DataType::float8e5m2, 57344, 0x1p-16, 6, 2, 720895.9995117188, 0xd56747ff4b9b5b25},
      {DataType::float8e5m2fnuz, 57344, 0x1p-17, 1, 0, 720895.9997558594, 0x44b41dc2b9fa3da5},
      {DataType::float4e2m1, 6, 0.5, 0, 0, 36, 0x74e44ac75a7a5925},
      {DataType::float6e2m3, 7.5, 0.125, 0, 0, 168, 0x26634b0f1fa38ba5},
      {DataType::float6e3m2, 28, 0.0625, 0, 0, 350, 0x175b5f60742d5025},
  };
  for (const Facts& facts : all) {
    INFO(name_of(facts.type));
    int nans = 0;
    int infinities = 0;
    double sum = 0;
    double smallest = format_infinity;
    for (std::uint64_t bits = 0; bits < pattern_count(facts.type); ++bits) {
      const double value = decode_float(facts.type, bits);
      nans += std::isnan(value);
      infinities += std::isinf(value);
      if (std::isfinite(value)) sum += std::fabs(value);
      if (value > 0) smallest = std::min(smallest, value);
    }
    CHECK(nans == facts.nans);
    CHECK(infinities == facts.infinities);
    CHECK(sum == facts.sum_of_magnitudes);
    CHECK(smallest == facts.smallest);
    CHECK(largest_float(facts.type) == facts.largest);
    Fnv fnv;
    for (std::uint64_t half = 0; half < 65536; ++half) {
      const double value = decode_float(DataType::float16, half);
      if (std::isfinite(value)) fnv.add(encode_float(facts.type, value, {.saturate = false}), 1);
    }
    CHECK(fnv.hash() == facts.hash_of_fp16);
  }
}

TEST_CASE("float16 and bfloat16 hold the values that numpy and ml_dtypes give them") {
  const std::pair<DataType, std::uint64_t> decoded[] = {{DataType::float16, 0x9b36eb6fa3b8b3a5},
                                                        {DataType::bfloat16, 0xb963c9f96e47ab25}};
  for (const auto& [type, expected] : decoded) {
    Fnv fnv;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      const double value = decode_float(type, bits);
      fnv.add(std::bit_cast<std::uint64_t>(std::isnan(value) ? 0.0 : value), 8);
    }
    CHECK(fnv.hash() == expected);
  }
  Fnv half;
  Fnv brain;
  Fnv single;
  for (const double value : wide_doubles()) {
    half.add(encode_float(DataType::float16, value), 2);
    brain.add(encode_float(DataType::bfloat16, value), 2);
    single.add(encode_float(DataType::float32, value), 4);
  }
  CHECK(half.hash() == 0x263e31b64eee6a7e);
  CHECK(brain.hash() == 0x4fd50f299ea9faa6);
  CHECK(single.hash() == 0x83ac781bccb5950e);
}

TEST_CASE("float8 takes NaN, infinity and what is too large as ONNX's Cast says") {
  const auto encode = [](DataType type, double value, bool saturate) {
    return encode_float(type, value, {.saturate = saturate});
  };
  using enum DataType;
  CHECK(encode(float8e4m3fn, -format_infinity, true) == 0xfe);
  CHECK(encode(float8e4m3fn, -format_infinity, false) == 0xff);
  CHECK(encode(float8e4m3fn, 1e9, true) == 0x7e);
  CHECK(encode(float8e4m3fn, 1e9, false) == 0x7f);
  CHECK(encode(float8e4m3fn, -format_nan, true) == 0xff);
  CHECK(encode(float8e4m3fn, -0.0, true) == 0x80);
  CHECK(encode(float8e4m3fnuz, -0.0, true) == 0x00);
  CHECK(encode(float8e4m3fnuz, -1e-30, true) == 0x00);
  CHECK(encode(float8e4m3fnuz, format_infinity, true) == 0x7f);
  CHECK(encode(float8e4m3fnuz, format_infinity, false) == 0x80);
  CHECK(encode(float8e4m3fnuz, format_nan, true) == 0x80);
  CHECK(encode(float8e5m2, format_infinity, true) == 0x7b);
  CHECK(encode(float8e5m2, -format_infinity, false) == 0xfc);
  CHECK(encode(float8e5m2, 1e9, false) == 0x7c);
  CHECK(encode(float8e5m2fnuz, -1e9, true) == 0xff);
  CHECK(encode(float8e5m2fnuz, -1e9, false) == 0x80);
  CHECK(encode(float4e2m1, format_infinity, false) == 0x7);
  CHECK(encode(float4e2m1, -1e9, true) == 0xf);
  CHECK(encode(float4e2m1, format_nan, true) == 0x8);
  CHECK(encode(float6e2m3, format_infinity, false) == 0x1f);
  CHECK(encode(float6e3m2, -1e9, true) == 0x3f);
  CHECK(encode(float6e2m3, format_nan, true) == 0x20);
  CHECK(encode(float16, 65519.99, true) == 0x7bff);
  CHECK(encode(float16, 65520, true) == 0x7c00);
}

TEST_CASE("powers of two round up, down or to the nearest, and saturate where asked") {
  const auto encode = [](double value, PowerRounding rounding, bool saturate = true) {
    return encode_float(DataType::float8e8m0, value,
                        {.saturate = saturate, .power_rounding = rounding});
  };
  using enum PowerRounding;
  CHECK(encode(1, up) == 127);
  CHECK(encode(1.0001, up) == 128);
  CHECK(encode(1.9999, down) == 127);
  CHECK(encode(1.4999, nearest) == 127);
  CHECK(encode(1.5, nearest) == 128);
  CHECK(encode(0, up) == 0);
  CHECK(encode(0, nearest, false) == 255);
  CHECK(encode(format_infinity, up) == 254);
  CHECK(encode(format_infinity, nearest, false) == 255);
  CHECK(encode(1e39, up) == 254);
  CHECK(encode(1e39, up, false) == 255);
  CHECK(encode(1e-40, down) == 0);
  CHECK(encode(1e-40, down, false) == 255);
  CHECK(encode(format_nan, up) == 255);
  CHECK(encode(-1, up) == 255);
}

TEST_CASE("the first packed element lies in the low bits and its neighbors stay") {
  std::byte bytes[2] = {std::byte{0xff}, std::byte{0xff}};
  set_packed(bytes, 0, 4, 0x1);
  set_packed(bytes, 3, 4, 0x2);
  CHECK(bytes[0] == std::byte{0xf1});
  CHECK(bytes[1] == std::byte{0x2f});
  CHECK(get_packed(bytes, 1, 4) == 0xf);
  set_packed(bytes, 2, 2, 0x1);
  CHECK(bytes[0] == std::byte{0xd1});
  CHECK(get_packed(bytes, 2, 2) == 0x1);
  std::byte six[3] = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  const std::uint8_t elements[] = {8, 16, 20, 24};
  for (std::int64_t i = 0; i < 4; ++i) set_packed(six, 3 - i, 6, elements[3 - i]);
  CHECK(six[0] == std::byte{0x08});
  CHECK(six[1] == std::byte{0x44});
  CHECK(six[2] == std::byte{0x61});
  for (std::int64_t i = 0; i < 4; ++i) CHECK(get_packed(six, i, 6) == elements[i]);
  CHECK(sign_extend(0xf, 4) == -1);
  CHECK(sign_extend(0x7, 4) == 7);
  CHECK(sign_extend(0x8, 4) == -8);
  CHECK(sign_extend(0x2, 2) == -2);
}
