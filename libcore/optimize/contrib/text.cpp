// Decomposition of com.microsoft.extensions' tokenizers, and of ImageDecoder: the same operators in
// other domains.
#include <string>
#include <vector>

#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

Results tokenizer(Decomposition& out) {
  return out.add_alike(out.node().op_type(), extensions_domain);
}

/// OpenCV's pixels are BGR, DecodeImage's too.
Results image_decoder(Decomposition& out) {
  return out.add_alike("DecodeImage", vision_extensions_domain);
}

constexpr DecompositionRow text_rows[] = {
    {"BasicTokenizer", tokenizer, 1, vision_extensions_domain},
    {"BertTokenizer", tokenizer, 4, vision_extensions_domain},
    {"BertTokenizerDecoder", tokenizer, 1, vision_extensions_domain},
    {"BpeDecoder", tokenizer, 1, vision_extensions_domain},
    {"CLIPTokenizer", tokenizer, 3, vision_extensions_domain},
    {"GPT2Tokenizer", tokenizer, 3, vision_extensions_domain},
    {"HfBertTokenizer", tokenizer, 4, vision_extensions_domain},
    {"HfJsonTokenizer", tokenizer, 3, vision_extensions_domain},
    {"ImageDecoder", image_decoder, 1, extensions_domain},
    {"RobertaTokenizer", tokenizer, 3, vision_extensions_domain},
    {"SentencepieceDecoder", tokenizer, 1, vision_extensions_domain},
    {"SentencepieceTokenizer", tokenizer, 4, vision_extensions_domain},
    {"SpmTokenizer", tokenizer, 3, vision_extensions_domain},
    {"TrieDetokenizer", tokenizer, 1, vision_extensions_domain},
    {"TrieTokenizer", tokenizer, 1, vision_extensions_domain},
    {"WordpieceTokenizer", tokenizer, 4, vision_extensions_domain},
};

}  // namespace

std::span<const DecompositionRow> text_decompositions() {
  return text_rows;
}

}  // namespace ortool
