// Selection of nonzero elements: marking, counting and listing their positions (NonZero, Compress).
#pragma once

#include <cstdint>
#include <span>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// marks[i] = whether in[i] is nonzero; NaN is nonzero, -0 is not. `type` has whole bytes and is
/// not a float8 type.
void mark_non_zero(DataType type, const void* in, bool* marks, std::int64_t count,
                   Workers& workers);

std::int64_t count_marks(const bool* marks, std::int64_t count, Workers& workers);

/// The coordinates of the marked elements of a tensor of `shape`, in order: out is rank × `total`,
/// where `total` comes from count_marks.
void positions_of_marks(const bool* marks, std::span<const std::int64_t> shape, std::int64_t total,
                        std::int64_t* out);

}  // namespace ortool::cpu
