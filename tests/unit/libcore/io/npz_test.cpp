// Archives of arrays: written, read back, and damaged in every byte.
#include "libcore/io/npz.hpp"

#include <catch2/catch.hpp>

#include "libcore/io/tensor_file.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/scratch_file.hpp"

using namespace ortool;

namespace {

using Tensors = std::vector<std::pair<std::string, Tensor>>;

Tensors two_tensors() {
  return {{"x", Tensor::of<float>(Shape{2, 2}, {1, 2, 3, 4})},
          {"layer/y:0", Tensor::of<std::int64_t>(Shape{3}, {7, 8, 9})}};
}

}  // namespace

TEST_CASE("an archive comes back under the same names, stored or packed") {
  for (const bool compress : {false, true}) {
    const test::ScratchFile file("a.npz");
    save_npz(file.path(), two_tensors(), compress);
    const NpzFile archive(file.path());
    CHECK(archive.names() == std::vector<std::string>{"x", "layer/y:0"});
    CHECK(archive.contains("x"));
    CHECK(element_as_double(archive.read("x"), 3) == 4);
    CHECK(element_as_int64(archive.read("layer/y:0"), 2) == 9);
  }
}

TEST_CASE("the same tensors give the same archive") {
  const test::ScratchFile a("a.npz");
  const test::ScratchFile b("b.npz");
  save_npz(a.path(), two_tensors(), true);
  save_npz(b.path(), two_tensors(), true);
  CHECK(a.read() == b.read());
}

TEST_CASE("large arrays are packed and read in pieces") {
  const test::ScratchFile file("a.npz");
  Tensor tensor(DataType::int32, Shape{1000003});
  for (std::int64_t i = 0; i < tensor.element_count(); ++i)
    tensor.mutable_data<std::int32_t>()[static_cast<std::size_t>(i)] =
        static_cast<std::int32_t>(i % 977);
  save_npz(file.path(), Tensors{{"x", tensor}}, true);
  const Tensor back = load_tensor_file(file.path());
  CHECK(element_as_int64(back, 1000002) == 1000002 % 977);
}

TEST_CASE("entries can be skipped, however many, without reading them all at once") {
  for (const bool compress : {false, true}) {
    const test::ScratchFile file("a.npz");
    Tensor tensor(DataType::int32, Shape{100000, 7});
    for (std::int64_t i = 0; i < tensor.element_count(); ++i)
      tensor.mutable_data<std::int32_t>()[static_cast<std::size_t>(i)] =
          static_cast<std::int32_t>(i);
    save_npz(file.path(), Tensors{{"x", tensor}, {"empty", Tensor(DataType::int32, Shape{3, 0})}},
             compress);
    const NpzFile archive(file.path());
    NpzRows rows = archive.open_rows("x");
    rows.skip(0);
    rows.skip(99997);
    CHECK(element_as_int64(rows.next(1), 0) == 99997 * 7);
    rows.skip(1);
    CHECK(element_as_int64(rows.next(1), 6) == 99999 * 7 + 6);
    NpzRows empty = archive.open_rows("empty");
    empty.skip(2);
    CHECK(empty.next(1).element_count() == 0);
  }
}

TEST_CASE("checksums tell arrays of the same shape apart") {
  const test::ScratchFile a("a.npz");
  const test::ScratchFile b("b.npz");
  const Tensors tensors = {{"x", Tensor::of<float>(Shape{2}, {1, 2})},
                           {"same", Tensor::of<float>(Shape{2}, {1, 2})},
                           {"other", Tensor::of<float>(Shape{2}, {1, 3})}};
  save_npz(a.path(), tensors);
  save_npz(b.path(), tensors, true);
  const NpzFile stored(a.path());
  CHECK(stored.checksum("x") == stored.checksum("same"));
  CHECK(stored.checksum("x") != stored.checksum("other"));
  CHECK(stored.checksum("other") == NpzFile(b.path()).checksum("other"));
  CHECK_THROWS_AS(stored.checksum("none"), Error);
}

TEST_CASE("a name that is not there is an error with the nearest") {
  const test::ScratchFile file("a.npz");
  save_npz(file.path(), Tensors{{"pixels", Tensor::scalar(1.0F)}});
  const NpzFile archive(file.path());
  try {
    archive.read("pixel");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK_THAT(error.hint(), Catch::Contains("'pixels'"));
  }
}

TEST_CASE("damage to any byte of an archive is an error or leaves the values right") {
  const test::ScratchFile file("a.npz");
  save_npz(file.path(), two_tensors(), true);
  const std::string good = file.read();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0xff);
    file.write(bad);
    INFO("byte " << i);
    try {
      const NpzFile archive(file.path());
      if (!archive.contains("x")) continue;
      const Tensor x = archive.read("x");
      CHECK(element_as_double(x, 3) == 4);
    } catch (const Error& error) {
      CHECK(error.message().size() < 400);
    }
  }
  for (std::size_t length = 0; length < good.size(); length += 7) {
    file.write(good.substr(0, length));
    CHECK_THROWS_AS(NpzFile(file.path()), Error);
  }
}

TEST_CASE("an entry that declares more than its bytes can hold is refused") {
  const test::ScratchFile file("a.npz");
  save_npz(file.path(), Tensors{{"x", Tensor::scalar(1.0F)}}, true);
  std::string bad = file.read();
  // The uncompressed size, in the local and the central header.
  const std::size_t local = bad.find("PK\3\4");
  const std::size_t central = bad.find("PK\1\2");
  REQUIRE(central != std::string::npos);
  for (const std::size_t place : {local + 22, central + 24}) {
    for (std::size_t i = 0; i < 4; ++i) bad[place + i] = i < 3 ? '\xff' : '\x7f';
  }
  file.write(bad);
  CHECK_THROWS_WITH(NpzFile(file.path()).read("x"), Catch::Contains("cannot hold"));
}

TEST_CASE("an array is read slice by slice, beside others, with its checksum at the end") {
  for (const bool compress : {false, true}) {
    const test::ScratchFile file("a.npz");
    Tensor numbers(DataType::int32, Shape{5, 3});
    for (std::int64_t i = 0; i < 15; ++i) set_element(numbers, i, i);
    save_npz(
        file.path(),
        Tensors{{"x", numbers}, {"s", Tensor::of_strings(Shape{5}, {"a", "b", "c", "d", "e"})}},
        compress);
    const NpzFile archive(file.path());
    NpzRows rows = archive.open_rows("x");
    NpzRows texts = archive.open_rows("s");
    CHECK(rows.shape() == Shape{5, 3});
    CHECK(element_as_int64(rows.next(2), 5) == 5);
    CHECK(texts.next(4).strings()[3] == "d");
    const Tensor rest = rows.next(3);
    CHECK(rest.shape() == Shape{3, 3});
    CHECK(element_as_int64(rest, 8) == 14);
    CHECK(texts.next(1).strings()[0] == "e");
  }
}

TEST_CASE("an array without rows is refused") {
  const test::ScratchFile file("a.npz");
  save_npz(file.path(), Tensors{{"x", Tensor::scalar(1.0F)}});
  const NpzFile archive(file.path());
  CHECK_THROWS_AS(archive.open_rows("x"), Error);
  CHECK_THROWS_AS(archive.open_rows("y"), Error);
}
