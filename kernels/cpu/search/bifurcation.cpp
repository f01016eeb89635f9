// Aggressive decoding of token sequences (T. Ge et al., Lossless Acceleration for Seq2seq
// Generation with Aggressive Decoding, 2022): matches suffixes of the tokens in the source.
#include "kernels/cpu/search/bifurcation.hpp"

#include <algorithm>

namespace ortool::cpu {

std::int64_t common_prefix(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

std::int64_t find_suffix(std::span<const std::int64_t> source, std::span<const std::int64_t> tokens,
                         std::int64_t least, std::int64_t most) {
  const auto size = static_cast<std::int64_t>(tokens.size());
  std::int64_t found = -1;
  for (std::int64_t n = least; n <= std::min(most, size); ++n) {
    const std::span<const std::int64_t> suffix = tokens.last(static_cast<std::size_t>(n));
    const auto place = std::search(source.begin(), source.end(), suffix.begin(), suffix.end());
    if (place == source.end()) break;
    found = place - source.begin() + n;
    if (found >= static_cast<std::int64_t>(source.size())) break;
    if (std::search(place + 1, source.end(), suffix.begin(), suffix.end()) != source.end())
      found = -1;
  }
  return found;
}

}  // namespace ortool::cpu
