// Schemas, attributes and shapes of BERT's tokenizers in ai.onnx.contrib.
#include "libcore/ops/contrib/text/bert_tokenizers.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool::extensions {
namespace {

constexpr std::initializer_list<Formal> texts_input = {{"text", "tensor(string)"}};
constexpr std::initializer_list<AttributeSpec> bert_attributes = {
    {"cls_token", AttributeKind::string, false, "[CLS]"},
    {"do_basic_tokenize", AttributeKind::integer, false, 1},
    {"do_lower_case", AttributeKind::integer, false, 1},
    {"mask_token", AttributeKind::string, false, "[MASK]"},
    {"max_length", AttributeKind::integer, false, -1},
    {"pad_token", AttributeKind::string, false, "[PAD]"},
    {"remove_control_chars", AttributeKind::integer, false, 1},
    {"sep_token", AttributeKind::string, false, "[SEP]"},
    {"strip_accents", AttributeKind::integer, false, 0},
    {"suffix_indicator", AttributeKind::string, false, "##"},
    {"tokenize_chinese_chars", AttributeKind::integer, false, 1},
    {"tokenize_punctuation", AttributeKind::integer, false, 1},
    {"truncation_strategy_name", AttributeKind::string, false, "longest_first"},
    {"unk_token", AttributeKind::string, false, "[UNK]"},
    {"vocab_file", AttributeKind::string, true}};

}  // namespace

constinit const OpSchema BasicTokenizer::schema = {
    "BasicTokenizer",
    extensions_domain,
    {{.since = 1,
      .inputs = texts_input,
      .outputs = {{"tokens", "tensor(string)"}},
      .attributes = {{"do_lower_case", AttributeKind::integer, false, 1},
                     {"remove_control_chars", AttributeKind::integer, false, 1},
                     {"strip_accents", AttributeKind::integer, false, 0},
                     {"tokenize_chinese_chars", AttributeKind::integer, false, 1},
                     {"tokenize_punctuation", AttributeKind::integer, false, 0}}}}};

constinit const OpSchema BertTokenizer::schema = {
    "BertTokenizer",
    extensions_domain,
    {{.since = 1,
      .inputs = texts_input,
      .outputs = {{"input_ids", "tensor(int64)"},
                  {"token_type_ids", "tensor(int64)"},
                  {"attention_mask", "tensor(int64)"},
                  {"offset_mapping", "tensor(int64)", Formal::Count::optional}},
      .attributes = bert_attributes}}};

constinit const OpSchema HfBertTokenizer::schema = {
    "HfBertTokenizer",
    extensions_domain,
    {{.since = 1,
      .inputs = texts_input,
      .outputs = {{"input_ids", "tensor(int64)"},
                  {"attention_mask", "tensor(int64)"},
                  {"token_type_ids", "tensor(int64)", Formal::Count::optional}},
      .attributes = bert_attributes}}};

constinit const OpSchema WordpieceTokenizer::schema = {
    "WordpieceTokenizer",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"data", "tensor(string)"}, {"row_indices", "tensor(int64)"}},
      .outputs = {{"tokens", "tensor(string)"},
                  {"row_lengths", "tensor(int64)"},
                  {"row_begins", "tensor(int64)"},
                  {"row_ends", "tensor(int64)"}},
      .attributes = {{"max_input_chars_per_word", AttributeKind::integer, false, 200},
                     {"suffix_indicator", AttributeKind::string, true},
                     {"unknown_token", AttributeKind::string, true},
                     {"vocab", AttributeKind::string, true}}}}};

constinit const OpSchema BertTokenizerDecoder::schema = {
    "BertTokenizerDecoder",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"ids", "tensor(int64)"}, {"position", "tensor(int64)"}},
      .outputs = {{"str", "tensor(string)"}},
      .attributes = {{"clean_up_tokenization_spaces", AttributeKind::integer, false, 1},
                     {"cls_token", AttributeKind::string, false, "[CLS]"},
                     {"mask_token", AttributeKind::string, false, "[MASK]"},
                     {"pad_token", AttributeKind::string, false, "[PAD]"},
                     {"sep_token", AttributeKind::string, false, "[SEP]"},
                     {"skip_special_tokens", AttributeKind::integer, false, 0},
                     {"suffix_indicator", AttributeKind::string, false, "##"},
                     {"unk_token", AttributeKind::string, false, "[UNK]"},
                     {"use_indices", AttributeKind::integer, false, 0},
                     {"vocab_file", AttributeKind::string, true}}}}};

void BasicTokenizer::read(AttributeReader& attributes, int) {
  in_small_letters = attributes.flag("do_lower_case", true);
  splits_ideographs = attributes.flag("tokenize_chinese_chars", true);
  strips_accents = attributes.flag("strip_accents");
  splits_punctuation = attributes.flag("tokenize_punctuation");
  removes_controls = attributes.flag("remove_control_chars", true);
}

void BasicTokenizer::infer(InferContext& context) const {
  context.set_output(0, DataType::string, Dimensions{context.unknown_dimension()});
}

void BertTokenizer::read(AttributeReader& attributes, int) {
  vocabulary = attributes.string("vocab_file");
  unknown = attributes.string("unk_token", "[UNK]");
  separator = attributes.string("sep_token", "[SEP]");
  classification = attributes.string("cls_token", "[CLS]");
  prefix = attributes.string("suffix_indicator", "##");
  splits_words = attributes.flag("do_basic_tokenize", true);
  words.in_small_letters = attributes.flag("do_lower_case", true);
  words.splits_ideographs = attributes.flag("tokenize_chinese_chars", true);
  words.strips_accents = attributes.flag("strip_accents");
  // Punctuation always separates, and controls are always removed, whatever these say.
  for (const char* unused :
       {"tokenize_punctuation", "remove_control_chars", "pad_token", "mask_token"})
    attributes.ignore(unused);
  words.splits_punctuation = true;
  words.removes_controls = true;
  max_length = attributes.integer("max_length", -1);
  truncation = attributes.choice(
      "truncation_strategy_name",
      {"longest_first", "only_first", "only_second", "longest_from_back"}, truncation);
}

void BertTokenizer::infer(InferContext& context) const {
  const Dimension count = context.unknown_dimension();
  for (std::int64_t i = 0; i < 3; ++i)
    context.set_output(i, DataType::int64, Dimensions{count});
  if (context.has_output(3)) context.set_output(3, DataType::int64, Dimensions{count, 2});
}

void HfBertTokenizer::infer(InferContext& context) const {
  const Dimension count = context.unknown_dimension();
  for (std::int64_t i = 0; i < 3; ++i) {
    if (context.has_output(i)) context.set_output(i, DataType::int64, Dimensions{1, count});
  }
}

void WordpieceTokenizer::read(AttributeReader& attributes, int) {
  vocabulary = attributes.string("vocab");
  prefix = attributes.string("suffix_indicator");
  unknown = attributes.string("unknown_token");
  most_characters = attributes.integer_in("max_input_chars_per_word", 200, 0, INT64_MAX);
}

void WordpieceTokenizer::infer(InferContext& context) const {
  const Dimension rows = context.unknown_dimension();
  context.set_output(0, DataType::string, Dimensions{Dimension()});
  context.set_output(1, DataType::int64, Dimensions{rows + 1});
  context.set_output(2, DataType::int64, Dimensions{rows});
  context.set_output(3, DataType::int64, Dimensions{rows});
}

void BertTokenizerDecoder::read(AttributeReader& attributes, int) {
  vocabulary = attributes.string("vocab_file");
  unknown = attributes.string("unk_token", "[UNK]");
  separator = attributes.string("sep_token", "[SEP]");
  padding = attributes.string("pad_token", "[PAD]");
  classification = attributes.string("cls_token", "[CLS]");
  mask = attributes.string("mask_token", "[MASK]");
  prefix = attributes.string("suffix_indicator", "##");
  uses_ranges = attributes.flag("use_indices");
  skips_special = attributes.flag("skip_special_tokens");
  cleans_spaces = attributes.flag("clean_up_tokenization_spaces", true);
}

void BertTokenizerDecoder::infer(InferContext& context) const {
  if (uses_ranges && context.rank(1) == 2)
    check_dimension("the length of a range", dimension_at(context, 1, 1), 2);
  context.set_output(0, DataType::string,
                     Dimensions{uses_ranges ? dimension_at(context, 1, 0) : Dimension(1)});
}

}  // namespace ortool::extensions
