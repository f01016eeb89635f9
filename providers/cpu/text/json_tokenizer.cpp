// Tokenizers of Hugging Face: reading of the files, and the steps from a text to ids.
#include "providers/cpu/text/json_tokenizer.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cpu/text/character_class.hpp"
#include "libcore/base/utf8.hpp"
#include "providers/cpu/text/json_parts.hpp"

namespace ortool::cpu {
namespace {

Json parse_object(std::string_view text, const char* attribute) {
  const std::string name = format("attribute '{}'", attribute);
  if (text.empty()) return Json::object();
  Json document = parse_json(text, name);
  if (document.is_object()) return document;
  throw Error(ErrorCode::invalid, format("{} is not a JSON object", name));
}

const Json& model_of(const Json& document) {
  const Json* model = document.find("model");
  if (model != nullptr && model->is_object()) return *model;
  throw Error(ErrorCode::invalid, "attribute 'tokenizer_vocab' has no object 'model'",
              "it holds the content of tokenizer.json");
}

/// A token of tokenizer_config.json: a text, or an object with one.
std::string token_of(const Json& config, std::string_view key) {
  const Json* token = config.find(key);
  if (token != nullptr && token->is_object()) return text_of(*token, "content");
  return text_of(config, key);
}

bool is_word_character(std::uint32_t code) {
  if (code >= 0x80) return !is_space(code) && !is_punctuation(code);
  return code == '_' || (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
         (code >= 'A' && code <= 'Z');
}

std::size_t begin_of_last_character(std::string_view text) {
  return text.size() - last_character_bytes(text);
}

/// Appends what a post-processor puts before and behind a text's ids.
void read_template(const Json& part, std::vector<std::int64_t>& before,
                   std::vector<std::int64_t>& behind) {
  const Json* single = part.find("single");
  const Json* special = part.find("special_tokens");
  if (single == nullptr || !single->is_list()) return;
  std::vector<std::int64_t> inner_before;
  bool is_behind = false;
  for (const Json& piece : single->items()) {
    if (piece.find("Sequence") != nullptr) is_behind = true;
    const Json* token = piece.find("SpecialToken");
    if (token == nullptr) continue;
    const std::string name = text_of(*token, "id");
    const Json* entry = special == nullptr ? nullptr : special->find(name);
    const Json* ids = entry == nullptr ? nullptr : entry->find("ids");
    if (ids == nullptr || !ids->is_list()) {
      throw Error(
          ErrorCode::invalid,
          format("attribute 'tokenizer_vocab' has no ids for the special token {}", quote(name)));
    }
    for (const Json& id : ids->items())
      (is_behind ? behind : inner_before).push_back(id_of_json(&id, quote(name)));
  }
  before.insert(before.begin(), inner_before.begin(), inner_before.end());
}

/// The id in a pair of a token and its id.
std::int64_t id_of_pair(const Json& part, std::string_view key) {
  const Json* pair = part.find(key);
  const bool is_pair = pair != nullptr && pair->is_list() && pair->items().size() == 2;
  return id_of_json(is_pair ? &pair->items()[1] : nullptr, key);
}

}  // namespace

struct JsonTokenizer::Parts {
  Json document;
  Json config;
};

JsonTokenizer::JsonTokenizer(std::string_view tokenizer, std::string_view config)
    : JsonTokenizer(Parts{parse_object(tokenizer, "tokenizer_vocab"),
                          parse_object(config, "tokenizer_config")}) {}

JsonTokenizer::JsonTokenizer(Parts parts)
    : normalizer_(parts.document.find("normalizer")),
      words_(parts.document.find("pre_tokenizer")),
      model_(read_json_model(model_of(parts.document))) {
  read_added_tokens(parts.document.find("added_tokens"));
  read_special_tokens(parts.document, parts.config);
}

void JsonTokenizer::read_added_tokens(const Json* added) {
  if (added == nullptr || !added->is_list()) return;
  for (const Json& token : added->items()) {
    const std::string content = text_of(token, "content");
    const bool is_normalized = flag_of(token, "normalized", !flag_of(token, "special", false));
    const AddedToken each = {.id = id_of_json(token.find("id"), quote(content)),
                             .is_whole_word = flag_of(token, "single_word", false),
                             .takes_spaces_before = flag_of(token, "lstrip", false),
                             .takes_spaces_behind = flag_of(token, "rstrip", false)};
    added_ids_.emplace_back(content, each.id);
    const auto index = static_cast<std::int64_t>(added_.size());
    added_.push_back(each);
    if (is_normalized) {
      in_normalized_texts_.add(normalizer_.apply(content), index);
    } else {
      in_texts_.add(content, index);
    }
  }
}

std::int64_t JsonTokenizer::id_of_token(const std::string& token) const {
  const auto added =
      std::ranges::find(added_ids_, token, &std::pair<std::string, std::int64_t>::first);
  if (added != added_ids_.end()) return added->second;
  if (const auto id = model_->find(token)) return *id;
  throw Error(ErrorCode::invalid, format("the vocabulary lacks the token {}", quote(token)));
}

void JsonTokenizer::read_special_tokens(const Json& document, const Json& config) {
  for (const Json* part : parts_of(document.find("post_processor"), "processors")) {
    const std::string type = text_of(*part, "type");
    if (type == "TemplateProcessing") {
      read_template(*part, before_, behind_);
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
      before_.insert(before_.begin(), id_of_pair(*part, "cls"));
      behind_.push_back(id_of_pair(*part, "sep"));
    } else if (type != "ByteLevel") {
      fail_part("post-processor", type);
    }
  }
  const std::string bos = token_of(config, "bos_token");
  const std::string eos = token_of(config, "eos_token");
  const std::string pad = token_of(config, "pad_token");
  if (flag_of(config, "add_bos_token", false) && !bos.empty()) {
    const std::int64_t id = id_of_token(bos);
    if (before_.empty() || before_.front() != id) before_.insert(before_.begin(), id);
  }
  if (flag_of(config, "add_eos_token", false) && !eos.empty()) {
    const std::int64_t id = id_of_token(eos);
    if (behind_.empty() || behind_.back() != id) behind_.push_back(id);
  }
  if (!pad.empty()) padding_ = id_of_token(pad);
}

JsonTokenizer::Found JsonTokenizer::find_added(const ByteTrie& trie, std::string_view text,
                                               std::size_t at) const {
  const auto is_word_at = [&](std::size_t place) {
    return place < text.size() && is_word_character(read_utf8(text.substr(place)).code);
  };
  for (std::size_t begin = at; begin < text.size(); ++begin) {
    Found found = {begin, begin, nullptr};
    trie.for_each_prefix(text.substr(begin), [&](std::size_t bytes, std::int64_t index) {
      const AddedToken& token = added_[static_cast<std::size_t>(index)];
      const bool touches_words =
          is_word_at(begin + bytes) ||
          (begin > 0 && is_word_at(begin_of_last_character(text.substr(0, begin))));
      if (!token.is_whole_word || !touches_words) found = {begin, begin + bytes, &token};
    });
    if (found.token == nullptr) continue;
    while (found.token->takes_spaces_before && found.begin > at) {
      const std::size_t before = begin_of_last_character(text.substr(0, found.begin));
      if (!is_space(read_utf8(text.substr(before)).code)) break;
      found.begin = before;
    }
    while (found.token->takes_spaces_behind && found.end < text.size()) {
      const Utf8Character next = read_utf8(text.substr(found.end));
      if (next.bytes == 0 || !is_space(next.code)) break;
      found.end += next.bytes;
    }
    return found;
  }
  return {text.size(), text.size(), nullptr};
}

template <typename OnText>
void JsonTokenizer::split_at_added(const ByteTrie& trie, std::string_view text, bool is_first,
                                   std::vector<std::int64_t>& ids, OnText on_text) const {
  for (std::size_t at = 0; at < text.size();) {
    const Found found = find_added(trie, text, at);
    if (found.begin > at) on_text(text.substr(at, found.begin - at), is_first && at == 0);
    if (found.token != nullptr) ids.push_back(found.token->id);
    at = found.end;
  }
}

std::vector<std::int64_t> JsonTokenizer::encode(std::string_view text,
                                                const Workers& workers) const {
  std::vector<std::int64_t> ids = before_;
  split_at_added(in_texts_, text, true, ids, [&](std::string_view part, bool is_first) {
    const std::string normalized = normalizer_.apply(part);
    split_at_added(
        in_normalized_texts_, normalized, is_first && normalizer_.keeps_begin(part), ids,
        [&](std::string_view inner, bool is_first_inner) {
          for (const std::string& word : words_.split(std::string(inner), is_first_inner)) {
            workers.poll();
            model_->encode(word, ids);
          }
        });
  });
  ids.insert(ids.end(), behind_.begin(), behind_.end());
  return ids;
}

}  // namespace ortool::cpu
