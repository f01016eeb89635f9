// Scanner: tokenizer of the textual syntax, with positions for error messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ortool {

/// A number as written: an integer, or with a decimal point, an exponent, inf or nan.
struct NumberToken {
  std::string_view text;
  bool is_whole = false;
};

/// Whitespace and comments from '#' to the end of the line separate tokens. The text must outlive
/// the scanner. Functions that find something else than expected throw ErrorCode::invalid with line
/// and column.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end();
  /// The next character that is not whitespace, or 0.
  char peek();
  /// The next identifier, or empty; consumes nothing.
  std::string_view peek_word();
  bool next_is_number();
  bool next_is_name();

  bool accept(char wanted);
  bool accept(std::string_view wanted);
  void expect(char wanted);
  void expect(std::string_view wanted);

  /// Consumes an identifier.
  std::string_view word(std::string_view what);
  /// Consumes an identifier or a quoted name.
  std::string name(std::string_view what);
  /// Consumes a text in double quotes, with \" \\ \n \t \r and \xHH.
  std::string quoted(std::string_view what);
  NumberToken number();
  std::int64_t integer(std::string_view what);
  std::string_view rest() const { return text_.substr(position_); }

  [[noreturn]] void fail(std::string_view message) const;
  /// "LINE X expected, Y found".
  [[noreturn]] void fail_expected(std::string_view what);

 private:
  void skip_space();
  /// The end of a number that starts at `position_`; `position_` if there is none.
  std::size_t number_end(bool& is_whole) const;

  std::string_view text_;
  std::size_t position_ = 0;
};

/// Whether a name can be written without quotes.
bool is_plain_name(std::string_view name);
/// The name, in quotes if necessary.
std::string name_text(std::string_view name);
/// The text in quotes, with escapes.
std::string quoted_text(std::string_view text);

/// A number token as an integer or a float; nothing when it is out of range.
std::optional<std::int64_t> to_int64(const NumberToken& number);
std::optional<std::uint64_t> to_uint64(const NumberToken& number);
std::optional<double> to_double(const NumberToken& number);
std::optional<float> to_float(const NumberToken& number);

}  // namespace ortool
