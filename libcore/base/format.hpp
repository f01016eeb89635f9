// format("{} and {}", a, b): string formatting without fmt in headers; arguments become text first.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace ortool {

/// One argument of format(), converted to text.
class FormatArgument {
 public:
  FormatArgument(std::string_view text) : text_(text) {}
  FormatArgument(const std::string& text) : text_(text) {}
  FormatArgument(const char* text) : text_(text) {}
  FormatArgument(bool value) : text_(value ? "true" : "false") {}
  FormatArgument(char value) : text_(1, value) {}
  template <std::signed_integral T>
  FormatArgument(T value) : text_(std::to_string(static_cast<std::int64_t>(value))) {}
  template <std::unsigned_integral T>
  FormatArgument(T value) : text_(std::to_string(static_cast<std::uint64_t>(value))) {}
  FormatArgument(double value);
  FormatArgument(float value) : FormatArgument(static_cast<double>(value)) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Replaces each "{}" of `pattern` by the next argument. Numbers use their shortest exact form.
std::string format_list(std::string_view pattern, const FormatArgument* arguments,
                        std::size_t count);

template <typename... Arguments>
std::string format(std::string_view pattern, const Arguments&... arguments) {
  const FormatArgument list[] = {FormatArgument(arguments)..., FormatArgument("")};
  return format_list(pattern, list, sizeof...(arguments));
}

/// `text` with control characters escaped (\n, \x1b), for one-line messages.
std::string escape_control_characters(std::string_view text);

}  // namespace ortool
