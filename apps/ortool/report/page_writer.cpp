// HTML page writer: fills in a template, with the hashes of its content security policy.
#include "apps/ortool/report/page_writer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "libcore/base/sha256.hpp"
#include "libcore/base/strings/escape.hpp"

namespace ortool {
namespace {

/// Forwards JSON with `<`, `>` and `&` as \u escapes: in JSON they only occur in strings.
class MarkupFreeSink : public TextSink {
 public:
  explicit MarkupFreeSink(TextSink& out) : out_(out) {}

 private:
  void pass_on(std::string_view text) override {
    while (!text.empty()) {
      const std::size_t plain = std::min(text.find_first_of("<>&"), text.size());
      out_ += text.substr(0, plain);
      text.remove_prefix(plain);
      if (text.empty()) return;
      out_ += text.front() == '<' ? "\\u003c" : text.front() == '>' ? "\\u003e" : "\\u0026";
      text.remove_prefix(1);
    }
  }

  TextSink& out_;
};

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t word = static_cast<std::uint32_t>(bytes[i]) << 16U;
    if (left > 1) word |= static_cast<std::uint32_t>(bytes[i + 1]) << 8U;
    if (left > 2) word |= bytes[i + 2];
    text += digits[word >> 18U];
    text += digits[word >> 12U & 63U];
    text += left > 1 ? digits[word >> 6U & 63U] : '=';
    text += left > 2 ? digits[word & 63U] : '=';
  }
  return text;
}

/// The hash of a script or style in a content security policy: "sha256-…".
std::string policy_hash(std::string_view text) {
  const std::string digits = sha256_of(std::as_bytes(std::span(text.data(), text.size())));
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  }
  return "sha256-" + base64(bytes);
}

}  // namespace

void write_page(const PageParts& page, std::string_view title, const Json& document,
                TextSink& out) {
  std::string_view rest = page.markup;
  while (!rest.empty()) {
    const std::size_t mark = rest.find('@');
    out += rest.substr(0, mark);
    if (mark == std::string_view::npos) return;
    const std::size_t end = rest.find('@', mark + 1);
    const std::string_view name = rest.substr(mark + 1, end - mark - 1);
    rest.remove_prefix(end + 1);
    if (name == "TITLE") {
      out += escape_markup(valid_utf8(title));
    } else if (name == "STYLE") {
      out += page.style;
    } else if (name == "SCRIPT") {
      out += page.script;
    } else if (name == "STYLE_HASH") {
      out += policy_hash(page.style);
    } else if (name == "SCRIPT_HASH") {
      out += policy_hash(page.script);
    } else {
      MarkupFreeSink safe(out);
      document.write_compact(safe);
      safe.flush();
    }
  }
}

}  // namespace ortool
