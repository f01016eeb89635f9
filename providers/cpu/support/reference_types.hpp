// Element types whose matrix products use the reference GEMM.
#pragma once

#include <cstdint>

#include "libcore/base/error.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool::cpu {

constexpr const char* reference_type_names = "float64, int32, int64, uint32, uint64";

inline bool accepts_reference_type(const NodeView& view) {
  return types_of({DataType::float64, DataType::int32, DataType::int64, DataType::uint32,
                   DataType::uint64})
      .contains(view.input_type(0));
}

/// Calls function(T{}) for one of them.
template <typename Function>
void with_reference_type(DataType type, Function function) {
  switch (type) {
    case DataType::float64:
      return function(double{});
    case DataType::int32:
      return function(std::int32_t{});
    case DataType::int64:
      return function(std::int64_t{});
    case DataType::uint32:
      return function(std::uint32_t{});
    case DataType::uint64:
      return function(std::uint64_t{});
    default:
      ORTOOL_CHECK(false && "no reference product for this type");
  }
}

}  // namespace ortool::cpu
