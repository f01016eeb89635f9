// Vocabularies of tokenizers, as attributes hold them: a token a line, or a JSON object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ortool::cpu {

using TokenIds = std::unordered_map<std::string, std::int64_t>;

/// The lines of a text that are not empty.
std::vector<std::string> lines_of(std::string_view text);
/// Tokens numbered by their lines; of equal ones the last counts.
TokenIds ids_of_lines(std::string_view text);
/// The members of a JSON object. Throws ErrorCode::invalid, naming the attribute, for other JSON.
TokenIds ids_of_json(std::string_view text, std::string_view attribute);
/// The id of a token. Throws ErrorCode::invalid if it is not in the vocabulary.
std::int64_t id_of(const TokenIds& ids, const std::string& token);
std::optional<std::int64_t> find_id(const TokenIds& ids, const std::string& token);
/// The token of a byte in vocabularies of characters: "<0x0A>" for a line end.
std::string token_of_byte(unsigned int byte);
/// The pairs of tokens of an attribute 'merges', one a line, after a line with a version. Throws
/// ErrorCode::invalid for a line that is no pair.
std::vector<std::pair<std::string, std::string>> pairs_of_merges(std::string_view text);

}  // namespace ortool::cpu
