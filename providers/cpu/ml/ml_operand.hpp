// Operands of ai.onnx.ml kernels: domain, types, and inputs of any numeric type.
#pragma once

#include <cstdint>

#include "kernels/cpu/elementwise/cast.hpp"
#include "kernels/cpu/ml/score_transform.hpp"
#include "libcore/ops/ml/post_transform.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "libcore/tensor/tensor.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/optional_output.hpp"

namespace ortool::cpu {

constexpr const char* ml_domain = "ai.onnx.ml";
constexpr const char* ml_number_names = "float32, float64, int32, int64";

/// Examples and features of a matrix, or of a vector that is a single example.
struct ExampleSizes {
  std::int64_t rows = 1;
  std::int64_t features = 1;

  explicit ExampleSizes(const Shape& shape)
      : rows(shape.rank() == 2 ? shape[0] : 1), features(shape[shape.rank() - 1]) {}
};

/// An input as elements of T: in place if it has that type, otherwise converted in the workspace.
template <typename T>
class ConvertedInput {
 public:
  ConvertedInput(const Operand& operand, WorkspaceLayout& layout)
      : type_(operand.type), count_(operand.shape.element_count()) {
    constexpr std::int64_t size = sizeof(T);
    if (type_ != DataTypeOf<T>::value) offset_ = layout.add(multiply_sizes(count_, size));
  }

  const T* read(const RunContext& run, std::size_t index) const {
    if (type_ == DataTypeOf<T>::value) return run.input<T>(index);
    std::byte* out = run.workspace() + offset_;
    cast(type_, run.input<std::byte>(index), DataTypeOf<T>::value, out, count_, run.workers());
    return reinterpret_cast<const T*>(out);
  }

 private:
  DataType type_;
  std::int64_t count_;
  std::int64_t offset_ = 0;
};

inline ScoreTransform score_transform(PostTransform transform) {
  return static_cast<ScoreTransform>(transform);
}
static_assert(static_cast<int>(ScoreTransform::probit) == static_cast<int>(PostTransform::probit));

}  // namespace ortool::cpu
