// Product of packed row panels and packed column panels, the common core of GEMM and convolution.
#include "kernels/cpu/gemm/f32/packed_product.hpp"

#include <algorithm>

#include "kernels/cpu/gemm/f32/epilogue.hpp"

namespace ortool::cpu {
namespace {

/// L2 budget: floats of all row panels processed at a time, half of the cache.
constexpr std::int64_t l2_floats = 256 * 1024;
/// Minimum number of floats that a tile prefetches per step of k, if several tiles share the work.
constexpr std::int64_t min_prefetch = 4;
constexpr std::int64_t line_floats = 16;

/// Parameters common to all tiles of one call.
struct TileContext {
  const PanelProduct& product;
  GemmTile tile;

  explicit TileContext(const PanelProduct& whole) : product(whole), tile() {
    tile.prefetch_stride = line_floats;
    tile.a_stride = whole.a_stride;
    tile.c_stride = whole.c_stride;
  }

  void set_k(std::int64_t begin, std::int64_t end) {
    tile.k = end - begin;
    tile.accumulate = begin > 0 ? 1 : 0;
    tile.finish = end == product.k ? 1 : 0;
  }

  const float* a_at(std::int64_t panel, std::int64_t k) const {
    if (product.a_stride != 0)
      return product.a + product.rows.first_row(panel) * product.a_stride + k;
    return product.a + product.rows.first_row(panel) * product.k + k * product.rows.rows(panel);
  }

  const float* b_at(std::int64_t panel, std::int64_t k) const {
    if (product.packer != nullptr) return product.made;
    return product.b + product.columns.first_column(panel) * product.k +
           k * product.columns.stored_in(panel);
  }

  void make_columns(std::int64_t panel, std::int64_t begin, std::int64_t end) const {
    if (product.packer == nullptr) return;
    product.packer->make(product.columns.first_column(panel), product.columns.stored_in(panel),
                         begin, end, product.made);
  }

  void run(std::int64_t row_panel, std::int64_t column_panel, std::int64_t k,
           const float* prefetch) {
    const GemmFunctions& functions = *product.functions;
    const std::int64_t row = product.rows.first_row(row_panel);
    const std::int64_t column = product.columns.first_column(column_panel);
    const std::int64_t stored = product.columns.stored_in(column_panel);
    tile.a = a_at(row_panel, k);
    tile.b = b_at(column_panel, k);
    tile.b_stride = stored;
    tile.rows = static_cast<std::int32_t>(product.rows.rows(row_panel));
    tile.columns = static_cast<std::int32_t>(product.columns.columns_in(column_panel));
    tile.wide = stored == product.columns.width ? 1 : 0;
    tile.c = product.c + row * product.c_stride + column;
    tile.prefetch = prefetch;
    set_epilogue(tile, *product.epilogue, row, column);
    if (functions.partial_columns == 1 || tile.columns == stored) {
      functions.tile(tile);
    } else {
      run_partial_tile(tile, functions);
    }
    if (tile.finish != 0) apply_activation(tile, functions);
  }
};

/// Row panels by column panels.
struct Part {
  std::int64_t row_begin;
  std::int64_t row_end;
  std::int64_t column_begin;
  std::int64_t column_end;
};

/// A range of k, split into `count` nearly equal parts.
struct KPartition {
  std::int64_t begin;
  std::int64_t size;
  std::int64_t count;

  KPartition(std::int64_t from, std::int64_t to, std::int64_t most)
      : begin(from), size(to - from), count(std::max<std::int64_t>(1, (size + most - 1) / most)) {}
  std::int64_t at(std::int64_t index) const { return begin + size * index / count; }
};

/// Multiplies each row panel by all column panels in turn and prefetches the next row panel.
void multiply_prefetched_rows(const PanelProduct& product, const Part& part) {
  TileContext context(product);
  const KPartition blocks(0, product.k, max_panel_steps);
  for (std::int64_t block = 0; block < blocks.count; ++block) {
    const std::int64_t begin = blocks.at(block);
    const std::int64_t end = blocks.at(block + 1);
    context.set_k(begin, end);
    for (std::int64_t row = part.row_begin; row < part.row_end; ++row) {
      if (product.stop != nullptr) product.stop->poll();
      const bool is_last = row + 1 == part.row_end;
      const std::int64_t after = std::min(row + 1, product.rows.count - 1);
      const float* next = is_last && block + 1 < blocks.count
                              ? context.a_at(part.row_begin, end)
                              : context.a_at(after, is_last ? 0 : begin);
      for (std::int64_t column = part.column_begin; column < part.column_end; ++column) {
        const bool is_first = column == part.column_begin;
        context.run(row, column, begin, is_first ? next : context.b_at(column, begin));
      }
    }
  }
}

/// Divides the prefetching of column panels among the tiles of the row panels.
class ColumnPrefetch {
 public:
  ColumnPrefetch(const TileContext& context, std::int64_t tiles) : context_(context) {
    const PanelProduct& product = context.product;
    const std::int64_t width = product.columns.width;
    stride_ = product.packer != nullptr
                  ? (product.packer->source_step() + 3) / static_cast<std::int64_t>(sizeof(float))
                  : std::max(min_prefetch, (width + tiles - 1) / std::max<std::int64_t>(1, tiles));
  }

  std::int64_t stride() const { return stride_; }

  /// Address that a tile of `steps` steps prefetches, for columns from step k on.
  const float* share(std::int64_t panel, std::int64_t k, std::int64_t tile,
                     std::int64_t steps) const {
    const PanelProduct& product = context_.product;
    if (product.packer == nullptr) return context_.b_at(panel, k) + tile * stride_ * steps;
    return static_cast<const float*>(
        product.packer->source(product.columns.first_column(panel), k, tile % 2));
  }

 private:
  const TileContext& context_;
  std::int64_t stride_;
};

/// Reads each column panel once, block by block, and multiplies each block by all row panels, whose
/// tiles share the prefetching of the next block.
void multiply_prefetched_columns(const PanelProduct& product, const Part& part) {
  TileContext context(product);
  const RowPanels& rows = product.rows;
  const std::int64_t height = rows.first_row(part.row_end) - rows.first_row(part.row_begin);
  const ColumnPrefetch column_prefetch(context, part.row_end - part.row_begin);
  context.tile.prefetch_stride = column_prefetch.stride();
  const KPartition k_ranges(
      0, product.k, std::max(max_panel_steps, l2_floats / std::max<std::int64_t>(1, height)));
  for (std::int64_t k_range = 0; k_range < k_ranges.count; ++k_range) {
    const KPartition blocks(k_ranges.at(k_range), k_ranges.at(k_range + 1), max_panel_steps);
    for (std::int64_t column = part.column_begin; column < part.column_end; ++column) {
      if (product.stop != nullptr) product.stop->poll();
      const std::int64_t after = std::min(column + 1, product.columns.count - 1);
      for (std::int64_t block = 0; block < blocks.count; ++block) {
        const std::int64_t begin = blocks.at(block);
        const std::int64_t end = blocks.at(block + 1);
        const bool is_last = block + 1 == blocks.count;
        context.set_k(begin, end);
        context.make_columns(column, begin, end);
        for (std::int64_t row = part.row_begin; row < part.row_end; ++row) {
          context.run(row, column, begin,
                      column_prefetch.share(is_last ? after : column, is_last ? blocks.begin : end,
                                            row - part.row_begin, end - begin));
        }
      }
    }
  }
}

}  // namespace

RowPanels cut_rows(std::int64_t rows, const GemmFunctions& functions) {
  RowPanels panels;
  if (rows <= 0) return panels;
  panels.unit = functions.row_unit;
  panels.all_rows = rows;
  const std::int64_t units = (rows + panels.unit - 1) / panels.unit;
  panels.count = (rows + functions.max_rows - 1) / functions.max_rows;
  panels.height = units / panels.count * panels.unit;
  panels.taller = units % panels.count;
  return panels;
}

ColumnPanels cut_columns(std::int64_t columns, const GemmFunctions& functions) {
  ColumnPanels panels;
  panels.width = functions.panel_columns;
  if (columns <= 0) return panels;
  const std::int64_t half = panels.width / 2;
  panels.columns = columns;
  panels.stored = (columns + half - 1) / half * half;
  panels.count = (columns + panels.width - 1) / panels.width;
  return panels;
}

void pack_row_panel(const RowPanels& panels, std::int64_t panel, std::int64_t k,
                    const StridedMatrix& a, const GemmFunctions& functions, float* out) {
  const std::int64_t first = panels.first_row(panel);
  const auto rows = static_cast<std::int32_t>(panels.rows(panel));
  float* to = out + first * k;
  if (a.transposed) {
    functions.pack_rows(a.data + first, a.stride, rows, rows, k, to);
  } else {
    functions.pack_transposed(a.data + first * a.stride, a.stride, rows, rows, k, to, rows);
  }
}

void pack_column_panel(const ColumnPanels& panels, std::int64_t panel, std::int64_t k,
                       const StridedMatrix& b, const GemmFunctions& functions, float* out) {
  const std::int64_t first = panels.first_column(panel);
  const auto columns = static_cast<std::int32_t>(panels.columns_in(panel));
  const auto stored = static_cast<std::int32_t>(panels.stored_in(panel));
  float* to = out + first * k;
  if (!b.transposed) {
    functions.pack_rows(b.data + first, b.stride, columns, stored, k, to);
    return;
  }
  constexpr std::int32_t most = 16;
  for (std::int32_t begin = 0; begin < stored; begin += most) {
    const std::int32_t width = std::min(most, stored - begin);
    const std::int32_t rows = std::clamp(columns - begin, 0, width);
    functions.pack_transposed(b.data + (first + begin) * b.stride, b.stride, rows, width, k,
                              to + begin, stored);
  }
}

void multiply_panels(const PanelProduct& product, std::int64_t row_begin, std::int64_t row_end,
                     std::int64_t column_begin, std::int64_t column_end) {
  const Part part = {row_begin, row_end, column_begin, column_end};
  if (product.a_needs_prefetch) {
    multiply_prefetched_rows(product, part);
  } else {
    multiply_prefetched_columns(product, part);
  }
}

}  // namespace ortool::cpu
