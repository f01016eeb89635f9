// Packing of constants by kernels, in memory or from a cache.
#include "libcore/provider/provider.hpp"

#include "libcore/provider/cache/derived_store.hpp"

namespace ortool {

PackedBytes CompileContext::pack(std::int64_t bytes, std::initializer_list<std::int64_t> parameters,
                                 FunctionRef<void(std::byte*)> fill) const {
  if (derived != nullptr) return derived->pack(bytes, parameters, cap, fill);
  AlignedBuffer buffer(bytes, cap, "packed weights");
  fill(buffer.data());
  return PackedBytes(std::move(buffer));
}

}  // namespace ortool
