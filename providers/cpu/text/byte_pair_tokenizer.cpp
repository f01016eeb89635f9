// Kernels for GPT2Tokenizer, CLIPTokenizer and RobertaTokenizer of ai.onnx.contrib; vocabularies
// and merges are indexed once a node.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/cpu/text/byte_pair.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/letter_case.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/text/byte_pair_tokenizers.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/pre_tokenizer.hpp"
#include "providers/cpu/text/text_values.hpp"
#include "providers/cpu/text/vocabulary.hpp"

namespace ortool::cpu {
namespace {

/// In what the tokenizers differ.
struct TokenizerKind {
  WordPattern pattern;
  const char* word_end;                  ///< follows the last symbol of a word
  bool in_small_letters;
  const char* begin;                     ///< before each text; null: none
  const char* end;
  const char* padding;                   ///< null: the id 0
  const char* unknown;
  std::array<const char*, 4> special;    ///< found in texts as they are
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
constexpr TokenizerKind roberta_kind = {
    WordPattern::gpt2, "", false, "<s>", "</s>", "<pad>", "<unk>", {"<s>", "</s>", "<pad>", "<unk>"}};

/// The pairs of tokens in 'merges'.
std::vector<BytePairModel::Pair> read_merges(std::string_view text) {
  std::vector<BytePairModel::Pair> merges;
  bool is_first = true;
  for (const std::string& line : lines_of(text)) {
    if (std::exchange(is_first, false) && line.starts_with("#version")) continue;
    const std::size_t space = line.find(' ');
    const bool is_pair = space != std::string::npos && space > 0 && space + 1 < line.size() &&
                         line.find(' ', space + 1) == std::string::npos;
    if (!is_pair) {
      throw Error(ErrorCode::invalid,
                  format("attribute 'merges' has the line {} (expected two tokens with a space "
                         "between them)",
                         quote(line)));
    }
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return merges;
}

/// Ids of a text, and the bytes where each lies.
struct TokenRow {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> places;

  void add(std::int64_t id, std::size_t begin, std::size_t end) {
    ids.push_back(id);
    places.push_back(static_cast<std::int64_t>(begin));
    places.push_back(static_cast<std::int64_t>(end));
  }
};

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
      const auto [place, special] = next_special(text, at);
      encode_words(text, at, place, row, workers);
      if (special == nullptr) break;
      row.add(special->second, place, place + special->first.size());
      at = place + special->first.size();
    }
    if (end_) row.add(*end_, 0, 0);
    return row;
  }

 private:
  using SpecialToken = std::pair<std::string, std::int64_t>;

  BytePairEncoder(const extensions::BytePairTokenizer& op, const TokenizerKind& kind,
                  const TokenIds& ids)
      : kind_(kind),
        words_(kind.pattern),
        model_(ids, read_merges(op.merges), kind.word_end, find(ids, kind.unknown).value_or(0)) {
    if (kind.begin != nullptr) begin_ = id_of(ids, kind.begin);
    if (kind.end != nullptr) end_ = id_of(ids, kind.end);
    if (kind.padding != nullptr) padding_ = id_of(ids, kind.padding);
    special_ = op.added;
    for (const char* token : kind.special) {
      if (token == nullptr) continue;
      if (const auto id = find(ids, token)) special_.emplace_back(token, *id);
    }
    std::erase_if(special_, [](const SpecialToken& each) { return each.first.empty(); });
  }

  static std::optional<std::int64_t> find(const TokenIds& ids, const char* token) {
    const auto found = ids.find(token);
    return found == ids.end() ? std::nullopt : std::optional(found->second);
  }

  /// The first special token from `at` on, the longest of those at one place; null at the text's
  /// end if there is none.
  std::pair<std::size_t, const SpecialToken*> next_special(std::string_view text,
                                                           std::size_t at) const {
    std::size_t place = text.size();
    const SpecialToken* best = nullptr;
    for (const SpecialToken& token : special_) {
      const std::size_t found = text.substr(0, std::min(text.size(), place + token.first.size()))
                                    .find(token.first, at);
      const bool is_better = found < place || (found == place && best != nullptr &&
                                               token.first.size() > best->first.size());
      if (found == std::string_view::npos || !is_better) continue;
      place = found;
      best = &token;
    }
    return {place, best};
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
  std::vector<SpecialToken> special_;
};

void run_byte_pair_tokenizer(const BytePairEncoder& encoder, std::int64_t padding_length,
                             DynamicContext& context) {
  const Tensor& in = context.input(0);
  std::vector<TokenRow> rows;
  std::size_t length = 0;
  for (const std::string& text : in.strings()) {
    // A token takes 24 bytes of memory, and a byte of text makes one at most.
    check_room(context, multiply_sizes(static_cast<std::int64_t>(text.size()), 24), "tokens");
    rows.push_back(encoder.encode(text, context.workers()));
    length = std::max(length, rows.back().ids.size());
  }
  if (padding_length > 0) length = static_cast<std::size_t>(padding_length);
  std::vector<std::int64_t> shape(in.shape().begin(), in.shape().end());
  if (shape.empty()) shape.push_back(1);
  shape.push_back(static_cast<std::int64_t>(length));
  Tensor ids = context.make(DataType::int64, Shape(shape));
  Tensor mask = context.make(DataType::int64, Shape(shape));
  shape.push_back(2);
  Tensor places = context.has_output(2) ? context.make(DataType::int64, Shape(shape)) : Tensor();
  std::fill_n(ids.mutable_data<std::int64_t>().data(), ids.element_count(), encoder.padding());
  std::fill_n(mask.mutable_data<std::int64_t>().data(), mask.element_count(), 0);
  if (context.has_output(2))
    std::fill_n(places.mutable_data<std::int64_t>().data(), places.element_count(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t count = std::min(length, rows[i].ids.size());
    std::copy_n(rows[i].ids.data(), count, ids.mutable_data<std::int64_t>().data() + i * length);
    std::fill_n(mask.mutable_data<std::int64_t>().data() + i * length, count, 1);
    if (context.has_output(2)) {
      std::copy_n(rows[i].places.data(), count * 2,
                  places.mutable_data<std::int64_t>().data() + i * length * 2);
    }
  }
  context.set_output(0, std::move(ids));
  if (context.has_output(1)) context.set_output(1, std::move(mask));
  if (context.has_output(2)) context.set_output(2, std::move(places));
}

template <typename Op, const TokenizerKind& kind>
KernelPtr compile_byte_pair_tokenizer(const NodeView& view, const KernelRow& row,
                                      const CompileContext&) {
  const auto op = read_op<Op>(view.node());
  const auto encoder = std::make_shared<const BytePairEncoder>(op, kind);
  return make_dynamic_kernel(
      row.name, [encoder, length = op.padding_length](DynamicContext& context) {
        run_byte_pair_tokenizer(*encoder, length, context);
      });
}

constexpr auto byte_pair_tokenizer_rows = join_rows(
    portable_row("clip_tokenizer", "CLIPTokenizer", "string", accepts_anything,
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
