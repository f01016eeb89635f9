// The operators that run graphs.

#include "libcore/ops/controlflow/if.hpp"
#include "libcore/ops/controlflow/loop.hpp"
#include "libcore/ops/controlflow/scan.hpp"
#include "libcore/ops/controlflow/sequence_map.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry controlflow_entries[] = {
    op_entry<If>(),
    op_entry<Loop>(),
    op_entry<Scan>(),
    op_entry<SequenceMap>(),
};

}  // namespace

std::span<const OpEntry> controlflow_operators() {
  return controlflow_entries;
}

}  // namespace ortool
