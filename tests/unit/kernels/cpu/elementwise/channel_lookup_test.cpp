// Table lookups per channel against a loop, at every ISA level and in NCHWc.
#include "kernels/cpu/elementwise/channel_lookup.hpp"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

std::vector<std::uint8_t> random_bytes(std::int64_t count) {
  std::mt19937 random(3);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

std::uint8_t entry(const std::vector<std::uint8_t>& tables, std::int64_t channel,
                   std::uint8_t byte) {
  return tables[static_cast<std::size_t>(256 * channel + byte)];
}

TEST_CASE("each channel's bytes are looked up in its own table on every level") {
  Workers workers;
  for (const std::int64_t pixels : {0, 1, 63, 64, 65, 200}) {
    const ChannelLookupSizes sizes{2, 5, pixels};
    const std::vector<std::uint8_t> in = random_bytes(10 * pixels);
    const std::vector<std::uint8_t> tables = random_bytes(5 * 256);
    std::vector<std::uint8_t> expected;
    for (std::int64_t i = 0; i < 10 * pixels; ++i)
      expected.push_back(entry(tables, i / pixels % 5, in[static_cast<std::size_t>(i)]));
    for (const Isa isa : test::isas_here()) {
      std::vector<std::uint8_t> out(in.size());
      channel_lookup(sizes, in.data(), tables.data(), out.data(), isa, workers);
      CAPTURE(pixels, isa_name(isa));
      CHECK(out == expected);
    }
  }
}

TEST_CASE("lookups in blocks of channels take each lane's table, and any number of threads") {
  ThreadPool pool(3);
  Workers workers(pool, 3);
  const ChannelLookupSizes sizes{2, 21, 3000};
  const std::vector<std::uint8_t> in = random_bytes(2 * 32 * 3000);
  const std::vector<std::uint8_t> tables = random_bytes(21 * 256);
  std::vector<std::uint8_t> expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t channel = at / (16 * 3000) % 2 * 16 + at % 16;
    expected[i] = entry(tables, std::min<std::int64_t>(channel, 20), in[i]);
  }
  for (const Isa isa : test::isas_here()) {
    std::vector<std::uint8_t> out(in.size());
    channel_lookup_nchwc(sizes, in.data(), tables.data(), out.data(), isa, workers);
    CAPTURE(isa_name(isa));
    CHECK(out == expected);
  }
}

}  // namespace
}  // namespace ortool::cpu
