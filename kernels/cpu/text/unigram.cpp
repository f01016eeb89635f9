// Unigram tokenization by dynamic programming over the bytes of a text (Viterbi).
#include "kernels/cpu/text/unigram.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/utf8.hpp"

namespace ortool::cpu {
namespace {

/// What SentencePiece takes off for a character without a piece.
constexpr double unknown_penalty = 10;

/// The best way to a place: where its last piece begins.
struct BestEnd {
  bool is_reached = false;
  double score = 0;
  std::size_t begin = 0;
  std::int64_t id = UnigramToken::unknown;
};

}  // namespace

UnigramModel::UnigramModel(std::span<const std::string> pieces, std::vector<double> scores)
    : scores_(std::move(scores)) {
  for (std::size_t i = 0; i < pieces.size(); ++i)
    trie_.add(pieces[i], static_cast<std::int64_t>(i));
  const auto least = std::min_element(scores_.begin(), scores_.end());
  unknown_score_ = (least == scores_.end() ? 0.0 : *least) - unknown_penalty;
}

std::vector<UnigramToken> UnigramModel::encode(std::string_view text) const {
  std::vector<BestEnd> best(text.size() + 1);
  best[0].is_reached = true;
  const auto offer = [&](std::size_t end, double score, std::size_t begin, std::int64_t id) {
    if (!best[end].is_reached || score > best[end].score) best[end] = {true, score, begin, id};
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t character = std::max<std::size_t>(read_utf8(text.substr(at)).bytes, 1);
    bool has_character = false;
    if (best[at].is_reached) {
      trie_.for_each_prefix(text.substr(at), [&](std::size_t bytes, std::int64_t id) {
        offer(at + bytes, best[at].score + scores_[static_cast<std::size_t>(id)], at, id);
        has_character = has_character || bytes == character;
      });
      if (!has_character)
        offer(at + character, best[at].score + unknown_score_, at, UnigramToken::unknown);
    }
    at += character;
  }
  std::vector<UnigramToken> pieces;
  for (std::size_t end = text.size(); end > 0; end = best[end].begin) {
    const std::size_t bytes = end - best[end].begin;
    const bool joins = !pieces.empty() && pieces.back().id == UnigramToken::unknown &&
                       best[end].id == UnigramToken::unknown;
    if (joins) {
      pieces.back().bytes += bytes;
    } else {
      pieces.push_back({best[end].id, bytes});
    }
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace ortool::cpu
