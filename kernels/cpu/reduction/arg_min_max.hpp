// Where along an axis the largest or smallest element stands.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// A tensor seen as outer × axis × inner.
struct ArgExtremeSizes {
  std::int64_t outer = 1;
  std::int64_t axis = 1;  ///< at least 1
  std::int64_t inner = 1;
};

enum class ArgExtremeKind { largest, smallest };

/// Writes outer × inner positions along the axis: the first of several equal elements, or the last
/// where `takes_last`. NaN is more extreme than every number. `type` is a float, an integer of 8 to
/// 64 bits or bool. Slices are never cut.
void arg_extreme(ArgExtremeKind kind, bool takes_last, DataType type, const void* in,
                 std::int64_t* out, ArgExtremeSizes sizes, Workers& workers);

}  // namespace ortool::cpu
