// Weight store: data beyond the memory limit is kept in a file, with the same bytes.
#include "libcore/quantize/scheme/weight_store.hpp"

#include <filesystem>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/file/file.hpp"
#include "tests/support/scratch_file.hpp"

using namespace ortool;

namespace {

Tensor codes_from(std::int64_t count, int first) {
  Tensor tensor(DataType::int8, {count});
  const std::span<std::int8_t> data = tensor.mutable_data<std::int8_t>();
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<std::int8_t>((static_cast<int>(i) + first) % 100);
  return tensor;
}

bool lies_in_a_file(const Tensor& tensor) {
  return drop_pages({tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())});
}

}  // namespace

TEST_CASE("Levels beyond what memory should hold are put aside") {
  const test::ScratchFile place("unused");
  QuantizedWeightStore store(std::filesystem::path(place.path()).parent_path().string(), 1 << 20);
  std::vector<Tensor> kept;
  for (int i = 0; i < 4; ++i) kept.push_back(store.keep(codes_from(400000, i)));
  for (int i = 0; i < 4; ++i) {
    const Tensor& tensor = kept[static_cast<std::size_t>(i)];
    REQUIRE(lies_in_a_file(tensor) == (i >= 2));
    const Tensor expected = codes_from(400000, i);
    REQUIRE(std::equal(tensor.bytes(), tensor.bytes() + 400000, expected.bytes()));
  }
  REQUIRE(store.bytes_in_file() == 800000);
  REQUIRE_FALSE(lies_in_a_file(store.keep(codes_from(1000, 0))));
}

TEST_CASE("Where no file can be made levels stay in memory") {
  QuantizedWeightStore store("/nowhere/at/all", 0);
  const Tensor kept = store.keep(codes_from(400000, 3));
  REQUIRE_FALSE(lies_in_a_file(kept));
  REQUIRE(store.bytes_in_file() == 0);
}
