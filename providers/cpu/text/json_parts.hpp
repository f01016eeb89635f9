// The parts of a tokenizer.json: objects with a type, and their members.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/json/json.hpp"

namespace ortool::cpu {

/// A member that is a text, or `otherwise`.
inline std::string text_of(const Json& part, std::string_view key,
                           std::string_view otherwise = {}) {
  const Json* member = part.find(key);
  return member != nullptr && member->is_text() ? member->text() : std::string(otherwise);
}

inline bool flag_of(const Json& part, std::string_view key, bool otherwise) {
  const Json* member = part.find(key);
  return member != nullptr && member->is_flag() ? member->flag() : otherwise;
}

/// A member that is an integer from 0 to 2^31 - 1; throws ErrorCode::invalid for others.
inline std::int64_t id_of_json(const Json* id, std::string_view what) {
  const bool is_id = id != nullptr && id->is_number() && id->number() >= 0 &&
                     id->number() < 2147483648.0 &&
                     id->number() == static_cast<double>(static_cast<std::int64_t>(id->number()));
  if (is_id) return static_cast<std::int64_t>(id->number());
  throw Error(ErrorCode::invalid,
              format("attribute 'tokenizer_vocab' gives {} no id (expected an integer from 0 to "
                     "2^31 - 1)",
                     what));
}

/// The parts of a pipeline: none for null, those of a Sequence in the list `key`, or the one.
inline std::vector<const Json*> parts_of(const Json* part, std::string_view key) {
  std::vector<const Json*> parts;
  if (part == nullptr || part->is_null()) return parts;
  if (text_of(*part, "type") != "Sequence") return {part};
  const Json* list = part->find(key);
  if (list == nullptr || !list->is_list()) return parts;
  for (const Json& each : list->items()) {
    for (const Json* inner : parts_of(&each, key)) parts.push_back(inner);
  }
  return parts;
}

[[noreturn]] inline void fail_part(std::string_view what, std::string_view type) {
  throw Error(ErrorCode::unsupported,
              format("attribute 'tokenizer_vocab' has a {} of type {}, which is not supported",
                     what, quote(type)));
}

}  // namespace ortool::cpu
