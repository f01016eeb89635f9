// Operators on texts beyond ONNX's own, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/text/segment_ops.hpp"
#include "libcore/ops/contrib/text/string_functions.hpp"
#include "libcore/ops/contrib/text/string_regex.hpp"
#include "libcore/ops/contrib/text/string_tables.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry text_contrib_entries[] = {
    op_entry<extensions::Inverse>(),
    op_entry<extensions::MaskedFill>(),
    op_entry<extensions::NegPos>(),
    op_entry<extensions::RaggedTensorToDense>(),
    op_entry<extensions::RaggedTensorToSparse>(),
    op_entry<extensions::SegmentExtraction>(),
    op_entry<extensions::SegmentSum>(),
    op_entry<extensions::StringConcat>(),
    op_entry<extensions::StringECMARegexReplace>(),
    op_entry<extensions::StringECMARegexSplitWithOffsets>(),
    op_entry<extensions::StringEqual>({.set = {own_result_type}}),
    op_entry<extensions::StringJoin>(),
    op_entry<extensions::StringLength>(),
    op_entry<extensions::StringLower>({.set = {idempotent}}),
    op_entry<extensions::StringMapping>(),
    op_entry<extensions::StringRegexReplace>(),
    op_entry<extensions::StringRegexSplitWithOffsets>(),
    op_entry<extensions::StringSplit>(),
    op_entry<extensions::StringStrip>({.set = {idempotent}}),
    op_entry<extensions::StringToHashBucket>(),
    op_entry<extensions::StringToHashBucketFast>(),
    op_entry<extensions::StringToVector>(),
    op_entry<extensions::StringUpper>({.set = {idempotent}}),
    op_entry<extensions::VectorToString>(),
};

}  // namespace

std::span<const OpEntry> text_contrib_operators() {
  return text_contrib_entries;
}

}  // namespace ortool
