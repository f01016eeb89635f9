// Module state: an opened provider of a module, closed and unloaded when nobody uses it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "libcore/provider/provider_settings.hpp"
#include "providers/modules/module_library.hpp"

namespace ortool::modules {

class ModuleState {
 public:
  /// Loads and opens it. Throws ErrorCode::provider_unavailable with the reason, and
  /// ErrorCode::invalid for wrong settings.
  ModuleState(const std::string& path, std::string_view name, const ProviderSettings& settings);
  ~ModuleState();
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;

  const ortool_provider& functions() const { return library_.provider(); }
  void* get() const { return state_; }
  const std::string& name() const { return name_; }
  /// The version of the vendor's library, and the device.
  const std::string& description() const { return description_; }
  const char* precision() const { return precision_; }

 private:
  ModuleLibrary library_;
  std::string name_;
  const char* precision_;
  void* state_ = nullptr;
  std::string description_;
};

}  // namespace ortool::modules
