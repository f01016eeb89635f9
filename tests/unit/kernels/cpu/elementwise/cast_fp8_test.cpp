// Casts of narrow types against libcore's conversion, by element, and round trips of packing.
#include "kernels/cpu/elementwise/cast_fp8.hpp"

#include <cstring>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/types/pack_subbyte.hpp"
#include "libcore/tensor/convert.hpp"

using namespace ortool;
using namespace ortool::cpu;

namespace {

bool same_bytes(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0;
}

}  // namespace

TEST_CASE("packed elements survive unpacking and packing in every width") {
  Workers workers;
  std::mt19937 random(12);
  for (const int bits : {2, 4, 6}) {
    for (const std::int64_t count : {0, 1, 3, 4, 5, 70001}) {
      std::vector<std::uint8_t> elements(static_cast<std::size_t>(count));
      for (std::uint8_t& each : elements)
        each = static_cast<std::uint8_t>(random() & ((1U << bits) - 1U));
      std::vector<std::byte> packed(static_cast<std::size_t>((count * bits + 7) / 8));
      pack_elements(bits, elements.data(), packed.data(), count, workers);
      std::vector<std::uint8_t> back(elements.size());
      unpack_elements(bits, packed.data(), back.data(), count, workers);
      CHECK(back == elements);
    }
  }
}

TEST_CASE("casts between narrow and other types are libcore's conversions") {
  ThreadPool pool(4);
  Workers workers(pool, 4);
  std::mt19937 random(13);
  Tensor wide(DataType::float32, {40001});
  for (float& x : wide.mutable_data<float>())
    x = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 64.0F;
  for (std::int32_t from = 1; from < data_type_count; ++from) {
    const auto from_type = static_cast<DataType>(from);
    if (!is_arithmetic(from_type)) continue;
    const Tensor source = convert(wide, from_type);
    for (std::int32_t to = 1; to < data_type_count; ++to) {
      const auto to_type = static_cast<DataType>(to);
      const bool is_narrow = element_bits(from_type) <= 8 || is_packed(to_type) ||
                             (is_floating_point(to_type) && element_bits(to_type) == 8);
      if (!is_arithmetic(to_type) || !is_narrow || from == to) continue;
      const FloatCast rounding = {from % 2 == 0, PowerRounding::nearest};
      Tensor found(to_type, source.shape());
      narrow_cast(plan_narrow_cast(from_type, to_type, rounding, false), source.bytes(),
                  found.mutable_bytes(), source.element_count(), workers);
      INFO(name_of(from_type) << " to " << name_of(to_type));
      CHECK(same_bytes(found, convert(source, to_type, rounding)));
    }
  }
}
