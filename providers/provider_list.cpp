// The providers, best first.
#include "providers/provider_list.hpp"

#include <array>

#include "providers/cpu/cpu_provider.hpp"

namespace ortool {

std::span<const ProviderEntry> provider_list() {
  static constexpr std::array<ProviderEntry, 3> list = {{
      {"cuda", "CUDAExecutionProvider", nullptr,
       "the cuda provider is planned and not part of this version"},
      {"onednn", "DnnlExecutionProvider", nullptr,
       "the onednn provider is planned and not part of this version"},
      {"cpu", "CPUExecutionProvider", [] { return make_cpu_provider(); }, ""},
  }};
  return list;
}

}  // namespace ortool
