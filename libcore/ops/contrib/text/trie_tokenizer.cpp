// Schemas of RWKV's tokenizer, and how its vocabulary of Python literals is read.
#include "libcore/ops/contrib/text/trie_tokenizer.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/utf8.hpp"
#include "libcore/ops/contrib_domain.hpp"

namespace ortool::extensions {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text, int base) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number, base);
  if (problem != std::errc() || stop != end || text.empty()) return std::nullopt;
  return number;
}

void append_character(std::string& text, std::int64_t code) {
  const auto put = [&](std::int64_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

/// Takes an escape sequence behind its backslash from `rest`; false if it is none.
bool take_escape(std::string_view& rest, bool are_bytes, std::string& text) {
  constexpr std::string_view names = "ntr\\'\"abfv0";
  constexpr std::string_view meanings("\n\t\r\\'\"\a\b\f\v\0", 11);
  const char kind = rest.front();
  rest.remove_prefix(1);
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  if (digits == 0) {
    const std::size_t at = names.find(kind);
    if (at == std::string_view::npos) return false;
    text += meanings[at];
    return true;
  }
  const auto code = whole_number(rest.substr(0, digits), 16);
  if (rest.size() < digits || !code || *code < 0 || *code > 0x10ffff) return false;
  rest.remove_prefix(digits);
  if (are_bytes) {
    text += static_cast<char>(*code);
  } else {
    append_character(text, *code);
  }
  return !are_bytes || digits == 2;
}

/// The text of a literal of Python: 'text', "text" or b'bytes'.
std::optional<std::string> literal_text(std::string_view literal) {
  const bool are_bytes = literal.starts_with('b');
  if (are_bytes) literal.remove_prefix(1);
  if (literal.size() < 2 || literal.front() != literal.back()) return std::nullopt;
  if (literal.front() != '\'' && literal.front() != '"') return std::nullopt;
  std::string_view rest = literal.substr(1, literal.size() - 2);
  std::string text;
  while (!rest.empty()) {
    const char next = rest.front();
    rest.remove_prefix(1);
    if (next != '\\') {
      text += next;
    } else if (rest.empty() || !take_escape(rest, are_bytes, text)) {
      return std::nullopt;
    }
  }
  return text;
}

std::vector<std::pair<std::int64_t, std::string>> read_tokens(AttributeReader& attributes) {
  std::vector<std::pair<std::int64_t, std::string>> tokens;
  const std::string vocabulary = attributes.string("vocab");
  std::string_view left = vocabulary;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::size_t first = std::min(line.find(' '), line.size());
    const std::size_t last = std::min(line.rfind(' '), line.size());
    std::optional<std::string> text;
    if (first < last) text = literal_text(line.substr(first + 1, last - first - 1));
    const auto id = whole_number(line.substr(0, first), 10);
    const auto size = first < last ? whole_number(line.substr(last + 1), 10) : std::nullopt;
    const bool is_entry = text && id && size && *id >= 1 && *id <= INT32_MAX && !text->empty() &&
                          *size == static_cast<std::int64_t>(text->size());
    if (!is_entry) {
      throw Error(ErrorCode::invalid,
                  format("attribute 'vocab' has the line {} (expected an id from 1 on, a token in "
                         "quotes as Python writes it, and the number of its bytes)",
                         quote(line)));
    }
    tokens.emplace_back(*id, std::move(*text));
  }
  return tokens;
}

constexpr std::initializer_list<AttributeSpec> trie_attributes = {
    {"vocab", AttributeKind::string, true}};

}  // namespace

constinit const OpSchema TrieTokenizer::schema = {"TrieTokenizer",
                                                  extensions_domain,
                                                  {{.since = 1,
                                                    .inputs = {{"str", "tensor(string)"}},
                                                    .outputs = {{"ids", "tensor(int64)"}},
                                                    .attributes = trie_attributes}}};

constinit const OpSchema TrieDetokenizer::schema = {"TrieDetokenizer",
                                                    extensions_domain,
                                                    {{.since = 1,
                                                      .inputs = {{"ids", "tensor(int64)"}},
                                                      .outputs = {{"str", "tensor(string)"}},
                                                      .attributes = trie_attributes}}};

void TrieTokenizer::read(AttributeReader& attributes, int) {
  tokens = read_tokens(attributes);
}

void TrieTokenizer::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (shape) shape->push_back(context.unknown_dimension());
  context.set_output(0, DataType::int64, std::move(shape));
}

void TrieDetokenizer::read(AttributeReader& attributes, int) {
  tokens = read_tokens(attributes);
}

void TrieDetokenizer::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (shape && !shape->empty()) shape->pop_back();
  if (shape && shape->empty()) shape->emplace_back(1);
  context.set_output(0, DataType::string, std::move(shape));
}

}  // namespace ortool::extensions
