// Models of tokenizer.json: the ids of a word's tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/json/json.hpp"

namespace ortool::cpu {

class JsonModel {
 public:
  virtual ~JsonModel() = default;
  /// Appends the ids of a word's tokens.
  virtual void encode(std::string_view word, std::vector<std::int64_t>& ids) const = 0;
  virtual std::optional<std::int64_t> find(const std::string& token) const = 0;
};

/// Reads the member 'model': BPE, Unigram, WordPiece or WordLevel. Throws ErrorCode::unsupported
/// for another type, and ErrorCode::invalid for damaged vocabularies.
std::unique_ptr<const JsonModel> read_json_model(const Json& model);

}  // namespace ortool::cpu
