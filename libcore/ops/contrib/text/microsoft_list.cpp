// com.microsoft.extensions: the tokenizers that onnxruntime-extensions has in that domain besides
// ai.onnx.contrib, one line each, sorted by name.
#include <array>

#include "libcore/ops/contrib/text/bert_tokenizers.hpp"
#include "libcore/ops/contrib/text/byte_pair_tokenizers.hpp"
#include "libcore/ops/contrib/text/hf_json_tokenizer.hpp"
#include "libcore/ops/contrib/text/sentencepiece.hpp"
#include "libcore/ops/contrib/text/trie_tokenizer.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

template <typename Op>
OpEntry microsoft_entry() {
  static const OpSchema schema = {Op::schema.name, vision_extensions_domain, Op::schema.versions};
  OpEntry entry = op_entry<Op>();
  entry.schema = &schema;
  return entry;
}

}  // namespace

std::span<const OpEntry> microsoft_text_operators() {
  static const std::array<OpEntry, 15> entries = {
      microsoft_entry<extensions::BasicTokenizer>(),
      microsoft_entry<extensions::BertTokenizer>(),
      microsoft_entry<extensions::BertTokenizerDecoder>(),
      microsoft_entry<extensions::BpeDecoder>(),
      microsoft_entry<extensions::CLIPTokenizer>(),
      microsoft_entry<extensions::GPT2Tokenizer>(),
      microsoft_entry<extensions::HfBertTokenizer>(),
      microsoft_entry<extensions::HfJsonTokenizer>(),
      microsoft_entry<extensions::RobertaTokenizer>(),
      microsoft_entry<extensions::SentencepieceDecoder>(),
      microsoft_entry<extensions::SentencepieceTokenizer>(),
      microsoft_entry<extensions::SpmTokenizer>(),
      microsoft_entry<extensions::TrieDetokenizer>(),
      microsoft_entry<extensions::TrieTokenizer>(),
      microsoft_entry<extensions::WordpieceTokenizer>(),
  };
  return entries;
}

}  // namespace ortool
