// Native module: what the shared library of a provider exports that is built with this library.
#pragma once

#include <memory>

#include "libcore/provider/provider.hpp"
#include "libcore/provider/provider_settings.hpp"

namespace ortool {

/// A module that uses the classes of libortool.so, and so has to be of the same build.
struct NativeModule {
  /// Version and commit. It stays the first member, since it is read from modules of other builds.
  const char* build;
  /// Throws ErrorCode::invalid for settings that the provider does not have.
  std::shared_ptr<const Provider> (*make)(const ProviderSettings& settings);
};

/// The function that a native module exports, extern "C".
using NativeModuleFunction = const NativeModule*();
inline constexpr const char* native_module_function = "ortool_native_module";

}  // namespace ortool
