// Tensors: ownership, views and checked access.
#include "libcore/tensor/tensor.hpp"

#include <cstring>

#include <catch2/catch.hpp>

#include "libcore/base/memory/memory_cap.hpp"

using ortool::DataType;
using ortool::Error;
using ortool::MemoryCap;
using ortool::Shape;
using ortool::Tensor;

TEST_CASE("A tensor holds its values in row-major order") {
  const Tensor tensor = Tensor::of<float>(Shape{2, 2}, {1, 2, 3, 4});
  CHECK(tensor.type() == DataType::float32);
  CHECK(tensor.size_bytes() == 16);
  CHECK(tensor.data<float>()[2] == 3);
}

TEST_CASE("Packed types round their bytes up") {
  CHECK(Tensor(DataType::int4, Shape{3}).size_bytes() == 2);
  CHECK(Tensor(DataType::uint2, Shape{5}).size_bytes() == 2);
}

TEST_CASE("A view must have exactly the bytes its shape takes") {
  const auto bytes = std::make_shared<std::vector<std::byte>>(16);
  CHECK_NOTHROW(Tensor::view(DataType::float32, Shape{4}, *bytes, bytes));
  CHECK_THROWS_WITH(Tensor::view(DataType::float32, Shape{5}, *bytes, bytes),
                    "16 bytes found where float32 of shape 5 requires 20");
}

TEST_CASE("An unaligned view is read through an aligned copy") {
  const auto bytes = std::make_shared<std::vector<std::byte>>(17);
  const float value = 2.5F;
  std::memcpy(bytes->data() + 1, &value, sizeof(value));
  const Tensor view =
      Tensor::view(DataType::float32, Shape{1}, std::span(*bytes).subspan(1, 4), bytes);
  CHECK_FALSE(view.is_aligned());
  CHECK(view.aligned().data<float>()[0] == 2.5F);
}

TEST_CASE("Reading a tensor as another type is refused") {
  const Tensor tensor = Tensor::of<float>(Shape{1}, {1});
  CHECK_THROWS_AS(tensor.data<std::int32_t>(), Error);
  CHECK_THROWS_AS(tensor.strings(), Error);
}

TEST_CASE("Tensors count against the cap as long as any copy lives") {
  MemoryCap cap(1000);
  {
    Tensor outer;
    {
      const Tensor inner(DataType::float32, Shape{100}, &cap);
      outer = inner.reshaped(Shape{10, 10});
    }
    CHECK(cap.used_bytes() == 400);
  }
  CHECK(cap.used_bytes() == 0);
  CHECK_THROWS_AS(Tensor(DataType::float32, Shape{1000}, &cap), Error);
}
