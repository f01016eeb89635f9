// Names of key-value caches in exported decoders: which output becomes which input of the next
// step.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ortool {

/// The input by which merged decoders choose the branch that reads caches.
inline constexpr std::string_view cache_switch = "use_cache_branch";

/// Whether the input holds a cache: "past_key_values.0.key", "past_key_self_0", "past_0".
bool is_cache_input(std::string_view name);
/// Whether the output holds a cache: "present.0.key", "present_key_values.0.key".
bool is_cache_output(std::string_view name);
/// Whether the cache is one of cross-attention, which the encoder alone decides.
bool is_cross_cache(std::string_view name);
/// The output that becomes the cache input, as optimum, transformers.js and ONNX Runtime name them;
/// empty if there is none.
std::string cache_output_of(std::string_view input, std::span<const std::string> outputs);

}  // namespace ortool
