// Cache codes: keys and values as a cache of GroupQueryAttention stores them, as nodes.
#pragma once

#include <cstdint>

#include "libcore/ops/contrib/attention/group_query_attention.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

/// Rows of batch x heads x rows x elements: in the type of the node, or in codes of 4 or 8 bits.
class CacheCodes {
 public:
  /// `scale` is the input with the scales.
  CacheCodes(Decomposition& out, GroupQueryAttention::Scales scales, std::int64_t bits,
             std::int64_t heads, std::int64_t scale);

  DataType type() const;
  /// The stored elements of a head of `size`.
  std::int64_t width(std::int64_t size) const { return is_packed() ? size / 2 : size; }
  Value& encoded(Value& rows) const;
  /// In float32, or in float64 as it is.
  Value& decoded(Value& rows) const;

 private:
  bool is_plain() const { return scales_ == GroupQueryAttention::Scales::none; }
  bool is_packed() const { return !is_plain() && bits_ == 4; }

  Decomposition& out_;
  GroupQueryAttention::Scales scales_;
  std::int64_t bits_;
  Value* factors_ = nullptr;
};

}  // namespace ortool
