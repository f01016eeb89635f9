// oneDNN primitive cache: keys are the bytes of requests, which consist of 64-bit integers only.
#include "providers/onednn/primitive_cache.hpp"

#include <type_traits>

#include <oneapi/dnnl/dnnl.hpp>

#include "libcore/base/error.hpp"
#include "providers/onednn/make_primitive.hpp"
#include "providers/onednn/single_thread_scope.hpp"

namespace ortool::onednn {
namespace {

template <typename Request>
std::string make_key(char kind, const Request& request, const SerializedDesc& layout = {}) {
  static_assert(std::has_unique_object_representations_v<Request>);
  std::string key(1, kind);
  key.append(reinterpret_cast<const char*>(&request), sizeof(request));
  return key.append(layout);
}

}  // namespace

PrimitiveCache::PrimitiveCache(std::size_t most)
    : engine_(std::make_unique<const dnnl::engine>(dnnl::engine::kind::cpu, 0)), most_(most) {}

PrimitiveCache::~PrimitiveCache() = default;

std::size_t PrimitiveCache::size() const {
  const std::lock_guard lock(mutex_);
  return used_.size();
}

template <typename Make>
PrimitivePtr PrimitiveCache::find_or_make(std::string key, Make make) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    used_.splice(used_.begin(), used_, found->second);
    return found->second->second;
  }
  const SingleThreadScope one_thread;
  PrimitivePtr made;
  try {
    made = make();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory)
      throw Error(ErrorCode::memory_limit, "oneDNN has no memory left for a primitive");
  }
  used_.emplace_front(key, made);
  by_key_.emplace(std::move(key), used_.begin());
  if (used_.size() > most_) {
    by_key_.erase(used_.back().first);
    used_.pop_back();
  }
  return made;
}

PrimitivePtr PrimitiveCache::conv(const ConvRequest& request, const SerializedDesc& weights) {
  return find_or_make(make_key('c', request, weights),
                      [&] { return make_conv(*engine_, request, weights); });
}

PrimitivePtr PrimitiveCache::conv_weights(const ConvRequest& request,
                                          const SerializedDesc& layout) {
  return find_or_make(make_key('w', request, layout),
                      [&] { return make_conv_weights(*engine_, request, layout); });
}

PrimitivePtr PrimitiveCache::product(const ProductRequest& request, const SerializedDesc& weights) {
  return find_or_make(make_key('m', request, weights),
                      [&] { return make_product(*engine_, request, weights); });
}

PrimitivePtr PrimitiveCache::product_weights(const ProductRequest& request,
                                             const SerializedDesc& layout) {
  return find_or_make(make_key('b', request, layout),
                      [&] { return make_product_weights(*engine_, request, layout); });
}

PrimitivePtr PrimitiveCache::pool(const PoolRequest& request) {
  return find_or_make(make_key('p', request), [&] { return make_pool(*engine_, request); });
}

PrimitivePtr PrimitiveCache::reorder(const ReorderRequest& request) {
  return find_or_make(make_key('r', request), [&] { return make_reorder(*engine_, request); });
}

}  // namespace ortool::onednn
