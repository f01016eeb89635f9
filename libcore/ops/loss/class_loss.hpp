// Common parts of classification losses: ignored labels, class weights and the reduction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

struct ClassLoss {
  enum class Reduction { none, mean, sum };

  Reduction reduction = Reduction::mean;
  std::optional<std::int64_t> ignore_index;  ///< samples with this label are ignored

  void read(AttributeReader& attributes, int version);

 protected:
  /// The shape of the loss for scores N x C x D1 …, labels N x D1 … and weights C (inputs 0 to 2).
  /// Throws ErrorCode::invalid when they are incompatible.
  PartialShape loss_shape(const InferContext& context, std::string_view scores,
                          std::string_view labels, std::string_view weights) const;
};

}  // namespace ortool
