// A tokenizer of Hugging Face: added tokens, normalizer, pre-tokenizer, model and special tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/text/byte_trie.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "providers/cpu/text/json_model.hpp"
#include "providers/cpu/text/json_normalizer.hpp"
#include "providers/cpu/text/json_pre_tokenizer.hpp"

namespace ortool::cpu {

class JsonTokenizer {
 public:
  /// The contents of tokenizer.json and, if not empty, of tokenizer_config.json.
  JsonTokenizer(std::string_view tokenizer, std::string_view config);

  std::vector<std::int64_t> encode(std::string_view text, const Workers& workers) const;
  std::int64_t padding() const { return padding_; }

 private:
  /// A token that texts hold as it is.
  struct AddedToken {
    std::int64_t id = 0;
    bool is_whole_word = false;
    bool takes_spaces_before = false;
    bool takes_spaces_behind = false;
  };
  /// Where an added token is in a text; `token` is null at the text's end.
  struct Found {
    std::size_t begin;
    std::size_t end;
    const AddedToken* token;
  };
  struct Parts;

  explicit JsonTokenizer(Parts parts);
  void read_added_tokens(const Json* added);
  void read_special_tokens(const Json& document, const Json& config);
  Found find_added(const ByteTrie& trie, std::string_view text, std::size_t at) const;
  std::int64_t id_of_token(const std::string& token) const;
  /// Calls on_text(part, is_first) and on_token(id) for the parts of a text in their order.
  template <typename OnText>
  void split_at_added(const ByteTrie& trie, std::string_view text, bool is_first,
                      std::vector<std::int64_t>& ids, OnText on_text) const;

  JsonNormalizer normalizer_;
  JsonPreTokenizer words_;
  std::unique_ptr<const JsonModel> model_;
  std::vector<AddedToken> added_;
  std::vector<std::pair<std::string, std::int64_t>> added_ids_;
  ByteTrie in_texts_;             ///< indices of added tokens that given texts hold
  ByteTrie in_normalized_texts_;  ///< and of those that normalized ones do
  std::vector<std::int64_t> before_;
  std::vector<std::int64_t> behind_;
  std::int64_t padding_ = 0;
};

}  // namespace ortool::cpu
