// Predicates on nodes that many kernel rows share, with the type names shown to the user.
#pragma once

#include "libcore/ops/op_schema.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool::cpu {

constexpr const char* float_type_names = "float32, float64, float16, bfloat16";
constexpr const char* fp16_type_names = "float16, bfloat16";

/// For operators whose kernel supports every type of the schema.
inline bool accepts_anything(const NodeView&) {
  return true;
}

// Each checks the type of the first input.
inline bool accepts_floats(const NodeView& view) {
  return types::floats.contains(view.input_type(0));
}
inline bool accepts_integers(const NodeView& view) {
  return types::integers.contains(view.input_type(0));
}
inline bool accepts_float32(const NodeView& view) {
  return view.input_type(0) == DataType::float32;
}
inline bool accepts_fp16(const NodeView& view) {
  return view.input_type(0) == DataType::float16 || view.input_type(0) == DataType::bfloat16;
}

inline bool accepts_float64(const NodeView& view) {
  return view.input_type(0) == DataType::float64;
}
constexpr const char* float_like_type_names = "float32, float16, bfloat16";
inline bool accepts_float_like(const NodeView& view) {
  return accepts_float32(view) || accepts_fp16(view);
}

constexpr const char* number_type_names = "float32, float64, float16, bfloat16, integers";
constexpr const char* int8_type_names = "all but strings and packed types";
constexpr const char* stored_type_names = "all but strings";

inline bool accepts_numbers(const NodeView& view) {
  return types::numbers_and_bfloat16.contains(view.input_type(0));
}
/// Types that kernels compute with: numbers and booleans.
inline bool is_computable(DataType type) {
  return types::numbers_and_bfloat16.contains(type) || type == DataType::boolean;
}
/// Elements of 1, 2, 4, 8 or 16 bytes, which can be copied regardless of type.
inline bool has_whole_bytes(DataType type) {
  return element_bits(type) >= 8;
}
inline bool accepts_whole_bytes(const NodeView& view) {
  return has_whole_bytes(view.input_type(0));
}
inline bool accepts_stored(const NodeView& view) {
  return element_bits(view.input_type(0)) > 0;
}

/// Whether every given input has one of the types.
inline bool accepts_all_of(const NodeView& view, TypeSet allowed) {
  for (std::int64_t i = 0; i < view.node().input_count(); ++i) {
    if (view.node().input(i) != nullptr && !allowed.contains(view.input_type(i))) return false;
  }
  return true;
}
inline bool accepts_all_float32(const NodeView& view) {
  return accepts_all_of(view, types_of({DataType::float32}));
}
inline bool accepts_all_float_like(const NodeView& view) {
  return accepts_all_of(view, types_of({DataType::float32, DataType::float16, DataType::bfloat16}));
}

}  // namespace ortool::cpu
