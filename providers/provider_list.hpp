// Every execution provider this build knows, by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/stop_token.hpp"
#include "libcore/measure/roofline.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// A provider that may or may not be usable here.
struct ProviderEntry {
  std::string_view name;       ///< "cpu"
  std::string_view long_name;  ///< ONNX Runtime's: "CPUExecutionProvider"
  /// With kernels up to one of isa_levels(); empty: all. Null: not in this build.
  std::shared_ptr<const Provider> (*make)(std::string_view most_isa);
  std::string_view unavailable_because;  ///< when `make` is null
  bool is_automatic;                     ///< `auto` asks it
};

/// In order of preference for `auto`.
std::span<const ProviderEntry> provider_list();

/// The levels of instruction sets that kernels are written for and this processor has, weakest
/// first.
std::vector<std::string> isa_levels();

/// What this machine's processors and memory can give `threads` threads, measured on the spot in
/// about half a second. Polls `stop`.
MachineLimits measure_machine_limits(int threads, const StopToken& stop);

}  // namespace ortool
