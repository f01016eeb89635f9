// The logical operators, one line each, sorted by domain, then name.
#include "libcore/ops/logical/boolean.hpp"
#include "libcore/ops/logical/comparison.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry logical_entries[] = {
    op_entry<And>(),  op_entry<Equal>(),       op_entry<Greater>(), op_entry<GreaterOrEqual>(),
    op_entry<Less>(), op_entry<LessOrEqual>(), op_entry<Not>(),     op_entry<Or>(),
    op_entry<Xor>(),
};

}  // namespace

std::span<const OpEntry> logical_operators() {
  return logical_entries;
}

}  // namespace ortool
