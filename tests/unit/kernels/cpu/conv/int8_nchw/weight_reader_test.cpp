// Weights of int8 convolutions are read back from where they are packed, on each level.
#include "kernels/cpu/conv/int8_nchw/weight_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchwc/dense_layout.hpp"
#include "kernels/cpu/isa/architecture.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::product;

/// Weights, of which some pairs are so large that they are split where sums of products saturate.
std::vector<std::uint8_t> some_weights(test::RandomValues& numbers, const ConvSizes& sizes) {
  std::vector<std::uint8_t> result(static_cast<std::size_t>(
      sizes.channels_out * (sizes.channels_in / sizes.groups) * product(sizes.kernel)));
  for (std::uint8_t& byte : result)
    byte = static_cast<std::uint8_t>(numbers.flip() ? numbers.between(0, 255)
                                                    : numbers.between(120, 127));
  return result;
}

ConvSizes some_sizes(test::RandomValues& numbers, std::int64_t channels_in,
                     std::int64_t channels_out, std::int64_t groups) {
  ConvSizes sizes;
  sizes.channels_in = channels_in;
  sizes.channels_out = channels_out;
  sizes.groups = groups;
  for (const int axis : {1, 2}) {
    sizes.kernel[axis] = numbers.between(1, 6);
    sizes.in[axis] = sizes.kernel[axis] + 7;
    sizes.out[axis] = 8;
  }
  return sizes;
}

/// Reads ranges of random places, and all of a channel, and compares them with the weights.
void check_reader(test::RandomValues& numbers, const ConvSizes& sizes,
                  const std::vector<std::uint8_t>& weights, std::uint8_t flip,
                  const WeightReader& reader) {
  const std::int64_t inputs = sizes.channels_in / sizes.groups;
  const std::int64_t taps = product(sizes.kernel);
  for (std::int64_t channel = 0; channel < sizes.channels_out; ++channel) {
    WeightRange range = {channel, 0, inputs, 0, taps};
    if (numbers.flip()) {
      range.first_input = numbers.between(0, inputs - 1);
      range.inputs = numbers.between(1, inputs - range.first_input);
      range.first_tap = numbers.between(0, taps - 1);
      range.taps = numbers.between(1, taps - range.first_tap);
    }
    std::vector<int> expected;
    for (std::int64_t i = 0; i < range.inputs; ++i) {
      for (std::int64_t k = 0; k < range.taps; ++k) {
        const std::int64_t at =
            (channel * inputs + range.first_input + i) * taps + range.first_tap + k;
        expected.push_back(static_cast<std::int8_t>(weights[static_cast<std::size_t>(at)] ^ flip));
      }
    }
    std::vector<std::int8_t> read(expected.size());
    reader.read(range, read.data());
    CHECK(std::equal(read.begin(), read.end(), expected.begin()));
  }
}

std::uint8_t some_flip(test::RandomValues& numbers) {
  return numbers.flip() ? std::uint8_t{128} : std::uint8_t{0};
}

TEST_CASE("weights are read back from packed rows and planes") {
  test::RandomValues numbers(1);
  for (const auto& [in, out, groups] :
       {std::array{1, 3, 1}, std::array{1, 20, 1}, std::array{7, 33, 1}, std::array{64, 40, 1},
        std::array{12, 30, 3}, std::array{6, 12, 6}}) {
    ConvSizes sizes = some_sizes(numbers, in, out, groups);
    sizes.kernel[0] = numbers.between(1, 2);
    const std::vector<std::uint8_t> weights = some_weights(numbers, sizes);
    const std::uint8_t flip = some_flip(numbers);
    for (const Isa isa : test::isas_here()) {
      CAPTURE(in, out, groups, isa_name(isa));
      AlignedBuffer packed = test::bytes(packed_int8_conv_bytes(sizes, isa));
      std::vector<std::int32_t> sums(static_cast<std::size_t>(out));
      pack_int8_conv(sizes, weights.data(), flip, isa, packed.data(), sums.data());
      check_reader(numbers, sizes, weights, flip,
                   PackedInt8WeightReader(sizes, packed.data(), isa));
    }
  }
}

/// Those of this processor, and AMX, since packing and reading need none of its instructions.
std::vector<Isa> isas_that_pack() {
  std::vector<Isa> result = test::isas_here();
  if (is_x86 && std::find(result.begin(), result.end(), Isa::amx) == result.end())
    result.push_back(Isa::amx);
  return result;
}

void check_blocked(test::RandomValues& numbers, const ConvSizes& sizes, bool from_nchw,
                   const Int8ConvAlgorithm& algorithm) {
  const std::vector<std::uint8_t> weights = some_weights(numbers, sizes);
  const std::uint8_t flip = some_flip(numbers);
  AlignedBuffer packed =
      test::bytes(packed_nchwc_int8_conv_bytes(sizes, from_nchw, weights.data(), flip, algorithm));
  pack_nchwc_int8_conv(sizes, from_nchw, weights.data(), flip, algorithm, packed.data());
  check_reader(numbers, sizes, weights, flip,
               PackedNchwcWeightReader(sizes, from_nchw, packed.as<std::uint8_t>(), algorithm));
}

TEST_CASE("weights are read back from each layout for NCHW16c images") {
  test::RandomValues numbers(2);
  for (const auto& [in, out, groups, from_nchw] :
       {std::array{1, 20, 1, 1}, std::array{3, 32, 1, 1}, std::array{4, 7, 1, 1},
        std::array{16, 16, 1, 0}, std::array{5, 33, 1, 0}, std::array{90, 70, 1, 0},
        std::array{130, 48, 1, 0}, std::array{37, 37, 37, 0}}) {
    for (int i = 0; i < 3; ++i) {
      const ConvSizes sizes = some_sizes(numbers, in, out, groups);
      for (const Isa isa : isas_that_pack()) {
        if (!has_nchwc_int8_conv(sizes, from_nchw != 0, isa)) continue;
        CAPTURE(in, out, groups, from_nchw, isa_name(isa));
        check_blocked(numbers, sizes, from_nchw != 0, {isa});
      }
    }
  }
}

/// Of dense weights in words of `weight_bytes`: 8 for the matrix products of aarch64.
class DenseReader : public WeightReader {
 public:
  DenseReader(const ConvSizes& sizes, bool from_nchw, const std::vector<std::uint8_t>& weights,
              std::uint8_t flip, std::int64_t weight_bytes)
      : sizes_(sizes), from_nchw_(from_nchw) {
    functions_.weight_bytes = weight_bytes;
    packed_ = test::bytes(int8_blocks(sizes.channels_out) *
                          DenseLayout(sizes, from_nchw, functions_).block_bytes());
    pack_dense(sizes, from_nchw, weights.data(), flip, functions_, packed_.as<std::uint8_t>());
  }
  void read(const WeightRange& range, std::int8_t* out) const override {
    read_dense(sizes_, from_nchw_, packed_.as<std::uint8_t>(), functions_, range, out);
  }

 private:
  const ConvSizes& sizes_;
  bool from_nchw_;
  NchwcInt8Functions functions_ = {};
  AlignedBuffer packed_;
};

TEST_CASE("weights are read back from words and from pairs of words") {
  test::RandomValues numbers(4);
  for (const auto& [in, out, from_nchw] :
       {std::array{3, 40, 1}, std::array{1, 16, 1}, std::array{37, 70, 0}, std::array{64, 33, 0}}) {
    for (const std::int64_t weight_bytes : {4, 8}) {
      CAPTURE(in, out, from_nchw, weight_bytes);
      const ConvSizes sizes = some_sizes(numbers, in, out, 1);
      const std::vector<std::uint8_t> weights = some_weights(numbers, sizes);
      const std::uint8_t flip = some_flip(numbers);
      check_reader(numbers, sizes, weights, flip,
                   DenseReader(sizes, from_nchw != 0, weights, flip, weight_bytes));
    }
  }
}

TEST_CASE("weights are read back from behind those of Winograd") {
  test::RandomValues numbers(3);
  for (const Isa isa : test::isas_here()) {
    const NchwcInt8Functions* functions = nchwc_int8_functions(isa);
    if (functions == nullptr || functions->winograd == nullptr) continue;
    for (const auto& [in, out] : {std::array{16, 16}, std::array{5, 33}, std::array{70, 20}}) {
      ConvSizes sizes = some_sizes(numbers, in, out, 1);
      sizes.kernel[1] = sizes.kernel[2] = 3;
      CAPTURE(in, out, isa_name(isa));
      check_blocked(numbers, sizes, false, {isa, true});
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
