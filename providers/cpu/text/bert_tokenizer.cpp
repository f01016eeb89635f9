// Kernels for BERT's tokenizers in ai.onnx.contrib; vocabularies are indexed once a node.
#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/cpu/text/wordpiece.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/text/bert_tokenizers.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/text_values.hpp"
#include "providers/cpu/text/vocabulary.hpp"

namespace ortool::cpu {
namespace {

constexpr std::size_t most_bert_characters = 200;

WordRules word_rules(const extensions::BasicTokenizer& op) {
  return {.in_small_letters = op.in_small_letters,
          .splits_ideographs = op.splits_ideographs,
          .strips_accents = op.strips_accents,
          .splits_punctuation = op.splits_punctuation,
          .removes_controls = op.removes_controls};
}

/// The ids of a text, and the bytes that each comes from.
struct Encoding {
  std::vector<std::int64_t> ids;
  std::vector<std::pair<std::size_t, std::size_t>> places;

  void add(std::int64_t id, std::size_t begin = 0, std::size_t end = 0) {
    ids.push_back(id);
    places.emplace_back(begin, end);
  }
  void append(const Encoding& other) {
    ids.insert(ids.end(), other.ids.begin(), other.ids.end());
    places.insert(places.end(), other.places.begin(), other.places.end());
  }
  void keep_first(std::size_t count) {
    ids.resize(std::min(count, ids.size()));
    places.resize(ids.size());
  }
  void keep_last(std::size_t count) {
    if (count >= ids.size()) return;
    ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(count));
    places.erase(places.begin(), places.end() - static_cast<std::ptrdiff_t>(count));
  }
};

class BertEncoder {
 public:
  explicit BertEncoder(extensions::BertTokenizer op)
      : op_(std::move(op)),
        vocabulary_(ids_of_lines(op_.vocabulary), op_.prefix, most_bert_characters) {
    unknown_ = special(op_.unknown);
    separator_ = special(op_.separator);
    classification_ = special(op_.classification);
    op_.vocabulary.clear();
  }

  Encoding encode(std::string_view text, const Workers& workers) const {
    Encoding encoding;
    const std::vector<Word> words =
        op_.splits_words ? split_words(word_rules(op_.words), text) : split_at_spaces(text);
    for (const Word& word : words) {
      workers.poll();
      // Pieces count characters of the word, of which those with another length in the text are
      // few.
      const bool keeps_length = word.text.size() == word.end - word.begin;
      std::size_t at = word.begin;
      const bool is_known =
          vocabulary_.for_each_piece(word.text, [&](const std::string& piece, std::int64_t id) {
            const std::size_t bytes =
                piece.size() - (at == word.begin ? 0 : std::min(op_.prefix.size(), piece.size()));
            const std::size_t end = keeps_length ? std::min(at + bytes, word.end) : word.end;
            encoding.add(id, at, end);
            if (keeps_length) at = end;
          });
      if (!is_known) encoding.add(unknown_, at, word.end);
    }
    return encoding;
  }

  /// One text, or two, within the maximum length and with special tokens; `segments` has 1 for the
  /// second text.
  Encoding join(std::span<const std::string> texts, std::vector<std::int64_t>& segments,
                const Workers& workers) const {
    const bool has_two = texts.size() == 2;
    Encoding first = encode(texts[0], workers);
    Encoding second;
    if (has_two) {
      second = encode(texts[1], workers);
      if (op_.max_length > 3) truncate(first, second, static_cast<std::size_t>(op_.max_length) - 3);
    } else if (op_.max_length > 2) {
      first.keep_first(static_cast<std::size_t>(op_.max_length) - 2);
    }
    Encoding joined;
    joined.add(classification_);
    joined.append(first);
    joined.add(separator_);
    segments.assign(joined.ids.size(), 0);
    if (has_two) {
      joined.append(second);
      joined.add(separator_);
      segments.resize(joined.ids.size(), 1);
    }
    return joined;
  }

 private:
  void truncate(Encoding& first, Encoding& second, std::size_t most) const {
    using enum extensions::BertTokenizer::Truncation;
    const std::size_t a = first.ids.size();
    const std::size_t b = second.ids.size();
    if (a + b <= most) return;
    if (op_.truncation == only_first) return first.keep_first(most > b ? most - b : 0);
    if (op_.truncation == only_second) return second.keep_first(most > a ? most - a : 0);
    const std::size_t half = most / 2;
    const std::size_t kept_a = b <= half ? most - b : std::min(a, most - half);
    const std::size_t kept_b = most - kept_a;
    if (op_.truncation == longest_first) {
      first.keep_first(kept_a);
      second.keep_first(kept_b);
    } else {
      first.keep_last(kept_a);
      second.keep_last(kept_b);
    }
  }
  std::int64_t special(const std::string& token) const {
    const std::int64_t* id = vocabulary_.find(token);
    if (id != nullptr) return *id;
    throw Error(ErrorCode::invalid, format("the vocabulary lacks the token '{}'", token));
  }

  extensions::BertTokenizer op_;
  WordpieceVocabulary vocabulary_;
  std::int64_t unknown_ = 0;
  std::int64_t separator_ = 0;
  std::int64_t classification_ = 0;
};

void check_text_count(std::size_t found, std::size_t least, std::size_t most) {
  if (found >= least && found <= most) return;
  throw Error(ErrorCode::invalid, format("the input holds {} texts (expected {})", found,
                                         least == most ? "2" : "1 or 2"));
}

KernelPtr compile_bert_tokenizer(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  const auto encoder =
      std::make_shared<const BertEncoder>(read_op<extensions::BertTokenizer>(view.node()));
  return make_dynamic_kernel(row.name, [encoder](DynamicContext& context) {
    check_text_count(context.input(0).strings().size(), 1, 2);
    std::vector<std::int64_t> segments;
    const Encoding encoding =
        encoder->join(context.input(0).strings(), segments, context.workers());
    const auto count = static_cast<std::int64_t>(segments.size());
    context.set_output(0, integer_tensor(context, Shape{count}, encoding.ids));
    context.set_output(1, integer_tensor(context, Shape{count}, segments));
    context.set_output(
        2, integer_tensor(context, Shape{count}, std::vector<std::int64_t>(segments.size(), 1)));
    if (!context.has_output(3)) return;
    std::vector<std::int64_t> places;
    for (const auto& [begin, end] : encoding.places) {
      places.push_back(static_cast<std::int64_t>(begin));
      places.push_back(static_cast<std::int64_t>(end));
    }
    context.set_output(3, integer_tensor(context, Shape{count, 2}, places));
  });
}

KernelPtr compile_hf_bert_tokenizer(const NodeView& view, const KernelRow& row,
                                    const CompileContext&) {
  const auto encoder =
      std::make_shared<const BertEncoder>(read_op<extensions::HfBertTokenizer>(view.node()));
  return make_dynamic_kernel(row.name, [encoder](DynamicContext& context) {
    check_text_count(context.input(0).strings().size(), 2, 2);
    std::vector<std::int64_t> segments;
    const Encoding encoding =
        encoder->join(context.input(0).strings(), segments, context.workers());
    const Shape shape{1, static_cast<std::int64_t>(segments.size())};
    context.set_output(0, integer_tensor(context, shape, encoding.ids));
    context.set_output(
        1, integer_tensor(context, shape, std::vector<std::int64_t>(segments.size(), 1)));
    if (context.has_output(2)) context.set_output(2, integer_tensor(context, shape, segments));
  });
}

KernelPtr compile_basic_tokenizer(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  const WordRules rules = word_rules(read_op<extensions::BasicTokenizer>(view.node()));
  return make_dynamic_kernel(row.name, [rules](DynamicContext& context) {
    TextList words(context);
    for (Word& word : split_words(rules, single_text(context, 0, "text")))
      words.add(std::move(word.text));
    context.set_output(0, words.take_row());
  });
}

/// The words at which rows begin: those given, or all.
std::vector<std::int64_t> first_words(const DynamicContext& context) {
  const std::span<const std::int64_t> given = context.input(1).data<std::int64_t>();
  std::vector<std::int64_t> firsts(given.begin(), given.end());
  if (!firsts.empty()) return firsts;
  for (std::int64_t i = 0; i < context.input(0).element_count(); ++i) firsts.push_back(i);
  return firsts;
}

KernelPtr compile_wordpiece_tokenizer(const NodeView& view, const KernelRow& row,
                                      const CompileContext&) {
  const auto op = read_op<extensions::WordpieceTokenizer>(view.node());
  const auto vocabulary = std::make_shared<const WordpieceVocabulary>(
      ids_of_json(op.vocabulary, "vocab"), op.prefix, static_cast<std::size_t>(op.most_characters));
  return make_dynamic_kernel(row.name, [vocabulary, unknown = op.unknown](DynamicContext& context) {
    const std::vector<std::int64_t> firsts = first_words(context);
    TextList pieces(context);
    std::vector<std::int64_t> rows;
    std::size_t next_row = 0;
    std::int64_t index = 0;
    for (const std::string& text : context.input(0).strings()) {
      if (next_row < firsts.size() && firsts[next_row] == index++) {
        rows.push_back(pieces.size());
        ++next_row;
      }
      for (const Word& word : split_at_spaces(text)) {
        context.workers().poll();
        const bool is_known = vocabulary->for_each_piece(
            word.text, [&](const std::string& piece, std::int64_t) { pieces.add(piece); });
        if (!is_known) pieces.add(unknown);
      }
    }
    rows.push_back(pieces.size());
    const auto count = static_cast<std::int64_t>(rows.size()) - 1;
    context.set_output(0, pieces.take_row());
    context.set_output(1, integer_tensor(context, Shape{count + 1}, rows));
    context.set_output(2, integer_tensor(context, Shape{count}, {rows.begin(), rows.end() - 1}));
    context.set_output(3, integer_tensor(context, Shape{count}, {rows.begin() + 1, rows.end()}));
  });
}

constexpr auto bert_tokenizer_rows =
    join_rows(portable_row("basic_tokenizer", "BasicTokenizer", "string", accepts_anything,
                           compile_basic_tokenizer, extensions_domain),
              portable_row("bert_tokenizer", "BertTokenizer", "string", accepts_anything,
                           compile_bert_tokenizer, extensions_domain),
              portable_row("hf_bert_tokenizer", "HfBertTokenizer", "string", accepts_anything,
                           compile_hf_bert_tokenizer, extensions_domain),
              portable_row("wordpiece_tokenizer", "WordpieceTokenizer", "string", accepts_anything,
                           compile_wordpiece_tokenizer, extensions_domain));

}  // namespace

std::span<const KernelRow> bert_tokenizer_kernels() {
  return bert_tokenizer_rows;
}

}  // namespace ortool::cpu
