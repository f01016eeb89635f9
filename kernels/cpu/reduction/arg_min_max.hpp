// ArgMax and ArgMin: the position of the largest or smallest element along an axis.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// A tensor viewed as outer × axis × inner.
struct ArgExtremeSizes {
  std::int64_t outer = 1;
  std::int64_t axis = 1;  ///< at least 1
  std::int64_t inner = 1;
};

enum class ArgExtremeKind { largest, smallest };

/// Writes outer × inner positions along the axis: the first of several equal elements, or the last
/// with `takes_last`. NaN is more extreme than every number. `type` is floating-point, an integer
/// of 8 to 64 bits or bool. Slices are not split.
void arg_extreme(ArgExtremeKind kind, bool takes_last, DataType type, const void* in,
                 std::int64_t* out, ArgExtremeSizes sizes, Workers& workers);

}  // namespace ortool::cpu
