// Cache of oneDNN primitives: lookup by what they compute, and the limit on their number.
#include "providers/onednn/primitive_cache.hpp"

#include <catch2/catch.hpp>

#include "providers/onednn/onednn_provider.hpp"

using namespace ortool;

namespace {

onednn::ProductRequest product_of(std::int64_t rows) {
  onednn::ProductRequest request;
  request.m = rows;
  request.n = request.k = request.a_row = request.b_row = request.c_row = 4;
  return request;
}

}  // namespace

TEST_CASE("equal requests are served by one primitive, which computes what they ask for") {
  onednn::PrimitiveCache cache;
  const onednn::PrimitivePtr first = cache.product(product_of(2));
  REQUIRE(first != nullptr);
  CHECK(cache.product(product_of(2)) == first);
  CHECK(cache.product(product_of(3)) != first);
  CHECK(cache.size() == 2);
  const std::vector<float> a = {1, 2, 3, 4, 0, 0, 1, 0};
  const std::vector<float> b = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2};
  std::vector<float> c(8, -1.0F);
  std::vector<std::byte> scratch(static_cast<std::size_t>(first->scratch_bytes()) + 64);
  const void* operands[] = {a.data(), b.data(), c.data()};
  first->run(operands, scratch.data());
  CHECK(c == std::vector<float>{1, 2, 3, 8, 0, 0, 1, 0});
}

TEST_CASE("the cache of primitives stays within its bound, and keeps what was used last") {
  onednn::PrimitiveCache cache(3);
  const onednn::PrimitivePtr kept = cache.product(product_of(1));
  for (std::int64_t rows = 2; rows < 20; ++rows) {
    cache.product(product_of(rows));
    CHECK(cache.product(product_of(1)) == kept);
    CHECK(cache.size() <= 3);
  }
}

TEST_CASE("what oneDNN has nothing for is no primitive, and asked for once") {
  onednn::PrimitiveCache cache;
  onednn::PoolRequest request;
  request.channels = 16;
  request.in[1] = request.in[2] = 4;
  request.kernel[1] = request.kernel[2] = 2;
  request.pad[1] = 7;
  request.out[1] = request.out[2] = 3;
  CHECK(cache.pool(request) == nullptr);
  CHECK(cache.pool(request) == nullptr);
  CHECK(cache.size() == 1);
}
