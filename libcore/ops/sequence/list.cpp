// The operators on sequences and optionals, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/sequence/concat_from_sequence.hpp"
#include "libcore/ops/sequence/optional_ops.hpp"
#include "libcore/ops/sequence/sequence_ops.hpp"
#include "libcore/ops/sequence/split_to_sequence.hpp"

namespace ortool {
namespace {

constexpr OpEntry sequence_entries[] = {
    op_entry<ConcatFromSequence>(), op_entry<Optional>(),        op_entry<OptionalGetElement>(),
    op_entry<OptionalHasElement>(), op_entry<SequenceAt>(),      op_entry<SequenceConstruct>(),
    op_entry<SequenceEmpty>(),      op_entry<SequenceErase>(),   op_entry<SequenceInsert>(),
    op_entry<SequenceLength>(),     op_entry<SplitToSequence>(),
};

}  // namespace

std::span<const OpEntry> sequence_operators() {
  return sequence_entries;
}

}  // namespace ortool
