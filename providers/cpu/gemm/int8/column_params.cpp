// Per-column parameters of int8 products, filled when the zero points are known.
#include "providers/cpu/gemm/int8/column_params.hpp"

#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {

void set_int8_columns(Int8ColumnParams& lists, std::int64_t n, std::int64_t k,
                      const std::int32_t* sums, DataType type, std::uint8_t flip,
                      const std::uint8_t* given, std::int64_t count, std::int64_t first) {
  lists.has_zeros = false;
  for (std::int64_t i = 0; i < n; ++i) {
    lists.zeros[i] = flipped_zero(type, given, count > 1 ? (first + i) % count : 0, flip);
    lists.has_zeros = lists.has_zeros || lists.zeros[i] != 0;
    lists.terms[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) -
                                               static_cast<std::uint32_t>(k) *
                                                   static_cast<std::uint32_t>(lists.zeros[i]));
  }
}

void ConstantInt8Columns::make(const Tensor& b, std::uint8_t flip, bool has_zeros,
                               const Tensor* zeros, Isa isa, const CompileContext& context) {
  const Shape& shape = b.shape();
  const std::int64_t rank = shape.rank();
  if (rank == 0 || (rank > 2 && shape.product(0, rank - 2) != 1)) return;
  const std::int64_t n = rank == 1 ? 1 : shape[rank - 1];
  const std::int64_t k = rank == 1 ? shape[0] : shape[rank - 2];
  const std::int64_t list_bytes = bytes_of(DataType::int32, n);
  WorkspaceLayout packing;
  const std::int64_t panels_at = packing.add(packed_int8_matrix_bytes(k, n, isa));
  const std::int64_t sums_at = packing.add(list_bytes);
  panels =
      context.pack(packing.bytes(), {static_cast<std::int64_t>(isa), flip}, [&](std::byte* out) {
        pack_int8_matrix(k, n,
                         {.data = reinterpret_cast<const std::uint8_t*>(b.bytes()), .flip = flip},
                         isa, out + panels_at, reinterpret_cast<std::int32_t*>(out + sums_at));
      });
  packed = panels.data() + panels_at;
  sums = reinterpret_cast<const std::int32_t*>(panels.data() + sums_at);
  if (has_zeros && zeros == nullptr) return;
  WorkspaceLayout layout;
  const std::int64_t terms_at = layout.add(list_bytes);
  const std::int64_t zeros_at = layout.add(list_bytes);
  memory = AlignedBuffer(layout.bytes(), context.cap, "packed weights");
  const auto list = [&](std::int64_t at) {
    return reinterpret_cast<std::int32_t*>(memory.data() + at);
  };
  lists = {list(zeros_at), list(terms_at)};
  const auto* given = zeros != nullptr && zeros->element_count() > 0
                          ? reinterpret_cast<const std::uint8_t*>(zeros->bytes())
                          : nullptr;
  set_int8_columns(lists, n, k, sums, b.type(), flip, given,
                   zeros != nullptr ? zeros->element_count() : 0, 0);
}

}  // namespace ortool::cpu
