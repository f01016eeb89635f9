// GEMM packing of weights in mapped files, whose pages are released meanwhile.
#pragma once

#include "kernels/cpu/gemm/f32/gemm.hpp"

namespace ortool::cpu {

/// pack_b of a matrix that is hardly read again. Of a transposed one in a mapped file, pages leave
/// memory as they are packed: a matrix and its packed copy are not in memory whole together.
void pack_b_once(std::int64_t k, std::int64_t n, const StridedMatrix& b, Isa isa, float* out,
                 Workers& workers);

}  // namespace ortool::cpu
