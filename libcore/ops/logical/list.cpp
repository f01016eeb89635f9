// The logical operators, one line each, sorted by domain, then name.
#include "libcore/ops/logical/boolean.hpp"
#include "libcore/ops/logical/comparison.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry logical_entries[] = {
    op_entry<And>({.set = {elementwise, commutative}, .neutral = 1}),
    op_entry<Equal>({.set = {elementwise, commutative, infers_elements}}),
    op_entry<Greater>({.set = {elementwise}}),
    op_entry<GreaterOrEqual>({.set = {elementwise}}),
    op_entry<Less>({.set = {elementwise}}),
    op_entry<LessOrEqual>({.set = {elementwise}}),
    op_entry<Not>({.set = {elementwise}}),
    op_entry<Or>({.set = {elementwise, commutative}, .neutral = 0}),
    op_entry<Xor>({.set = {elementwise, commutative}, .neutral = 0}),
};

}  // namespace

std::span<const OpEntry> logical_operators() {
  return logical_entries;
}

}  // namespace ortool
