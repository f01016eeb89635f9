// GPU provider: found in the list of providers.
#include "tests/cuda_emulation/gpu_provider.hpp"

#include <string>

#include "libcore/base/error.hpp"
#include "providers/provider_list.hpp"

namespace ortool::test {

std::shared_ptr<const Provider> make_gpu_provider(std::string_view options) {
  ProviderSettings settings;
  while (!options.empty()) {
    const std::string_view pair = options.substr(0, options.find(','));
    options.remove_prefix(std::min(pair.size() + 1, options.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    settings.options.emplace_back(pair.substr(0, equals),
                                  pair.substr(std::min(equals + 1, pair.size())));
  }
  for (const ProviderEntry& entry : provider_list()) {
    if (entry.name == "cuda") return entry.make(settings);
  }
  throw Error(ErrorCode::unsupported, "cuda is not in the list of providers");
}

}  // namespace ortool::test
