// The matrices of quantized products, as integer products read them.
#include "libcore/optimize/precision/quantized_product.hpp"

#include <array>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/file/file.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool {
namespace {

TEST_CASE("an int8 matrix of a file is transposed") {
  // The last one is read in several pieces.
  for (const auto& [rows, columns] :
       {std::array{1, 5}, std::array{64, 1}, std::array{130, 70}, std::array{700, 1000}}) {
    CAPTURE(rows, columns);
    std::string content;
    for (int i = 0; i < rows * columns; ++i) content += static_cast<char>(i * 7 % 251);
    const test::ScratchFile scratch("matrix", content);
    const MappedFile file = MappedFile::open(scratch.path());
    const Tensor matrix =
        Tensor::view(DataType::int8, Shape({rows, columns}), file.bytes(), file.owner());
    const Tensor found = transposed_bytes(matrix);
    REQUIRE(found.shape() == Shape({columns, rows}));
    bool is_same = true;
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < columns; ++k)
        is_same = is_same && found.bytes()[k * rows + i] == matrix.bytes()[i * columns + k];
    }
    CHECK(is_same);
  }
}

}  // namespace
}  // namespace ortool
