// ortool.Subgraph: a part of the model that a provider computes as a whole. Created by sessions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Reads what the part reads from outside, and computes what others read of it. The part itself is
/// kept by its provider (SubgraphProvider).
struct Subgraph {
  static const OpSchema schema;

  std::string provider;
  std::int64_t id = 0;           ///< that the provider gave
  std::vector<ValueType> types;  ///< of the outputs, as inferred before

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
