// Pre-tokenizers of tokenizer.json, each a function that takes words apart.
#include "providers/cpu/text/json_pre_tokenizer.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include "kernels/cpu/text/byte_pair.hpp"
#include "providers/cpu/text/json_parts.hpp"
#include "providers/cpu/text/regex_split.hpp"

namespace ortool::cpu {
namespace {

constexpr std::string_view gpt2_words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view punctuation = R"([\pP$+<=>^`|~])";

SplitRule behavior_of(const Json& part, std::string_view otherwise) {
  const std::string name = text_of(part, "behavior", otherwise);
  if (name == "Removed") return SplitRule::removed;
  if (name == "Isolated") return SplitRule::isolated;
  if (name == "MergedWithPrevious") return SplitRule::merged_with_previous;
  if (name == "MergedWithNext") return SplitRule::merged_with_next;
  if (name == "Contiguous") return SplitRule::contiguous;
  fail_part("behavior", name);
}

std::shared_ptr<const SplitPattern> shared_pattern(std::string_view pattern, SplitRule behavior,
                                                   bool inverted = false) {
  return std::make_shared<const SplitPattern>(pattern, behavior, inverted);
}

void append_parts(const SplitPattern& pattern, std::string_view word,
                  JsonPreTokenizer::Words& words) {
  for (const std::string_view part : pattern.split(word)) words.emplace_back(part);
}

/// The characters that stand for bytes in vocabularies of bytes.
std::string in_byte_characters(std::string_view word) {
  static const std::vector<std::string> characters = [] {
    std::vector<std::string> all;
    for (unsigned int byte = 0; byte < 256; ++byte)
      all.push_back(character_of_byte(static_cast<unsigned char>(byte)));
    return all;
  }();
  std::string result;
  for (const char byte : word) result += characters[static_cast<unsigned char>(byte)];
  return result;
}

/// Words of a text with a character for spaces, which begins them.
void append_metaspace_words(const std::string& word, const std::string& space, bool prepends,
                            bool splits, JsonPreTokenizer::Words& words) {
  std::string marked;
  for (const char each : word) {
    if (each == ' ') {
      marked += space;
    } else {
      marked += each;
    }
  }
  if (prepends && !marked.starts_with(space)) marked.insert(0, space);
  if (!splits || space.empty()) {
    words.push_back(std::move(marked));
    return;
  }
  for (std::size_t begin = 0; begin < marked.size();) {
    const std::size_t end = std::min(marked.find(space, begin + space.size()), marked.size());
    words.push_back(marked.substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace

JsonPreTokenizer::Step JsonPreTokenizer::step_of(const Json& part) {
  const std::string type = text_of(part, "type");
  const auto split_by = [](std::shared_ptr<const SplitPattern> pattern) -> Step {
    return [pattern = std::move(pattern)](const std::string& word, bool, Words& words) {
      append_parts(*pattern, word, words);
    };
  };
  if (type == "ByteLevel") {
    const auto pattern = flag_of(part, "use_regex", true)
                             ? shared_pattern(gpt2_words, SplitRule::isolated)
                             : nullptr;
    return [pattern, adds_space = flag_of(part, "add_prefix_space", true)](std::string word, bool,
                                                                           Words& words) {
      if (adds_space && !word.starts_with(' ')) word.insert(0, " ");
      Words parts = {word};
      if (pattern != nullptr) {
        parts.clear();
        append_parts(*pattern, word, parts);
      }
      for (const std::string& each : parts) words.push_back(in_byte_characters(each));
    };
  }
  if (type == "Metaspace") {
    const std::string scheme = text_of(
        part, "prepend_scheme", flag_of(part, "add_prefix_space", true) ? "always" : "never");
    return
        [scheme, space = text_of(part, "replacement", "▁"), splits = flag_of(part, "split", true)](
            const std::string& word, bool is_first, Words& words) {
          const bool prepends = scheme == "always" || (scheme == "first" && is_first);
          append_metaspace_words(word, space, prepends, splits, words);
        };
  }
  if (type == "Split") {
    const Json* given = part.find("pattern");
    if (given == nullptr || !given->is_object()) fail_part("pre-tokenizer", type);
    const Json* regex = given->find("Regex");
    return split_by(shared_pattern(regex != nullptr && regex->is_text()
                                       ? regex->text()
                                       : literal_pattern(text_of(*given, "String")),
                                   behavior_of(part, "Isolated"), flag_of(part, "invert", false)));
  }
  if (type == "Digits") {
    return split_by(shared_pattern(R"(\pN)", flag_of(part, "individual_digits", false)
                                                 ? SplitRule::isolated
                                                 : SplitRule::contiguous));
  }
  if (type == "Punctuation")
    return split_by(shared_pattern(punctuation, behavior_of(part, "Isolated")));
  if (type == "WhitespaceSplit") return split_by(shared_pattern(R"(\s+)", SplitRule::removed));
  if (type == "Whitespace")
    return split_by(shared_pattern(R"(\w+|[^\w\s]+)", SplitRule::removed, true));
  if (type == "BertPreTokenizer") {
    return [spaces = shared_pattern(R"(\s+)", SplitRule::removed),
            marks = shared_pattern(punctuation, SplitRule::isolated)](const std::string& word, bool,
                                                                      Words& words) {
      for (const std::string_view each : spaces->split(word)) append_parts(*marks, each, words);
    };
  }
  fail_part("pre-tokenizer", type);
}

JsonPreTokenizer::JsonPreTokenizer(const Json* pre_tokenizer) {
  for (const Json* part : parts_of(pre_tokenizer, "pretokenizers"))
    steps_.push_back({step_of(*part), text_of(*part, "type") == "ByteLevel" ||
                                          text_of(*part, "type") == "Metaspace"});
}

JsonPreTokenizer::Words JsonPreTokenizer::split(std::string part, bool is_first) const {
  Words words = {std::move(part)};
  for (const NamedStep& step : steps_) {
    Words next;
    bool is_first_word = std::exchange(is_first, false);
    for (const std::string& word : words) {
      if (word.empty()) continue;
      step.apply(word, is_first_word, next);
      if (is_first_word) is_first = !next.empty() && (step.maps || word.starts_with(next.front()));
      is_first_word = false;
    }
    words = std::move(next);
  }
  return words;
}

}  // namespace ortool::cpu
