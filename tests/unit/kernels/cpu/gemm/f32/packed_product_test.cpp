// Row panels: partitions for microkernels of any number of rows.
#include "kernels/cpu/gemm/f32/packed_product.hpp"

#include <catch2/catch.hpp>

namespace ortool::cpu {
namespace {

TEST_CASE("row panels follow each other, and all but the last are whole units") {
  for (const std::int32_t unit : {1, 4}) {
    for (const std::int32_t most : {4, 12, 16}) {
      GemmFunctions functions = {};
      functions.max_rows = most;
      functions.row_unit = unit;
      for (std::int64_t rows = 0; rows <= 100; ++rows) {
        const RowPanels panels = cut_rows(rows, functions);
        std::int64_t next = 0;
        bool is_right = true;
        for (std::int64_t panel = 0; panel < panels.count; ++panel) {
          const std::int64_t height = panels.rows(panel);
          is_right = is_right && panels.first_row(panel) == next && height >= 1 && height <= most;
          is_right = is_right && (panel + 1 == panels.count || height % unit == 0);
          is_right = is_right && panels.panel_of(next) == panel;
          is_right = is_right && panels.panel_of(next + height - 1) == panel;
          next += height;
        }
        INFO(rows << " rows, at most " << most << " a panel, in units of " << unit);
        REQUIRE(is_right);
        REQUIRE(next == rows);
      }
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
