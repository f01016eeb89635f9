// The reduction operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/reduction/arg_extreme.hpp"
#include "libcore/ops/reduction/reduce.hpp"

namespace ortool {
namespace {

constexpr OpEntry reduction_entries[] = {
    op_entry<ArgMax>(),     op_entry<ArgMin>(),       op_entry<ReduceL1>(),
    op_entry<ReduceL2>(),   op_entry<ReduceLogSum>(), op_entry<ReduceLogSumExp>(),
    op_entry<ReduceMax>(),  op_entry<ReduceMean>(),   op_entry<ReduceMin>(),
    op_entry<ReduceProd>(), op_entry<ReduceSum>(),    op_entry<ReduceSumSquare>(),
};

}  // namespace

std::span<const OpEntry> reduction_operators() {
  return reduction_entries;
}

}  // namespace ortool
