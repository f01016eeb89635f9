// Names of the quantization modes.
#include "libcore/quantize/pipeline/quantize_settings.hpp"

namespace ortool {

std::string_view name_of(QuantizeMode mode) {
  switch (mode) {
    case QuantizeMode::statically:
      return "static";
    case QuantizeMode::dynamically:
      return "dynamic";
    case QuantizeMode::weights_only:
      return "weight-only";
  }
  return {};
}

}  // namespace ortool
