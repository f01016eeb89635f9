// Walks the double-array trie of a character map. A unit has a label, the offset of its children,
// and whether an entry ends there; that entry's value is the child for the byte 0.
#include "kernels/cpu/text/character_map.hpp"

#include <algorithm>
#include <cstring>

#include "libcore/base/error.hpp"
#include "libcore/base/utf8.hpp"

namespace ortool::cpu {
namespace {

std::size_t offset_of(std::uint32_t unit) {
  return (unit >> 10U) << ((unit & (1U << 9U)) >> 6U);
}

bool has_value(std::uint32_t unit) {
  return (unit >> 8U & 1U) != 0;
}

}  // namespace

CharacterMap::CharacterMap(std::string_view bytes) {
  if (bytes.empty()) return;
  std::uint32_t size = 0;
  if (bytes.size() >= sizeof(size)) std::memcpy(&size, bytes.data(), sizeof(size));
  const std::string_view rest = bytes.substr(std::min(sizeof(size), bytes.size()));
  if (size == 0 || size % sizeof(std::uint32_t) != 0 || size >= rest.size() || rest.back() != '\0')
    throw Error(ErrorCode::invalid, "the character map of a normalizer is damaged");
  units_.resize(size / sizeof(std::uint32_t));
  std::memcpy(units_.data(), rest.data(), size);
  replacements_ = rest.substr(size);
}

CharacterMap::Entry CharacterMap::longest_entry(std::string_view text) const {
  Entry entry;
  if (units_.empty()) return entry;
  std::size_t node = offset_of(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (byte == 0 || node >= units_.size() || (units_[node] & 0x800000ffU) != byte) return entry;
    const std::uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (!has_value(unit) || node >= units_.size()) continue;
    const std::size_t replacement = units_[node] & 0x7fffffffU;
    if (replacement < replacements_.size()) entry = {i + 1, replacement};
  }
  return entry;
}

std::string CharacterMap::apply(std::string_view text) const {
  std::string result;
  while (!text.empty()) {
    const Entry entry = longest_entry(text);
    std::size_t bytes = entry.bytes;
    if (bytes > 0) {
      result += replacements_.c_str() + entry.replacement;
    } else {
      bytes = std::max<std::size_t>(read_utf8(text).bytes, 1);
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace ortool::cpu
