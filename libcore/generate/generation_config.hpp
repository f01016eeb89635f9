// Generation settings beside an exported model (generation_config.json and config.json of Hugging
// Face): special tokens of decoders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"

namespace ortool {

struct GenerationConfig {
  /// The tokens that the decoder starts with: decoder_start_token_id, then forced_decoder_ids.
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> end;        ///< eos_token_id
  std::optional<std::int64_t> padding;  ///< pad_token_id
  /// Settings that change what is generated, and that greedy decoding here does not apply.
  std::vector<std::string> not_applied;
};

/// Reads the files in the folder, or above it where it is named "onnx". Throws ErrorCode::invalid
/// for a file that is no JSON object.
GenerationConfig read_generation_config(const std::string& folder, MemoryCap* cap);

}  // namespace ortool
