// Size breakdown: sums the sizes of constants by type.
#include "libcore/quantize/report/stored_bytes.hpp"

#include "libcore/inspect/weights.hpp"

namespace ortool {

StoredBytes stored_bytes(const Model& model) {
  StoredBytes bytes;
  for (const Weight& weight : weights_of(model)) {
    if (is_floating_point(weight.type)) {
      bytes.floats += weight.size_bytes();
    } else if (element_bits(weight.type) <= 8 && weight.type != DataType::string &&
               weight.type != DataType::boolean) {
      bytes.quantized += weight.size_bytes();
    } else {
      bytes.others += weight.size_bytes();
    }
  }
  return bytes;
}

}  // namespace ortool
