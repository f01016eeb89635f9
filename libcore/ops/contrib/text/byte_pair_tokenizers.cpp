// Schemas of the byte-pair tokenizers of ai.onnx.contrib, and how their tables are read.
#include "libcore/ops/contrib/text/byte_pair_tokenizers.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/ops/contrib_domain.hpp"

namespace ortool::extensions {
namespace {

constexpr std::int64_t most_padding = std::int64_t{1} << 31;

constexpr std::initializer_list<Formal> token_inputs = {{"input_text", "tensor(string)"}};
constexpr std::initializer_list<Formal> token_outputs = {
    {"input_ids", "tensor(int64)"},
    {"attention_mask", "tensor(int64)", Formal::Count::optional},
    {"offset_mapping", "tensor(int64)", Formal::Count::optional}};
constexpr std::initializer_list<AttributeSpec> token_attributes = {
    {"added_token", AttributeKind::string},
    {"merges", AttributeKind::string, true},
    {"model_name", AttributeKind::string},
    {"padding_length", AttributeKind::integer, false, -1},
    {"vocab", AttributeKind::string, true}};

/// Calls body(line) for the lines of a text, empty ones included but for one at the end.
template <typename Body>
void for_each_table_line(std::string_view text, Body body) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    body(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::int64_t read_id(std::string_view text, std::string_view attribute, std::int64_t most) {
  std::int64_t id = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, id);
  if (problem == std::errc() && stop == end && id >= 0 && id <= most) return id;
  throw Error(ErrorCode::invalid, format("attribute '{}' holds {} (expected a number from 0 to {})",
                                         attribute, quote(text), most));
}

}  // namespace

constinit const OpSchema GPT2Tokenizer::schema = {"GPT2Tokenizer",
                                                  extensions_domain,
                                                  {{.since = 1,
                                                    .inputs = token_inputs,
                                                    .outputs = token_outputs,
                                                    .attributes = token_attributes}}};

constinit const OpSchema CLIPTokenizer::schema = {"CLIPTokenizer",
                                                  extensions_domain,
                                                  {{.since = 1,
                                                    .inputs = token_inputs,
                                                    .outputs = token_outputs,
                                                    .attributes = token_attributes}}};

constinit const OpSchema RobertaTokenizer::schema = {"RobertaTokenizer",
                                                     extensions_domain,
                                                     {{.since = 1,
                                                       .inputs = token_inputs,
                                                       .outputs = token_outputs,
                                                       .attributes = token_attributes}}};

constinit const OpSchema SpmTokenizer::schema = {"SpmTokenizer",
                                                 extensions_domain,
                                                 {{.since = 1,
                                                   .inputs = token_inputs,
                                                   .outputs = token_outputs,
                                                   .attributes = token_attributes}}};

constinit const OpSchema BpeDecoder::schema = {
    "BpeDecoder",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"ids", "tensor(int64)"}},
      .outputs = {{"text", "tensor(string)"}},
      .attributes = {{"added_tokens", AttributeKind::string},
                     {"all_special_ids", AttributeKind::string},
                     {"bos_token", AttributeKind::string},
                     {"byte_decoder", AttributeKind::string, true},
                     {"en_normalization", AttributeKind::integer, false, 0},
                     {"eos_token", AttributeKind::string},
                     {"id_vocab", AttributeKind::string, true},
                     {"model_name", AttributeKind::string},
                     {"skip_special_tokens", AttributeKind::integer, false, 0},
                     {"unk_token", AttributeKind::string, false, "<|endoftext|>"},
                     {"whitespace_token", AttributeKind::integer, false, 0}}}}};

void BytePairTokenizer::read(AttributeReader& attributes, int) {
  vocabulary = attributes.string("vocab");
  merges = attributes.string("merges");
  const std::string more = attributes.string("added_token");
  for_each_table_line(more, [&](std::string_view line) {
    if (line.empty()) return;
    const std::size_t equal = std::min(line.rfind('='), line.size());
    added.emplace_back(line.substr(0, equal), read_id(line.substr(std::min(equal + 1, line.size())),
                                                      "added_token", INT32_MAX));
  });
  padding_length = attributes.integer_in("padding_length", -1, INT64_MIN, most_padding);
  attributes.ignore("model_name");
}

void BytePairTokenizer::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (shape) {
    if (shape->empty()) shape->emplace_back(1);
    shape->push_back(padding_length > 0 ? Dimension(padding_length) : context.unknown_dimension());
  }
  context.set_output(0, DataType::int64, shape);
  if (context.has_output(1)) context.set_output(1, DataType::int64, shape);
  if (!context.has_output(2)) return;
  if (shape) shape->emplace_back(2);
  context.set_output(2, DataType::int64, shape);
}

void BpeDecoder::read(AttributeReader& attributes, int) {
  for (const char* unused :
       {"bos_token", "eos_token", "en_normalization", "whitespace_token", "model_name"})
    attributes.ignore(unused);
  vocabulary = attributes.string("id_vocab");
  const std::string decoder = attributes.string("byte_decoder");
  for_each_table_line(decoder, [&](std::string_view line) {
    if (line.empty()) return;
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const std::int64_t code = read_id(line.substr(0, tab), "byte_decoder", 0x10ffff);
    const std::int64_t byte =
        read_id(line.substr(std::min(tab + 1, line.size())), "byte_decoder", 255);
    bytes.emplace_back(static_cast<std::uint32_t>(code), static_cast<std::uint8_t>(byte));
  });
  const std::string more = attributes.string("added_tokens");
  for_each_table_line(more, [&](std::string_view line) {
    if (line.empty()) return;
    const std::size_t tab = std::min(line.find('\t'), line.size());
    added.emplace_back(read_id(line.substr(0, tab), "added_tokens", INT32_MAX),
                       line.substr(std::min(tab + 1, line.size())));
  });
  const std::string ids = attributes.string("all_special_ids");
  for_each_table_line(ids, [&](std::string_view line) {
    if (!line.empty()) special.push_back(read_id(line, "all_special_ids", INT32_MAX));
  });
  unknown = attributes.string("unk_token", "<|endoftext|>");
  skips_special = attributes.flag("skip_special_tokens");
}

void BpeDecoder::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (shape && !shape->empty()) shape->pop_back();
  if (shape && shape->empty()) shape->emplace_back(1);
  context.set_output(0, DataType::string, std::move(shape));
}

}  // namespace ortool::extensions
