// Elements that are not zero: which they are, how many, and where.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// marks[i] = in[i] is not zero; NaN is not, -0 is. `type` has whole bytes and is no float8.
void mark_non_zero(DataType type, const void* in, bool* marks, std::int64_t count,
                   Workers& workers);

std::int64_t count_marks(const bool* marks, std::int64_t count, Workers& workers);

/// The coordinates of the marked elements of a tensor of `shape` in their order: out is rank ×
/// `total`, which is what count_marks gives.
void positions_of_marks(const bool* marks, std::span<const std::int64_t> shape, std::int64_t total,
                        std::int64_t* out);

}  // namespace ortool::cpu
