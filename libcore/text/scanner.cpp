// Tokens of the textual syntax.
#include "libcore/text/scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool {
namespace {

bool is_letter(char each) {
  return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || each == '_';
}
bool is_digit(char each) {
  return each >= '0' && each <= '9';
}

int hex_digit(char each) {
  if (is_digit(each)) return each - '0';
  if (each >= 'a' && each <= 'f') return each - 'a' + 10;
  if (each >= 'A' && each <= 'F') return each - 'A' + 10;
  return -1;
}

/// The number without a leading plus sign, which from_chars does not accept.
std::string_view without_plus(std::string_view text) {
  return text.starts_with('+') ? text.substr(1) : text;
}

template <typename Number>
std::optional<Number> parse_all(std::string_view text) {
  text = without_plus(text);
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Overflow gives infinity and underflow zero, as in other decimal parsers.
template <typename Float>
std::optional<Float> parse_float(std::string_view text) {
  text = without_plus(text);
  Float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool is_small =
        text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    value = is_small ? Float{0} : std::numeric_limits<Float>::infinity();
    return text.starts_with('-') ? -value : value;
  }
  return error == std::errc() ? std::optional<Float>(value) : std::nullopt;
}

}  // namespace

void Scanner::skip_space() {
  while (position_ < text_.size()) {
    const char each = text_[position_];
    if (each == '#') {
      const std::size_t end = text_.find('\n', position_);
      position_ = end == std::string_view::npos ? text_.size() : end;
    } else if (each == ' ' || (each >= '\t' && each <= '\r')) {
      ++position_;
    } else {
      return;
    }
  }
}

bool Scanner::at_end() {
  skip_space();
  return position_ >= text_.size();
}

char Scanner::peek() {
  return at_end() ? '\0' : text_[position_];
}

std::string_view Scanner::peek_word() {
  if (!is_letter(peek())) return {};
  std::size_t end = position_;
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  return text_.substr(position_, end - position_);
}

std::size_t Scanner::number_end(bool& is_whole) const {
  std::size_t end = position_;
  const auto at = [&](std::size_t index) { return index < text_.size() ? text_[index] : '\0'; };
  if (at(end) == '-' || at(end) == '+') ++end;
  for (const std::string_view special : {"inf", "nan"}) {
    const std::size_t after = end + special.size();
    if (text_.substr(end, special.size()) == special && !is_letter(at(after)) &&
        !is_digit(at(after))) {
      is_whole = false;
      return after;
    }
  }
  std::size_t digits = 0;
  is_whole = true;
  for (; is_digit(at(end)); ++end) ++digits;
  if (at(end) == '.') {
    is_whole = false;
    for (++end; is_digit(at(end)); ++end) ++digits;
  }
  if (digits == 0) return position_;
  if (at(end) == 'e' || at(end) == 'E') {
    std::size_t exponent = end + 1;
    if (at(exponent) == '-' || at(exponent) == '+') ++exponent;
    if (is_digit(at(exponent))) {
      is_whole = false;
      for (end = exponent; is_digit(at(end));) ++end;
    }
  }
  return end;
}

bool Scanner::next_is_number() {
  bool is_whole = false;
  return !at_end() && number_end(is_whole) != position_;
}

bool Scanner::next_is_name() {
  return is_letter(peek()) || peek() == '"';
}

bool Scanner::accept(char wanted) {
  if (peek() != wanted) return false;
  ++position_;
  return true;
}

bool Scanner::accept(std::string_view wanted) {
  skip_space();
  if (text_.substr(position_, wanted.size()) != wanted) return false;
  position_ += wanted.size();
  return true;
}

void Scanner::expect(char wanted) {
  if (!accept(wanted)) fail_expected(std::string(1, '\'') + wanted + "'");
}

void Scanner::expect(std::string_view wanted) {
  if (!accept(wanted)) fail_expected(std::string("'").append(wanted).append("'"));
}

std::string_view Scanner::word(std::string_view what) {
  const std::string_view result = peek_word();
  if (result.empty()) fail_expected(what);
  position_ += result.size();
  return result;
}

std::string Scanner::name(std::string_view what) {
  return peek() == '"' ? quoted(what) : std::string(word(what));
}

std::string Scanner::quoted(std::string_view what) {
  if (!accept('"')) fail_expected(what);
  std::string result;
  for (;;) {
    if (position_ >= text_.size()) fail("a quoted string does not end");
    const char each = text_[position_++];
    if (each == '"') return result;
    if (each != '\\') {
      result += each;
      continue;
    }
    const char escaped = position_ < text_.size() ? text_[position_++] : '\0';
    switch (escaped) {
      case 'n':
        result += '\n';
        break;
      case 't':
        result += '\t';
        break;
      case 'r':
        result += '\r';
        break;
      case '"':
      case '\\':
      case '\'':
        result += escaped;
        break;
      case 'x': {
        const int high = position_ < text_.size() ? hex_digit(text_[position_]) : -1;
        const int low = position_ + 1 < text_.size() ? hex_digit(text_[position_ + 1]) : -1;
        if (high < 0 || low < 0) fail("two hexadecimal digits expected after \\x");
        result += static_cast<char>(high * 16 + low);
        position_ += 2;
        break;
      }
      default:
        fail("an unknown escape after '\\' in a string");
    }
  }
}

NumberToken Scanner::number() {
  bool is_whole = false;
  const std::size_t end = at_end() ? position_ : number_end(is_whole);
  if (end == position_) fail_expected("a number");
  const NumberToken token{text_.substr(position_, end - position_), is_whole};
  position_ = end;
  return token;
}

std::int64_t Scanner::integer(std::string_view what) {
  if (!next_is_number()) fail_expected(what);
  const NumberToken token = number();
  const auto value = token.is_whole ? to_int64(token) : std::nullopt;
  if (!value) fail(format("{} expected, {} found", what, token.text));
  return *value;
}

void Scanner::fail(std::string_view message) const {
  const std::string_view before = text_.substr(0, std::min(position_, text_.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  throw Error(ErrorCode::invalid, format("line {}, column {}: {}", line, column, message));
}

void Scanner::fail_expected(std::string_view what) {
  if (at_end()) fail(format("{} expected, but the text ends", what));
  std::string_view found = peek_word();
  bool is_whole = false;
  if (found.empty()) found = text_.substr(position_, number_end(is_whole) - position_);
  if (found.empty()) found = text_.substr(position_, 1);
  fail(format("{} expected, '{}' found", what, escape_control_characters(found.substr(0, 60))));
}

bool is_plain_name(std::string_view name) {
  if (name.empty() || !is_letter(name.front())) return false;
  if (!std::all_of(name.begin(), name.end(),
                   [](char each) { return is_letter(each) || is_digit(each); }))
    return false;
  constexpr std::string_view taken[] = {"seq", "optional", "map",   "sparse_tensor",
                                        "inf", "nan",      "opaque"};
  return std::find(std::begin(taken), std::end(taken), name) == std::end(taken) &&
         !data_type_from_name(name);
}

std::string name_text(std::string_view name) {
  return is_plain_name(name) ? std::string(name) : quoted_text(name);
}

std::string quoted_text(std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  std::string result = "\"";
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      result += '\\';
      result += each;
    } else if (each == '\n') {
      result += "\\n";
    } else if (each == '\t') {
      result += "\\t";
    } else if (each == '\r') {
      result += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += hex[byte >> 4];
      result += hex[byte & 15];
    } else {
      result += each;
    }
  }
  return result + '"';
}

std::optional<std::int64_t> to_int64(const NumberToken& number) {
  return parse_all<std::int64_t>(number.text);
}
std::optional<std::uint64_t> to_uint64(const NumberToken& number) {
  return parse_all<std::uint64_t>(number.text);
}
std::optional<double> to_double(const NumberToken& number) {
  return parse_float<double>(number.text);
}
std::optional<float> to_float(const NumberToken& number) {
  return parse_float<float>(number.text);
}

}  // namespace ortool
