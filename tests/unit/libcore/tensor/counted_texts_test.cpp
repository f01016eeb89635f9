// String tensors that count against a memory cap.
#include "libcore/tensor/counted_texts.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/memory/memory_cap.hpp"

using namespace ortool;

TEST_CASE("Texts count as long as the tensor lives, also when they were set one by one") {
  MemoryCap cap(10000);
  {
    Tensor tensor(DataType::string, Shape{2}, &cap);
    const std::int64_t empty = cap.used_bytes();
    tensor.mutable_strings()[1] = std::string(4000, 'x');
    CHECK(cap.used_bytes() == empty);
    tensor = with_counted_texts(std::move(tensor), &cap);
    CHECK(cap.used_bytes() == empty + 4000);
    CHECK(tensor.strings()[1].size() == 4000);
    CHECK_THROWS_AS(Tensor::of_strings(Shape{1}, {std::string(9000, 'y')}, &cap), Error);
  }
  CHECK(cap.used_bytes() == 0);
}

TEST_CASE("A tensor of more strings than the cap allows is refused before they are made") {
  MemoryCap cap(1 << 20);
  CHECK_THROWS_AS(Tensor(DataType::string, Shape{std::int64_t{1} << 33}, &cap), Error);
  CHECK(cap.used_bytes() == 0);
}
