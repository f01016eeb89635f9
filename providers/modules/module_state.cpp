// Module state: open() with the user's settings, and close().
#include "providers/modules/module_state.hpp"

#include "libcore/base/format.hpp"
#include "providers/modules/module_call.hpp"

namespace ortool::modules {

ModuleState::ModuleState(const std::string& path, std::string_view name,
                         const ProviderSettings& settings)
    : library_(path, name),
      name_(name),
      precision_(settings.precision == Precision::bfloat16 ? "bfloat16" : "float32") {
  std::vector<ortool_provider_setting> list;
  for (const auto& [key, value] : settings.options) list.push_back({key.c_str(), value.c_str()});
  const char* description = nullptr;
  ModuleCall call({.provider = name_, .precision = precision_});
  try {
    call.run("open", [&](ortool_provider_call* handle) {
      return functions().open(handle, list.data(), list.size(), &state_, &description);
    });
  } catch (Error& error) {
    if (error.code() == ErrorCode::invalid)
      throw error.in("option --provider-option").with_id("usage.provider_option");
    throw;
  }
  description_ = description != nullptr ? description : "";
}

ModuleState::~ModuleState() {
  functions().close(state_);
}

}  // namespace ortool::modules
