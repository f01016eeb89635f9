// Every execution provider this build knows, by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/runtime/provider.hpp"

namespace ortool {

/// A provider that may or may not be usable here.
struct ProviderEntry {
  std::string_view name;                      ///< "cpu"
  std::string_view long_name;                 ///< ONNX Runtime's: "CPUExecutionProvider"
  std::shared_ptr<const Provider> (*make)();  ///< null: not in this build
  std::string_view unavailable_because;       ///< when `make` is null
};

/// In order of preference for `auto`.
std::span<const ProviderEntry> provider_list();

}  // namespace ortool
