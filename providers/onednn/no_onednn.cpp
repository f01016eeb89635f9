// onednn provider of builds without oneDNN 2: always unavailable, with the reason.
#include "libcore/provider/unavailable_provider.hpp"
#include "providers/onednn/onednn_provider.hpp"

namespace ortool {

std::shared_ptr<const Provider> make_onednn_provider(cpu::Isa) {
  return std::make_shared<UnavailableProvider>(
      "onednn", "this build does not include oneDNN 2 (libdnnl-dev of Debian 12)");
}

}  // namespace ortool
