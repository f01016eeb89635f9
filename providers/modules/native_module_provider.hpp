// Native module provider: the provider of a shared library that is built with this one, such as
// cuda.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "libcore/provider/provider.hpp"
#include "libcore/provider/provider_settings.hpp"

namespace ortool {

/// The provider of the native module `name`, which is loaded if it is not yet, and stays loaded
/// until the process ends. It is unavailable, with the reason, if there is no such module in the
/// search path (`missing_because` says more), if that cannot be loaded or is of another build, and
/// if it misses something on this machine. Throws ErrorCode::invalid for wrong settings.
std::shared_ptr<const Provider> make_native_provider(std::string_view name,
                                                     std::string_view missing_because,
                                                     const ProviderSettings& settings);

/// Whether the dynamic loader finds the library. It stays loaded.
bool is_library_found(const char* library);

}  // namespace ortool
