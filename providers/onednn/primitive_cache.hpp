// Primitives that were made before, found by what they compute; bounded in number.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "providers/onednn/primitive.hpp"
#include "providers/onednn/requests.hpp"

namespace dnnl {
struct engine;
}

namespace ortool::onednn {

/// Making a primitive takes 0.1 to 2 ms, since code is generated for it. The last used are kept, so
/// that a shape that comes again, or a node like another one, costs nothing; who uses a primitive
/// owns it too. Safe for many threads.
class PrimitiveCache {
 public:
  static constexpr std::size_t default_most = 512;

  explicit PrimitiveCache(std::size_t most = default_most);
  ~PrimitiveCache();
  PrimitiveCache(const PrimitiveCache&) = delete;
  PrimitiveCache& operator=(const PrimitiveCache&) = delete;

  // Each gives null where oneDNN has nothing for the request. `weights`: the layout in which they
  // come; empty: as oneDNN likes them best.

  /// Operands: image, weights, (bias,) result.
  PrimitivePtr conv(const ConvRequest& request, const VendorLayout& weights = {});
  /// Weights as they are (groups, channels out, channels in, kernel: plain numbers one after the
  /// other) brought into `layout`. Operands: from, to.
  PrimitivePtr conv_weights(const ConvRequest& request, const VendorLayout& layout);
  /// Operands: a, b, (bias,) c.
  PrimitivePtr product(const ProductRequest& request, const VendorLayout& weights = {});
  /// b with the strides of `request` (b_row is not 0) brought into `layout`.
  PrimitivePtr product_weights(const ProductRequest& request, const VendorLayout& layout);
  /// Operands: image, result.
  PrimitivePtr pool(const PoolRequest& request);
  /// Operands: from, to.
  PrimitivePtr reorder(const ReorderRequest& request);

  std::size_t size() const;

 private:
  template <typename Make>
  PrimitivePtr find_or_make(std::string key, Make make);

  std::unique_ptr<const dnnl::engine> engine_;
  std::size_t most_;
  mutable std::mutex mutex_;
  std::list<std::pair<std::string, PrimitivePtr>> used_;  ///< the last used in front
  std::unordered_map<std::string, decltype(used_)::iterator> by_key_;
};

}  // namespace ortool::onednn
