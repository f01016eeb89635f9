// Foreign operators: those of ONNX Runtime and others that nothing here computes, with the reason.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libcore/graph/node.hpp"

namespace ortool {

struct ForeignOperator {
  std::string_view domain;
  std::string_view name;
  std::string_view reason;  ///< "it …"
  std::string_view advice;  ///< what the user can do
};

/// Sorted by domain, then name. An operator in the catalog needs no row here.
std::span<const ForeignOperator> foreign_operators();
/// Null for any other operator.
const ForeignOperator* find_foreign_operator(std::string_view domain, std::string_view op_type);

struct ForeignReason {
  std::string reason;
  std::string advice;
};

/// Why nothing here computes the node, and what to do; names what the node's attributes tell of
/// it. Nothing for any other operator.
std::optional<ForeignReason> foreign_reason(const Node& node);

}  // namespace ortool
