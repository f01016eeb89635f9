// Models of tokenizer.json on top of byte pairs, WordPiece and Unigram.
#include "providers/cpu/text/json_model.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cpu/text/byte_pair.hpp"
#include "kernels/cpu/text/unigram.hpp"
#include "kernels/cpu/text/wordpiece.hpp"
#include "libcore/base/utf8.hpp"
#include "providers/cpu/text/json_parts.hpp"
#include "providers/cpu/text/vocabulary.hpp"

namespace ortool::cpu {
namespace {

TokenIds read_vocabulary(const Json& model) {
  const Json* vocabulary = model.find("vocab");
  if (vocabulary == nullptr || !vocabulary->is_object()) {
    throw Error(ErrorCode::invalid,
                "attribute 'tokenizer_vocab' has no object model.vocab of tokens and ids");
  }
  TokenIds ids;
  for (const auto& [token, id] : vocabulary->members())
    ids.emplace(token, id_of_json(&id, quote(token)));
  return ids;
}

/// The ids of <0x00> to <0xFF>, where the model falls back to bytes and the vocabulary has all.
std::vector<std::int64_t> byte_tokens(const Json& model, const TokenIds& ids) {
  std::vector<std::int64_t> tokens;
  for (unsigned int byte = 0; byte < 256 && flag_of(model, "byte_fallback", false); ++byte) {
    const auto id = find_id(ids, token_of_byte(byte));
    if (!id) return {};
    tokens.push_back(*id);
  }
  return tokens;
}

std::vector<BytePairModel::Pair> read_merges_of(const Json& model) {
  std::vector<BytePairModel::Pair> merges;
  const Json* list = model.find("merges");
  if (list == nullptr || !list->is_list()) return merges;
  for (const Json& merge : list->items()) {
    if (merge.is_text()) {
      const std::size_t space = merge.text().find(' ');
      if (space != std::string::npos) {
        merges.emplace_back(merge.text().substr(0, space), merge.text().substr(space + 1));
        continue;
      }
    } else if (merge.is_list() && merge.items().size() == 2 && merge.items()[0].is_text() &&
               merge.items()[1].is_text()) {
      merges.emplace_back(merge.items()[0].text(), merge.items()[1].text());
      continue;
    }
    throw Error(ErrorCode::invalid,
                format("attribute 'tokenizer_vocab' has the merge {} (expected two tokens)",
                       merge.write_compact()));
  }
  return merges;
}

class BytePairs : public JsonModel {
 public:
  explicit BytePairs(const Json& model)
      : ids_(read_vocabulary(model)),
        merges_(ids_, read_merges_of(model), "", -1),
        word_end_(text_of(model, "end_of_word_suffix")),
        bytes_(byte_tokens(model, ids_)),
        fuses_unknown_(flag_of(model, "fuse_unk", false)),
        takes_whole_words_(flag_of(model, "ignore_merges", false)) {
    if (!text_of(model, "continuing_subword_prefix").empty())
      fail_part("model", "BPE with continuing_subword_prefix");
    const std::string unknown = text_of(model, "unk_token");
    if (!unknown.empty()) unknown_ = find_id(ids_, unknown);
  }

  std::optional<std::int64_t> find(const std::string& token) const override {
    return find_id(ids_, token);
  }

  void encode(std::string_view word, std::vector<std::int64_t>& ids) const override {
    if (takes_whole_words_) {
      if (const auto id = find(std::string(word))) {
        ids.push_back(*id);
        return;
      }
    }
    std::vector<TokenRange> tokens;
    merges_.merge(symbols_of(word), tokens);
    for (const TokenRange& token : tokens) ids.push_back(token.id);
  }

 private:
  std::vector<TokenRange> symbols_of(std::string_view word) const {
    std::vector<TokenRange> symbols;
    bool was_unknown = false;
    while (!word.empty()) {
      const std::size_t bytes = std::max<std::size_t>(read_utf8(word).bytes, 1);
      const std::string_view character = word.substr(0, bytes);
      word.remove_prefix(bytes);
      std::string symbol(character);
      if (word.empty()) symbol += word_end_;
      const auto id = find(symbol);
      const bool is_unknown = !id && bytes_.empty();
      if (id) {
        symbols.push_back({*id, bytes});
      } else if (!is_unknown) {
        for (const char byte : character)
          symbols.push_back({bytes_[static_cast<unsigned char>(byte)], 1});
      } else if (was_unknown && fuses_unknown_ && !symbols.empty()) {
        symbols.back().bytes += bytes;
      } else if (unknown_) {
        symbols.push_back({*unknown_, bytes});
      }
      was_unknown = is_unknown;
    }
    return symbols;
  }

  TokenIds ids_;
  BytePairModel merges_;
  std::string word_end_;
  std::vector<std::int64_t> bytes_;
  std::optional<std::int64_t> unknown_;
  bool fuses_unknown_;
  bool takes_whole_words_;
};

class Unigrams : public JsonModel {
 public:
  explicit Unigrams(const Json& model) : model_(read_pieces(model)) {
    bytes_ = byte_tokens(model, ids_);
    if (const Json* unknown = model.find("unk_id"); unknown != nullptr && !unknown->is_null())
      unknown_ = id_of_json(unknown, "unk_id");
  }

  std::optional<std::int64_t> find(const std::string& token) const override {
    return find_id(ids_, token);
  }

  void encode(std::string_view word, std::vector<std::int64_t>& ids) const override {
    for (const UnigramToken& piece : model_.encode(word)) {
      if (piece.id != UnigramToken::unknown) {
        ids.push_back(piece.id);
      } else if (!bytes_.empty()) {
        for (const char byte : word.substr(0, piece.bytes))
          ids.push_back(bytes_[static_cast<unsigned char>(byte)]);
      } else if (unknown_) {
        ids.push_back(*unknown_);
      } else {
        throw Error(ErrorCode::invalid,
                    format("the vocabulary has neither a piece for {} nor an id for unknown ones",
                           quote(word.substr(0, piece.bytes))));
      }
      word.remove_prefix(piece.bytes);
    }
  }

 private:
  UnigramModel read_pieces(const Json& model) {
    const Json* vocabulary = model.find("vocab");
    std::vector<std::string> pieces;
    std::vector<double> scores;
    if (vocabulary != nullptr && vocabulary->is_list()) {
      for (const Json& entry : vocabulary->items()) {
        const bool is_entry = entry.is_list() && entry.items().size() == 2 &&
                              entry.items()[0].is_text() && entry.items()[1].is_number();
        if (!is_entry) break;
        ids_.insert_or_assign(entry.items()[0].text(), static_cast<std::int64_t>(pieces.size()));
        pieces.push_back(entry.items()[0].text());
        scores.push_back(entry.items()[1].number());
      }
    }
    if (pieces.empty() || pieces.size() != vocabulary->items().size()) {
      throw Error(ErrorCode::invalid,
                  "attribute 'tokenizer_vocab' has no list model.vocab of pieces and scores");
    }
    return UnigramModel(pieces, std::move(scores));
  }

  TokenIds ids_;
  UnigramModel model_;
  std::vector<std::int64_t> bytes_;
  std::optional<std::int64_t> unknown_;
};

std::int64_t unknown_of(const Json& model, const TokenIds& ids) {
  return id_of(ids, text_of(model, "unk_token", "[UNK]"));
}

class Wordpieces : public JsonModel {
 public:
  explicit Wordpieces(const Json& model)
      : ids_(read_vocabulary(model)),
        vocabulary_(ids_, text_of(model, "continuing_subword_prefix", "##"),
                    most_characters(model)),
        unknown_(unknown_of(model, ids_)) {}

  std::optional<std::int64_t> find(const std::string& token) const override {
    return find_id(ids_, token);
  }

  void encode(std::string_view word, std::vector<std::int64_t>& ids) const override {
    const std::size_t before = ids.size();
    const bool is_known = vocabulary_.for_each_piece(
        word, [&](const std::string&, std::int64_t id) { ids.push_back(id); });
    if (is_known) return;
    ids.resize(before);
    ids.push_back(unknown_);
  }

 private:
  static std::size_t most_characters(const Json& model) {
    const Json* most = model.find("max_input_chars_per_word");
    return most == nullptr ? 100
                           : static_cast<std::size_t>(id_of_json(most, "max_input_chars_per_word"));
  }

  TokenIds ids_;
  WordpieceVocabulary vocabulary_;
  std::int64_t unknown_;
};

class WholeWords : public JsonModel {
 public:
  explicit WholeWords(const Json& model)
      : ids_(read_vocabulary(model)), unknown_(unknown_of(model, ids_)) {}

  std::optional<std::int64_t> find(const std::string& token) const override {
    return find_id(ids_, token);
  }

  void encode(std::string_view word, std::vector<std::int64_t>& ids) const override {
    ids.push_back(find(std::string(word)).value_or(unknown_));
  }

 private:
  TokenIds ids_;
  std::int64_t unknown_;
};

}  // namespace

std::unique_ptr<const JsonModel> read_json_model(const Json& model) {
  const Json* vocabulary = model.find("vocab");
  // Old files leave the type out.
  const bool is_list = vocabulary != nullptr && vocabulary->is_list();
  const std::string type = text_of(model, "type",
                                   is_list                           ? "Unigram"
                                   : model.find("merges") != nullptr ? "BPE"
                                                                     : "WordPiece");
  if (type == "BPE") return std::make_unique<BytePairs>(model);
  if (type == "Unigram") return std::make_unique<Unigrams>(model);
  if (type == "WordPiece") return std::make_unique<Wordpieces>(model);
  if (type == "WordLevel") return std::make_unique<WholeWords>(model);
  fail_part("model", type);
}

}  // namespace ortool::cpu
