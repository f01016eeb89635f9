// Module provider: an execution provider whose subgraphs a module computes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "libcore/provider/provider.hpp"
#include "libcore/provider/provider_settings.hpp"

namespace ortool {

/// The provider of a module, which is loaded now. It is unavailable, with the reason, if there is
/// no such module in the search path (`missing_because` says more), if that cannot be loaded or was
/// built for another interface, and if it misses something on this machine. Throws
/// ErrorCode::invalid for wrong settings. `fallback` computes subgraphs of shapes that the module
/// refuses.
std::shared_ptr<const Provider> make_module_provider(std::string_view name,
                                                     std::string_view missing_because,
                                                     const ProviderSettings& settings,
                                                     std::shared_ptr<const Provider> fallback);

}  // namespace ortool
