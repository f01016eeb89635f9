// Float8 products: MatMul and Gemm of dequantized float8 operands, which a provider may multiply as
// they are, so that constants among them are not folded into floats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/lower/lower.hpp"
#include "libcore/provider/device/device_provider.hpp"

namespace ortool {

/// The pass that prepares them, and the rule of its events.
inline constexpr std::string_view keep_float8_name = "keep-float8-products";

/// The products of float8 that the first provider multiplies.
class Float8Products {
 public:
  /// `options` outlive this object.
  explicit Float8Products(const LoweringOptions& options);

  /// Whether there is a provider that may take any.
  bool has_taker() const { return taker_ != nullptr; }
  /// Transposes constant codes instead of what is dequantized of them, and returns the number of
  /// products that the provider takes. Adds an event for each other one, with the reason.
  std::int64_t prepare(Graph& graph, MemoryCap* cap, std::vector<RewriteEvent>& events) const;
  /// Dequantizes to float32 what products read in float32 after their promotion from 16 bits.
  void widen(Graph& graph, MemoryCap* cap) const;
  /// Whether the node is a DequantizeLinear that only such products read.
  bool keeps(const Node& node) const;

 private:
  /// Why the product is not multiplied in float8; empty: it is.
  std::string refusal(const Node& product) const;

  const LoweringOptions& options_;
  const DeviceProvider* taker_ = nullptr;
};

/// Evaluates all nodes but those that are kept.
class Float8Evaluator : public Evaluator {
 public:
  Float8Evaluator(Evaluator& others, const Float8Products& products)
      : others_(others), products_(products) {}

  std::optional<std::vector<Tensor>> evaluate(const Node& node, std::int64_t max_bytes) override {
    return products_.keeps(node) ? std::nullopt : others_.evaluate(node, max_bytes);
  }

 private:
  Evaluator& others_;
  const Float8Products& products_;
};

}  // namespace ortool
