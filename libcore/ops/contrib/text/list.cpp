// Operators on texts beyond ONNX's own, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/text/bert_tokenizers.hpp"
#include "libcore/ops/contrib/text/byte_pair_tokenizers.hpp"
#include "libcore/ops/contrib/text/hf_json_tokenizer.hpp"
#include "libcore/ops/contrib/text/segment_ops.hpp"
#include "libcore/ops/contrib/text/sentencepiece.hpp"
#include "libcore/ops/contrib/text/string_functions.hpp"
#include "libcore/ops/contrib/text/string_regex.hpp"
#include "libcore/ops/contrib/text/string_tables.hpp"
#include "libcore/ops/contrib/text/tokenizer.hpp"
#include "libcore/ops/contrib/text/trie_tokenizer.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry text_contrib_entries[] = {
    op_entry<extensions::BasicTokenizer>(),
    op_entry<extensions::BertTokenizer>(),
    op_entry<extensions::BertTokenizerDecoder>(),
    op_entry<extensions::BpeDecoder>(),
    op_entry<extensions::CLIPTokenizer>(),
    op_entry<extensions::GPT2Tokenizer>(),
    op_entry<extensions::HfBertTokenizer>(),
    op_entry<extensions::HfJsonTokenizer>(),
    op_entry<extensions::Inverse>(),
    op_entry<extensions::MaskedFill>(),
    op_entry<extensions::NegPos>(),
    op_entry<extensions::RaggedTensorToDense>(),
    op_entry<extensions::RaggedTensorToSparse>(),
    op_entry<extensions::RobertaTokenizer>(),
    op_entry<extensions::SegmentExtraction>(),
    op_entry<extensions::SegmentSum>(),
    op_entry<extensions::SentencepieceDecoder>(),
    op_entry<extensions::SentencepieceTokenizer>(),
    op_entry<extensions::SpmTokenizer>(),
    op_entry<extensions::StringConcat>(),
    op_entry<extensions::StringECMARegexReplace>(),
    op_entry<extensions::StringECMARegexSplitWithOffsets>(),
    op_entry<extensions::StringEqual>({.set = {own_result_type}}),
    op_entry<extensions::StringJoin>(),
    op_entry<extensions::StringLength>(),
    op_entry<extensions::StringLower>({.set = {idempotent}}),
    op_entry<extensions::StringMapping>(),
    op_entry<extensions::StringRaggedTensorToDense>(),
    op_entry<extensions::StringRegexReplace>(),
    op_entry<extensions::StringRegexSplitWithOffsets>(),
    op_entry<extensions::StringSplit>(),
    op_entry<extensions::StringStrip>({.set = {idempotent}}),
    op_entry<extensions::StringToHashBucket>(),
    op_entry<extensions::StringToHashBucketFast>(),
    op_entry<extensions::StringToVector>(),
    op_entry<extensions::StringUpper>({.set = {idempotent}}),
    op_entry<extensions::TrieDetokenizer>(),
    op_entry<extensions::TrieTokenizer>(),
    op_entry<extensions::VectorToString>(),
    op_entry<extensions::WordpieceTokenizer>(),
    op_entry<Tokenizer>(),
};

}  // namespace

std::span<const OpEntry> text_contrib_operators() {
  return text_contrib_entries;
}

}  // namespace ortool
