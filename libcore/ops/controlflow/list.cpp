// The control-flow operators, one line each.

#include "libcore/ops/controlflow/if.hpp"
#include "libcore/ops/controlflow/loop.hpp"
#include "libcore/ops/controlflow/scan.hpp"
#include "libcore/ops/controlflow/sequence_map.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry controlflow_entries[] = {
    op_entry<If>({.set = {control_flow}}),
    op_entry<Loop>({.set = {control_flow}}),
    op_entry<Scan>({.set = {control_flow}}),
    op_entry<SequenceMap>({.set = {control_flow}}),
};

}  // namespace

std::span<const OpEntry> controlflow_operators() {
  return controlflow_entries;
}

}  // namespace ortool
