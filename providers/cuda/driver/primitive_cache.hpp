// Primitive cache: products and convolutions that a library has been asked for before.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ortool::cuda {

/// A network has some dozens of them. Not thread-safe.
template <typename Desc, typename Primitive>
class PrimitiveCache {
 public:
  /// What `make` returned for an equal `desc`, null included.
  template <typename Make>
  Primitive find_or_make(const Desc& desc, Make make) {
    for (const auto& [known, primitive] : made_) {
      if (known == desc) return primitive;
    }
    Primitive primitive = make();
    constexpr std::size_t most_kept = 4096;
    if (made_.size() >= most_kept) made_.clear();
    made_.emplace_back(desc, primitive);
    return primitive;
  }

 private:
  std::vector<std::pair<Desc, Primitive>> made_;
};

}  // namespace ortool::cuda
