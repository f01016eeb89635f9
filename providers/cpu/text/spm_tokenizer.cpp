// Kernel for ai.onnx.contrib.SpmTokenizer: byte-pair encoding over the characters of a text, with
// bytes for those that the vocabulary lacks.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/text/byte_pair.hpp"
#include "libcore/base/utf8.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/text/byte_pair_tokenizers.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/text/encoded_rows.hpp"
#include "providers/cpu/text/regex_split.hpp"
#include "providers/cpu/text/special_tokens.hpp"
#include "providers/cpu/text/vocabulary.hpp"

namespace ortool::cpu {
namespace {

constexpr std::string_view space_mark = "\u2581";
constexpr const char* special_names[] = {"<unk>", "<s>", "</s>"};

/// Words of Llama 3.
constexpr std::string_view word_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

class SpmEncoder {
 public:
  explicit SpmEncoder(const extensions::SpmTokenizer& op)
      : ids_(with_bytes(ids_of_json(op.vocabulary, "vocab"))),
        unknown_(find_id(ids_, "<unk>").value_or(0)),
        begin_(id_of(ids_, "<s>")),
        model_(ids_, pairs_of_merges(op.merges), "", unknown_),
        special_(op.added, ids_, special_names),
        words_(word_pattern, SplitRule::isolated, false) {}

  std::int64_t padding() const { return unknown_; }

  TokenRow encode(std::string_view text, const Workers& workers) const {
    TokenRow row;
    row.add(begin_, 0, 0);
    for (std::size_t at = 0; at < text.size();) {
      const auto [place, special] = special_.next(text, at);
      if (place > at) encode_segment(text.substr(at, place - at), at, row, workers);
      if (special == nullptr) break;
      row.add(special->second, place, place + special->first.size());
      at = place + special->first.size();
    }
    return row;
  }

 private:
  /// With bytes as texts of their own where the vocabulary has them as "<0x41>" alone; merges name
  /// them so, too.
  static TokenIds with_bytes(TokenIds ids) {
    for (unsigned int byte = 0; byte < 256; ++byte) {
      if (const auto id = find_id(ids, token_of_byte(byte)))
        ids.try_emplace(std::string(1, static_cast<char>(byte)), *id);
    }
    return ids;
  }

  /// A text between special tokens, which begins at byte `first` of the whole. One that begins with
  /// a space is not split into words.
  void encode_segment(std::string_view segment, std::size_t first, TokenRow& row,
                      const Workers& workers) const {
    const std::string marked = std::string(space_mark) + std::string(segment);
    const bool is_one_word = segment.starts_with(' ');
    const std::vector<std::string_view> words =
        is_one_word ? std::vector<std::string_view>{marked} : words_.split(marked);
    std::vector<TokenRange> tokens;
    for (const std::string_view word : words) {
      workers.poll();
      tokens.clear();
      append_tokens(word, is_one_word, tokens);
      auto at = static_cast<std::size_t>(word.data() - marked.data());
      for (const TokenRange& token : tokens) {
        // The mark before the text has no bytes there.
        const std::size_t end = at + token.bytes;
        row.add(token.id, first + std::max(at, space_mark.size()) - space_mark.size(),
                first + std::max(end, space_mark.size()) - space_mark.size());
        at = end;
      }
    }
  }

  /// Tokens of a word, whose ranges count its bytes.
  void append_tokens(std::string_view word, bool is_segment,
                     std::vector<TokenRange>& tokens) const {
    if (!is_segment) {
      if (const auto id = find_id(ids_, with_marks(word))) {
        tokens.push_back({*id, word.size()});
        return;
      }
    }
    // As onnxruntime-extensions, merge no more than about a hundred symbols of a segment at a time,
    // and end early where words do.
    constexpr std::size_t few = 10;
    constexpr std::size_t many = 100;
    std::vector<TokenRange> symbols;
    bool was_blank = false;
    for (std::size_t at = 0; at < word.size();) {
      const Utf8Character next = read_utf8(word.substr(at));
      const std::string_view character = word.substr(at, std::max<std::size_t>(next.bytes, 1));
      const bool is_blank =
          character == " " || character == "\n" || character == "\r" || character == space_mark;
      const bool ends = symbols.size() > many || (symbols.size() > few && is_blank && !was_blank);
      if (is_segment && ends) {
        model_.merge(symbols, tokens);
        symbols.clear();
      }
      append_symbols(character, symbols);
      was_blank = is_blank;
      at += character.size();
    }
    model_.merge(symbols, tokens);
  }

  static std::string with_marks(std::string_view word) {
    std::string marked;
    for (const char each : word) {
      if (each == ' ') {
        marked += space_mark;
      } else {
        marked += each;
      }
    }
    return marked;
  }

  void append_symbols(std::string_view character, std::vector<TokenRange>& symbols) const {
    const std::string_view token = character == " " ? space_mark : character;
    if (const auto id = find_id(ids_, std::string(token))) {
      symbols.push_back({*id, character.size()});
      return;
    }
    for (const char byte : character)
      symbols.push_back({find_id(ids_, std::string(1, byte)).value_or(-1), 1});
  }

  TokenIds ids_;
  std::int64_t unknown_;
  std::int64_t begin_;
  BytePairModel model_;
  SpecialTokens special_;
  SplitPattern words_;
};

KernelPtr compile_spm_tokenizer(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<extensions::SpmTokenizer>(view.node());
  const auto encoder = std::make_shared<const SpmEncoder>(op);
  return make_dynamic_kernel(
      row.name, [encoder, length = op.padding_length](DynamicContext& context) {
        encode_rows(context, length, encoder->padding(), [&](const std::string& text) {
          return encoder->encode(text, context.workers());
        });
      });
}

constexpr auto spm_tokenizer_rows =
    portable_row("spm_tokenizer", "SpmTokenizer", "string", accepts_anything, compile_spm_tokenizer,
                 extensions_domain);

}  // namespace

std::span<const KernelRow> spm_tokenizer_kernels() {
  return spm_tokenizer_rows;
}

}  // namespace ortool::cpu
