// cuda module: what libortool_cuda.so exports.
#include "libcore/provider/native_module.hpp"
#include "providers/cuda/cuda_provider.hpp"
#include "providers/cuda/device/open_device.hpp"

namespace ortool::cuda {
namespace {

std::shared_ptr<const Provider> make_provider(const ortool::ProviderSettings& settings) {
  std::string options;
  for (const auto& [key, value] : settings.options) {
    if (!options.empty()) options += ',';
    options += key;
    options += '=';
    options += value;
  }
  return make_provider_on(&open_cuda_device, options, settings.cache_dir);
}

constexpr NativeModule module{ORTOOL_BUILD, &make_provider};

}  // namespace
}  // namespace ortool::cuda

extern "C" const ortool::NativeModule* ortool_native_module() {
  return &ortool::cuda::module;
}
