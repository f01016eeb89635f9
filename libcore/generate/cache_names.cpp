// Pairs the names of cache inputs and outputs.
#include "libcore/generate/cache_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ortool {

bool is_cache_input(std::string_view name) {
  return name.starts_with("past");
}

bool is_cache_output(std::string_view name) {
  return name.starts_with("present");
}

bool is_cross_cache(std::string_view name) {
  return name.find("encoder") != std::string_view::npos ||
         name.find("cross") != std::string_view::npos;
}

std::string cache_output_of(std::string_view input, std::span<const std::string> outputs) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> heads = {
      {{"past_key_values", "present"},
       {"past_key_values", "present_key_values"},
       {"past", "present"}}};
  for (const auto& [past, present] : heads) {
    if (!input.starts_with(past)) continue;
    const std::string output = std::string(present) + std::string(input.substr(past.size()));
    if (std::find(outputs.begin(), outputs.end(), output) != outputs.end()) return output;
  }
  return {};
}

}  // namespace ortool
