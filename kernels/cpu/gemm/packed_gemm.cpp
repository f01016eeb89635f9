// GEMM with a packed right operand: calls the product for the operands and the kept weights.
#include "kernels/cpu/gemm/packed_gemm.hpp"

#include <array>

#include "kernels/cpu/gemm/bf16/gemm.hpp"
#include "kernels/cpu/gemm/fp16_weights/gemm.hpp"
#include "kernels/cpu/isa/built_features.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

bool is_bf16(GemmKind kind) {
  return has_16_bit_floats && kind.operands == Precision::bfloat16;
}

bool has_fp16_weights(GemmKind kind) {
  return has_16_bit_floats && kind.weights != DataType::float32;
}

}  // namespace

std::int64_t packed_b_bytes(std::int64_t k, std::int64_t n, GemmKind kind) {
  if (is_bf16(kind)) return packed_bf16_b_bytes(k, n);
  if (has_fp16_weights(kind)) return packed_fp16_b_bytes(k, n, kind.isa);
  return packed_b_bytes(k, n, kind.isa);
}

void pack_b(std::int64_t k, std::int64_t n, const StridedMatrix& b, GemmKind kind, std::byte* out,
            Workers& workers) {
  if (is_bf16(kind))
    return pack_bf16_b(k, n, b, kind.isa, reinterpret_cast<std::uint16_t*>(out), workers);
  if (has_fp16_weights(kind)) {
    return pack_fp16_b(k, n, b, kind.weights, kind.isa, reinterpret_cast<std::uint16_t*>(out),
                       workers);
  }
  pack_b(k, n, b, kind.isa, reinterpret_cast<float*>(out), workers);
}

std::int64_t gemm_workspace_bytes(const GemmSizes& sizes, GemmKind kind) {
  if (is_bf16(kind)) return bf16_gemm_workspace_bytes(sizes);
  if (has_fp16_weights(kind)) return 0;
  return gemm_workspace_bytes(sizes, kind.isa);
}

void gemm(const GemmSizes& sizes, const StridedMatrix& a, const std::byte* packed_b, float* c,
          std::int64_t c_stride, const Epilogue& epilogue, GemmKind kind, void* workspace,
          Workers& workers) {
  if (is_bf16(kind)) {
    const Bf16Columns whole[] = {
        {sizes.n, reinterpret_cast<const std::uint16_t*>(packed_b), c, c_stride}};
    return bf16_gemm(sizes, a, whole, epilogue, kind.isa, workspace, workers);
  }
  if (has_fp16_weights(kind)) {
    return fp16_gemm(sizes, a, reinterpret_cast<const std::uint16_t*>(packed_b), kind.weights, c,
                     c_stride, epilogue, kind.isa, workers);
  }
  gemm(sizes, a, reinterpret_cast<const float*>(packed_b), c, c_stride, epilogue, kind.isa,
       workspace, workers);
}

void gemm_columns(const GemmSizes& sizes, const StridedMatrix& a,
                  std::span<const GemmColumns> pieces, const Epilogue& epilogue, GemmKind kind,
                  void* workspace, Workers& workers) {
  if (has_fp16_weights(kind)) {
    std::int64_t column = 0;
    for (const GemmColumns& piece : pieces) {
      gemm({sizes.m, piece.count, sizes.k}, a, reinterpret_cast<const std::byte*>(piece.packed_b),
           piece.c, piece.count, epilogue_at(epilogue, 0, column), kind, workspace, workers);
      column += piece.count;
    }
    return;
  }
  if (!is_bf16(kind)) {
    gemm_columns(sizes, a, pieces, epilogue, kind.isa, workspace, workers);
    return;
  }
  ORTOOL_CHECK(pieces.size() <= max_gemm_columns);
  std::array<Bf16Columns, max_gemm_columns> placed;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const GemmColumns& piece = pieces[i];
    placed[i] = {piece.count, reinterpret_cast<const std::uint16_t*>(piece.packed_b), piece.c,
                 piece.count};
  }
  bf16_gemm(sizes, a, std::span(placed).first(pieces.size()), epilogue, kind.isa, workspace,
            workers);
}

}  // namespace ortool::cpu
