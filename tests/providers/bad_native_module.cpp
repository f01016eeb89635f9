// Wrong native modules, one for each ORTOOL_FAULT, which are refused with one reason each.
#include "libcore/base/error.hpp"
#include "libcore/provider/native_module.hpp"

namespace ortool {

std::shared_ptr<const Provider> a_function_of_another_build();

namespace {

[[maybe_unused]] std::shared_ptr<const Provider> make(const ProviderSettings&) {
#if ORTOOL_FAULT == 3
  return a_function_of_another_build();
#else
  throw Error(ErrorCode::provider_unavailable, "the device is asleep", "wake it");
#endif
}

[[maybe_unused]] constexpr NativeModule module{
    ORTOOL_FAULT == 1 ? "9.8.7 0123456789ab" : ORTOOL_BUILD, &make};

}  // namespace
}  // namespace ortool

#if ORTOOL_FAULT != 2
extern "C" const ortool::NativeModule* ortool_native_module() {
  return &ortool::module;
}
#endif
