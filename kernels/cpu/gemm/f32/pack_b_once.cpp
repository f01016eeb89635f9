// GEMM packing in pieces of some columns, after which the pages of the file that held them go.
#include "kernels/cpu/gemm/f32/pack_b_once.hpp"

#include <algorithm>

#include "libcore/base/file/file.hpp"

namespace ortool::cpu {

void pack_b_once(std::int64_t k, std::int64_t n, const StridedMatrix& b, Isa isa, float* out,
                 Workers& workers) {
  const std::int64_t piece_bytes = (std::int64_t{1} << 20) * workers.count();
  const ColumnPanels panels = cut_columns(n, gemm_functions(isa));
  const std::int64_t panel_bytes = std::max<std::int64_t>(1, panels.width * k * 4);
  const std::int64_t piece = std::max<std::int64_t>(1, piece_bytes / panel_bytes) * panels.width;
  if (!b.transposed || n <= piece) return pack_b(k, n, b, isa, out, workers);
  for (std::int64_t first = 0; first < n;) {
    // A last piece of a single column would have a layout of its own.
    const std::int64_t end = n - first <= piece + 1 ? n : first + piece;
    const StridedMatrix part{b.data + first * b.stride, b.stride, true};
    pack_b(k, end - first, part, isa, out + first * k, workers);
    static_cast<void>(drop_pages({reinterpret_cast<const std::byte*>(part.data),
                                  static_cast<std::size_t>((end - first) * b.stride) * 4}));
    first = end;
  }
}

}  // namespace ortool::cpu
