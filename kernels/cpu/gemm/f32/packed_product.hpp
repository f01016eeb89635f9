// Product of packed row panels and packed column panels, the common core of GEMM and convolution.
#pragma once

#include <cstdint>

#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/stop_token.hpp"

namespace ortool::cpu {

/// Sets the epilogue, which must outlive the tile, of a tile that starts at `row` and `column` of
/// the result.
inline void set_epilogue(GemmTile& tile, const Epilogue& epilogue, std::int64_t row,
                         std::int64_t column) {
  tile.epilogue = &epilogue;
  tile.added = added_at(epilogue, row, column);
  tile.residual = residual_at(epilogue, row, column);
}

/// `rows` partitioned into panels of nearly equal height, at most the microkernel's number of rows.
/// Heights are multiples of the microkernel's unit, but for the last.
struct RowPanels {
  std::int64_t count = 0;
  std::int64_t height = 0;  ///< of the panels after the first `taller`
  std::int64_t taller = 0;  ///< this many panels have one more unit
  std::int64_t unit = 1;
  std::int64_t all_rows = 0;

  std::int64_t first_row(std::int64_t panel) const {
    return panel * height + (panel < taller ? panel : taller) * unit;
  }
  std::int64_t rows(std::int64_t panel) const {
    return (panel + 1 < count ? first_row(panel + 1) : all_rows) - first_row(panel);
  }
  std::int64_t panel_of(std::int64_t row) const {
    const std::int64_t first_lower = taller * (height + unit);
    return row < first_lower ? row / (height + unit) : taller + (row - first_lower) / height;
  }
};

RowPanels cut_rows(std::int64_t rows, const GemmFunctions& functions);

/// Columns partitioned into panels of the microkernel's width; the last may have half of it.
/// `stored` includes the zero columns after the last.
struct ColumnPanels {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::int64_t columns = 0;
  std::int64_t stored = 0;

  std::int64_t first_column(std::int64_t panel) const { return panel * width; }
  std::int64_t columns_in(std::int64_t panel) const {
    return panel + 1 < count ? width : columns - panel * width;
  }
  std::int64_t stored_in(std::int64_t panel) const {
    return panel + 1 < count ? width : stored - panel * width;
  }
};

ColumnPanels cut_columns(std::int64_t columns, const GemmFunctions& functions);

/// A matrix in memory, with `stride` floats between stored rows; `transposed`: stored as its
/// transpose (k × m for a, n × k for b).
struct StridedMatrix {
  const float* data = nullptr;
  std::int64_t stride = 0;
  bool transposed = false;
};

/// Packs the rows of one panel at its place in `out`; `a` points to the first row of panel 0.
void pack_row_panel(const RowPanels& panels, std::int64_t panel, std::int64_t k,
                    const StridedMatrix& a, const GemmFunctions& functions, float* out);

/// Packs the columns of one panel at its place in `out`.
void pack_column_panel(const ColumnPanels& panels, std::int64_t panel, std::int64_t k,
                       const StridedMatrix& b, const GemmFunctions& functions, float* out);

/// Steps of k per block: a column panel of that depth fits the L1 cache.
constexpr std::int64_t max_panel_steps = 256;

/// Produces float columns on the fly, for a right operand stored in another format.
class ColumnPacker {
 public:
  virtual ~ColumnPacker() = default;
  /// Writes columns [column, column + stored) for steps [begin, end) of k, step by step, with zeros
  /// after the last column.
  virtual void make(std::int64_t column, std::int64_t stored, std::int64_t begin, std::int64_t end,
                    float* to) const = 0;
  /// Address to prefetch: what `make` reads for one half (0 or 1) of a panel's columns from step
  /// `begin` on.
  virtual const void* source(std::int64_t column, std::int64_t begin, std::int64_t half) const = 0;
  /// Bytes per step at that address.
  virtual std::int64_t source_step() const = 0;
};

/// A whole product; `multiply_panels` computes parts of it.
struct PanelProduct {
  const GemmFunctions* functions = nullptr;
  std::int64_t k = 0;
  RowPanels rows;
  ColumnPanels columns;
  const float* a = nullptr;   ///< panel p at first_row(p) * k, each k × rows(p); or unpacked rows
  std::int64_t a_stride = 0;  ///< 0: a is packed; else the row stride in floats
  const float* b = nullptr;   ///< panel p at first_column(p) * k, each k × stored_in(p)
  /// Replaces b, unless a is far; `made` has room for max_panel_steps × columns.width floats.
  const ColumnPacker* packer = nullptr;
  float* made = nullptr;
  float* c = nullptr;
  std::int64_t c_stride = 0;
  const Epilogue* epilogue = nullptr;
  /// Which operand is streamed from memory once and prefetched; the other one stays in cache.
  bool a_needs_prefetch = false;
  const StopToken* stop = nullptr;  ///< polled periodically; may be null
};

/// Multiplies row panels [row_begin, row_end) by column panels [column_begin, column_end). Sums run
/// over k in order, for any partition.
void multiply_panels(const PanelProduct& product, std::int64_t row_begin, std::int64_t row_end,
                     std::int64_t column_begin, std::int64_t column_end);

}  // namespace ortool::cpu
