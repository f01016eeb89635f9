// Number parsing by std::from_chars on the complete text; accepts a leading plus sign.
#include "libcore/base/strings/parse_number.hpp"

#include <charconv>
#include <system_error>

namespace ortool {
namespace {

template <typename Number>
bool read_whole(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace

bool read_number(std::string_view text, double& number) {
  return read_whole(text, number);
}

bool read_integer(std::string_view text, std::int64_t& number) {
  return read_whole(text, number);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  if (text.empty()) return pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace ortool
