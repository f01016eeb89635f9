// Reads generation_config.json, and config.json for what that lacks.
#include "libcore/generate/generation_config.hpp"

#include <array>
#include <filesystem>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_config_bytes = std::int64_t{16} << 20;

/// Settings that other programs apply to scores, with the value that changes nothing.
constexpr std::array<std::pair<std::string_view, double>, 9> score_settings = {
    {{"num_beams", 1},
     {"no_repeat_ngram_size", 0},
     {"repetition_penalty", 1},
     {"min_length", 0},
     {"forced_bos_token_id", -1},
     {"forced_eos_token_id", -1},
     {"suppress_tokens", -1},
     {"begin_suppress_tokens", -1},
     {"bad_words_ids", -1}}};

Json read_object(const fs::path& path, MemoryCap* cap) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return Json::object();
  Json document =
      parse_json(read_text_file(path.string(), max_config_bytes), path.string(), {.cap = cap});
  if (document.is_object()) return document;
  throw Error(ErrorCode::invalid, format("{}: is not a JSON object", path.string()))
      .with_id("file.kind");
}

/// The document in the folder, or above it where it is named "onnx".
Json read_beside(const fs::path& folder, const char* name, MemoryCap* cap) {
  std::error_code failure;
  const bool is_above = !fs::exists(folder / name, failure) &&
                        fs::weakly_canonical(folder, failure).filename() == "onnx";
  return read_object((is_above ? folder / ".." : folder) / name, cap);
}

std::optional<std::int64_t> whole_number(const Json* value) {
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return static_cast<std::int64_t>(value->number());
}

std::vector<std::int64_t> whole_numbers(const Json* value) {
  std::vector<std::int64_t> numbers;
  if (const auto single = whole_number(value)) numbers.push_back(*single);
  if (value == nullptr || !value->is_list()) return numbers;
  for (const Json& item : value->items()) {
    if (const auto number = whole_number(&item)) numbers.push_back(*number);
  }
  return numbers;
}

/// Appends the tokens of [[1, TOKEN], [2, TOKEN] …] up to the first that is not given.
void add_forced_tokens(const Json* pairs, std::vector<std::int64_t>& start) {
  if (pairs == nullptr || !pairs->is_list()) return;
  for (const Json& pair : pairs->items()) {
    if (!pair.is_list() || pair.items().size() != 2) return;
    const auto place = whole_number(&pair.items()[0]);
    const auto token = whole_number(&pair.items()[1]);
    if (!place || !token || *place != static_cast<std::int64_t>(start.size())) return;
    start.push_back(*token);
  }
}

bool changes_scores(const Json& value, double neutral) {
  if (value.is_number()) return value.number() != neutral;
  return value.is_list() && !value.items().empty();
}

}  // namespace

GenerationConfig read_generation_config(const std::string& folder, MemoryCap* cap) {
  const fs::path place = folder;
  const Json generation = read_beside(place, "generation_config.json", cap);
  const Json config = read_beside(place, "config.json", cap);
  const Json* inner = config.find("decoder");
  const auto find = [&](std::string_view key) -> const Json* {
    for (const Json* document : {&generation, &config, inner}) {
      const Json* value = document != nullptr ? document->find(key) : nullptr;
      if (value != nullptr && !value->is_null()) return value;
    }
    return nullptr;
  };
  GenerationConfig result;
  result.start = whole_numbers(find("decoder_start_token_id"));
  if (result.start.empty()) result.start = whole_numbers(find("bos_token_id"));
  if (!result.start.empty()) {
    result.start.resize(1);
    add_forced_tokens(find("forced_decoder_ids"), result.start);
  }
  result.end = whole_numbers(find("eos_token_id"));
  result.padding = whole_number(find("pad_token_id"));
  for (const auto& [key, neutral] : score_settings) {
    const Json* value = find(key);
    if (value != nullptr && changes_scores(*value, neutral)) result.not_applied.emplace_back(key);
  }
  return result;
}

}  // namespace ortool
