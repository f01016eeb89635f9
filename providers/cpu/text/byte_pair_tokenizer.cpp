// Kernels for GPT2Tokenizer, CLIPTokenizer and RobertaTokenizer of ai.onnx.contrib; vocabularies
// and merges are indexed once a node.
#include <array>
#include <memory>
#include <optional>

#include "kernels/cpu/text/byte_pair.hpp"
#include "libcore/base/letter_case.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/text/byte_pair_tokenizers.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/encoded_rows.hpp"
#include "providers/cpu/text/pre_tokenizer.hpp"
#include "providers/cpu/text/special_tokens.hpp"
#include "providers/cpu/text/vocabulary.hpp"

namespace ortool::cpu {
namespace {

/// In what the tokenizers differ.
struct TokenizerKind {
  WordPattern pattern;
  const char* word_end;  ///< follows the last symbol of a word
  bool in_small_letters;
  const char* begin;  ///< before each text; null: none
  const char* end;
  const char* padding;  ///< null: the id 0
  const char* unknown;
  std::array<const char*, 4> special;  ///< found in texts as they are
};

constexpr TokenizerKind gpt2_kind = {
    WordPattern::gpt2, "", false, nullptr, nullptr, nullptr, "<|endoftext|>", {"<|endoftext|>"}};
constexpr TokenizerKind clip_kind = {WordPattern::clip,
                                     "</w>",
                                     true,
                                     "<|startoftext|>",
                                     "<|endoftext|>",
                                     "<|endoftext|>",
                                     "<|endoftext|>",
                                     {"<|startoftext|>", "<|endoftext|>"}};
constexpr TokenizerKind roberta_kind = {WordPattern::gpt2,
                                        "",
                                        false,
                                        "<s>",
                                        "</s>",
                                        "<pad>",
                                        "<unk>",
                                        {"<s>", "</s>", "<pad>", "<unk>"}};

class BytePairEncoder {
 public:
  BytePairEncoder(const extensions::BytePairTokenizer& op, const TokenizerKind& kind)
      : BytePairEncoder(op, kind, ids_of_json(op.vocabulary, "vocab")) {}

  std::int64_t padding() const { return padding_; }

  TokenRow encode(const std::string& given, const Workers& workers) const {
    TokenRow row;
    const std::string text =
        kind_.in_small_letters ? with_letter_case(given, LetterCase::lower) : given;
    if (begin_) row.add(*begin_, 0, 0);
    for (std::size_t at = 0; at < text.size();) {
      const auto [place, special] = special_.next(text, at);
      encode_words(text, at, place, row, workers);
      if (special == nullptr) break;
      row.add(special->second, place, place + special->first.size());
      at = place + special->first.size();
    }
    if (end_) row.add(*end_, 0, 0);
    return row;
  }

 private:
  BytePairEncoder(const extensions::BytePairTokenizer& op, const TokenizerKind& kind,
                  const TokenIds& ids)
      : kind_(kind),
        words_(kind.pattern),
        model_(ids, pairs_of_merges(op.merges), kind.word_end,
               find_id(ids, kind.unknown).value_or(0)),
        special_(op.added, ids, kind.special) {
    if (kind.begin != nullptr) begin_ = id_of(ids, kind.begin);
    if (kind.end != nullptr) end_ = id_of(ids, kind.end);
    if (kind.padding != nullptr) padding_ = id_of(ids, kind.padding);
  }

  void encode_words(std::string_view text, std::size_t begin, std::size_t end, TokenRow& row,
                    const Workers& workers) const {
    std::vector<TokenRange> tokens;
    for (const std::string_view word : words_.split(text.substr(begin, end - begin))) {
      workers.poll();
      tokens.clear();
      model_.encode(word, tokens);
      auto at = static_cast<std::size_t>(word.data() - text.data());
      for (const TokenRange& token : tokens) {
        row.add(token.id, at, at + token.bytes);
        at += token.bytes;
      }
    }
  }

  const TokenizerKind& kind_;
  PreTokenizer words_;
  BytePairModel model_;
  std::optional<std::int64_t> begin_;
  std::optional<std::int64_t> end_;
  std::int64_t padding_ = 0;
  SpecialTokens special_;
};

template <typename Op, const TokenizerKind& kind>
KernelPtr compile_byte_pair_tokenizer(const NodeView& view, const KernelRow& row,
                                      const CompileContext&) {
  const auto op = read_op<Op>(view.node());
  const auto encoder = std::make_shared<const BytePairEncoder>(op, kind);
  return make_dynamic_kernel(row.name,
                             [encoder, length = op.padding_length](DynamicContext& context) {
                               const auto encode = [&](const std::string& text) {
                                 return encoder->encode(text, context.workers());
                               };
                               encode_rows(context, length, encoder->padding(), encode);
                             });
}

constexpr auto byte_pair_tokenizer_rows =
    join_rows(portable_row("clip_tokenizer", "CLIPTokenizer", "string", accepts_anything,
                           compile_byte_pair_tokenizer<extensions::CLIPTokenizer, clip_kind>,
                           extensions_domain),
              portable_row("gpt2_tokenizer", "GPT2Tokenizer", "string", accepts_anything,
                           compile_byte_pair_tokenizer<extensions::GPT2Tokenizer, gpt2_kind>,
                           extensions_domain),
              portable_row("roberta_tokenizer", "RobertaTokenizer", "string", accepts_anything,
                           compile_byte_pair_tokenizer<extensions::RobertaTokenizer, roberta_kind>,
                           extensions_domain));

}  // namespace

std::span<const KernelRow> byte_pair_tokenizer_kernels() {
  return byte_pair_tokenizer_rows;
}

}  // namespace ortool::cpu
