// Operand conversion: operands cast to the computation type if they have another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/elementwise/cast.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/workspace_layout.hpp"

namespace ortool::cpu {

template <typename T>
constexpr DataType data_type_of = std::is_same_v<T, double> ? DataType::float64 : DataType::float32;

/// An operand required as T (float or double), with space in the workspace if it has another type.
template <typename T>
struct CastOperand {
  std::size_t operand = 0;
  DataType type = DataType::undefined;  ///< undefined: omitted
  std::int64_t count = 0;
  std::int64_t space = 0;

  CastOperand() = default;
  CastOperand(std::size_t index, const Operand& what, WorkspaceLayout& layout)
      : operand(index), type(what.type), count(what.is_given() ? what.shape.element_count() : 0) {
    if (is_given() && type != data_type_of<T>) space = layout.add(bytes_of(data_type_of<T>, count));
  }

  bool is_given() const { return type != DataType::undefined; }
  T* place(const RunContext& run) const { return reinterpret_cast<T*>(run.workspace() + space); }

  /// An input as T.
  const T* read(const RunContext& run) const {
    if (!is_given()) return nullptr;
    if (type == data_type_of<T>) return run.input<T>(operand);
    cast(type, run.input<std::byte>(operand), data_type_of<T>, place(run), count, run.workers());
    return place(run);
  }
  /// Where to store an output before calling `write`.
  T* begin(const RunContext& run) const {
    if (!is_given()) return nullptr;
    return type == data_type_of<T> ? run.output<T>(operand) : place(run);
  }
  void write(const RunContext& run) const {
    if (!is_given() || type == data_type_of<T>) return;
    cast(data_type_of<T>, place(run), type, run.output<std::byte>(operand), count, run.workers());
  }
};

}  // namespace ortool::cpu
