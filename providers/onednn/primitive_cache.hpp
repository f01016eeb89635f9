// oneDNN primitive cache: an LRU cache keyed by request.
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

/// Creating a primitive takes 0.1 to 2 ms, since code is generated for it. The most recently used
/// ones are cached, so that a repeated shape or a similar node costs nothing; users share ownership
/// of a primitive. Thread-safe.
class PrimitiveCache {
 public:
  static constexpr std::size_t default_most = 512;

  explicit PrimitiveCache(std::size_t most = default_most);
  ~PrimitiveCache();
  PrimitiveCache(const PrimitiveCache&) = delete;
  PrimitiveCache& operator=(const PrimitiveCache&) = delete;

  // Each returns null if oneDNN cannot serve the request. `weights`: the layout of the weights;
  // empty: oneDNN's preferred one.

  /// Operands: image, weights, (bias,) output.
  PrimitivePtr conv(const ConvRequest& request, const SerializedDesc& weights = {});
  /// Reorders plain weights (groups, output channels, input channels, kernel; contiguous) to
  /// `layout`. Operands: from, to.
  PrimitivePtr conv_weights(const ConvRequest& request, const SerializedDesc& layout);
  /// Operands: a, b, (bias,) c.
  PrimitivePtr product(const ProductRequest& request, const SerializedDesc& weights = {});
  /// Reorders b with the strides of `request` (b_row is not 0) to `layout`.
  PrimitivePtr product_weights(const ProductRequest& request, const SerializedDesc& layout);
  /// Operands: image, output.
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
  std::list<std::pair<std::string, PrimitivePtr>> used_;  ///< most recently used first
  std::unordered_map<std::string, decltype(used_)::iterator> by_key_;
};

}  // namespace ortool::onednn
