// The reduction operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/reduction/arg_extreme.hpp"
#include "libcore/ops/reduction/reduce.hpp"

namespace ortool {
namespace {

using enum OpTrait;
using Role = QuantizeRole;

constexpr OpEntry reduction_entries[] = {
    op_entry<ArgMax>({.set = {nonnegative}}),
    op_entry<ArgMin>({.set = {nonnegative}}),
    op_entry<ReduceL1>(),
    op_entry<ReduceL2>(),
    op_entry<ReduceLogSum>(),
    op_entry<ReduceLogSumExp>(),
    op_entry<ReduceMax>({.set = {computes_in_float32, infers_elements}, .role = Role::move}),
    op_entry<ReduceMean>({.set = {scales_with_input, computes_in_float32}, .role = Role::mean}),
    op_entry<ReduceMin>({.set = {computes_in_float32, infers_elements}}),
    op_entry<ReduceProd>({.set = {infers_elements}}),
    op_entry<ReduceSum>({.set = {computes_in_float32}}),
    op_entry<ReduceSumSquare>(),
};

}  // namespace

std::span<const OpEntry> reduction_operators() {
  return reduction_entries;
}

}  // namespace ortool
