// Provider settings: what a provider is made with, as the user chose it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/precision.hpp"

namespace ortool {

struct ProviderSettings {
  std::string_view max_isa = {};             ///< kernels up to that instruction set; empty: all
  Precision precision = Precision::float32;  ///< of products, as choose_precision() resolves it
  /// Keys and values of --provider-option, without the provider's name.
  std::vector<std::pair<std::string, std::string>> options = {};
  /// The folder of --cache-dir, where a provider may keep files for later starts; empty: none.
  std::string cache_dir = {};
};

}  // namespace ortool
