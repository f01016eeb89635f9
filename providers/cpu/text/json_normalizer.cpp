// Normalizers of tokenizer.json, each a function of texts.
#include "providers/cpu/text/json_normalizer.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/cpu/text/character_class.hpp"
#include "kernels/cpu/text/character_map.hpp"
#include "libcore/base/letter_case.hpp"
#include "libcore/base/utf8.hpp"
#include "providers/cpu/text/json_parts.hpp"
#include "providers/cpu/text/regex_split.hpp"

namespace ortool::cpu {
namespace {

/// Calls body(code, bytes) for each character; bytes that are no UTF-8 have the code U+FFFD.
template <typename Body>
void for_each_character(std::string_view text, Body body) {
  while (!text.empty()) {
    const Utf8Character next = read_utf8(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    body(next.bytes > 0 ? next.code : 0xfffdU, text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
}

std::string without_marks(std::string_view text) {
  std::string result;
  for_each_character(text, [&](std::uint32_t code, std::string_view) {
    if (!is_accent(code)) append_utf8(result, without_accents(code));
  });
  return result;
}

std::string stripped(std::string_view text, bool at_begin, bool at_end) {
  std::size_t begin = text.size();
  std::size_t end = 0;
  std::size_t at = 0;
  for_each_character(text, [&](std::uint32_t code, std::string_view bytes) {
    if (!is_space(code)) {
      begin = std::min(begin, at);
      end = at + bytes.size();
    }
    at += bytes.size();
  });
  if (!at_begin) begin = 0;
  if (!at_end) end = text.size();
  return std::string(begin < end ? text.substr(begin, end - begin) : std::string_view());
}

/// Composed and decomposed forms are equal for these texts; others need tables that are not here.
std::string unchanged_form(std::string text, const std::string& form) {
  for_each_character(text, [&](std::uint32_t code, std::string_view bytes) {
    const bool composes =
        is_accent(code) || (code >= 0x1100 && code < 0x1200) || (code >= 0xf900 && code < 0xfb00) ||
        (code >= 0x2f800 && code < 0x2fa20) || code == 0x2126 || code == 0x212a || code == 0x212b;
    if (form == "NFC" ? composes : code >= 0x80) {
      throw Error(ErrorCode::unsupported,
                  format("the text has the character {}, whose form {} is not supported",
                         quote(bytes), form),
                  "normalize texts before they are tokenized");
    }
  });
  return text;
}

/// The normalizer of BERT, for splitters of any kind.
std::string bert_normalized(std::string_view text, bool cleans, bool splits_ideographs,
                            bool strips_accents, bool in_small_letters) {
  std::string result;
  for_each_character(text, [&](std::uint32_t code, std::string_view) {
    if (cleans && (code == 0 || code == 0xfffd || is_control(code))) return;
    if (cleans && is_space(code)) code = ' ';
    const bool stands_alone = splits_ideographs && is_ideograph(code);
    if (stands_alone) result += ' ';
    append_utf8(result, code);
    if (stands_alone) result += ' ';
  });
  if (strips_accents) result = without_marks(result);
  return in_small_letters ? with_letter_case(result, LetterCase::lower) : result;
}

std::function<std::string(std::string)> bert_step(const Json& part) {
  const bool lower = flag_of(part, "lowercase", true);
  return [cleans = flag_of(part, "clean_text", true), lower,
          ideographs = flag_of(part, "handle_chinese_chars", true),
          accents = flag_of(part, "strip_accents", lower)](const std::string& text) {
    return bert_normalized(text, cleans, ideographs, accents, lower);
  };
}

std::function<std::string(std::string)> replace_step(const Json& part) {
  const Json* given = part.find("pattern");
  if (given == nullptr || !given->is_object()) fail_part("normalizer", "Replace");
  const Json* regex = given->find("Regex");
  const auto pattern = std::make_shared<const SplitPattern>(
      regex != nullptr && regex->is_text() ? regex->text()
                                           : literal_pattern(text_of(*given, "String")),
      SplitRule::isolated, false);
  return [pattern, content = text_of(part, "content")](const std::string& text) {
    return pattern->replaced(text, content);
  };
}

/// The bytes that a text in base 64 stands for.
std::string from_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned int count = 0;
  for (const char digit : text) {
    if (digit == '=') break;
    const std::size_t value = digits.find(digit);
    if (value == std::string_view::npos)
      throw Error(ErrorCode::invalid, "the character map of a normalizer is not in base 64");
    bits = (bits << 6U | static_cast<std::uint32_t>(value)) & 0xffffffU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xffU);
  }
  return bytes;
}

std::function<std::string(std::string)> step_of(const Json& part) {
  const std::string type = text_of(part, "type");
  if (type == "Lowercase")
    return [](const std::string& text) { return with_letter_case(text, LetterCase::lower); };
  if (type == "Prepend") {
    return [prefix = text_of(part, "prepend")](const std::string& text) {
      return text.empty() ? text : prefix + text;
    };
  }
  if (type == "Replace") return replace_step(part);
  if (type == "Strip") {
    return [begin = flag_of(part, "strip_left", true), end = flag_of(part, "strip_right", true)](
               const std::string& text) { return stripped(text, begin, end); };
  }
  if (type == "StripAccents") return [](const std::string& text) { return without_marks(text); };
  if (type == "BertNormalizer") return bert_step(part);
  if (type == "Precompiled") {
    const auto map =
        std::make_shared<const CharacterMap>(from_base64(text_of(part, "precompiled_charsmap")));
    return [map](const std::string& text) { return map->apply(text); };
  }
  if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD")
    return [type](std::string text) { return unchanged_form(std::move(text), type); };
  fail_part("normalizer", type);
}

}  // namespace

JsonNormalizer::JsonNormalizer(const Json* normalizer) {
  for (const Json* part : parts_of(normalizer, "normalizers"))
    steps_.push_back({step_of(*part), text_of(*part, "type") == "Strip"});
}

std::string JsonNormalizer::apply(std::string_view text) const {
  std::string result(text);
  for (const Step& step : steps_) result = step.apply(std::move(result));
  return result;
}

bool JsonNormalizer::keeps_begin(std::string_view text) const {
  std::string result(text);
  for (const Step& step : steps_) {
    std::string next = step.apply(result);
    if (step.strips && !result.starts_with(next)) return false;
    result = std::move(next);
  }
  return true;
}

}  // namespace ortool::cpu
