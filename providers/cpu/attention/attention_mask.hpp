// Attention mask: broadcast to batches, heads and queries; booleans become 0 and -inf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "kernels/cpu/attention/attention_params.hpp"
#include "libcore/base/format.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/support/cast_operand.hpp"

namespace ortool::cpu {

/// An optional mask of booleans or addends, as addends.
template <typename T>
class MaskOperand {
 public:
  MaskOperand() = default;
  /// `name` is the input's, for errors.
  MaskOperand(const PrepareContext& context, std::size_t input, std::string_view name,
              std::int64_t keys, WorkspaceLayout& layout) {
    if (!context.has_input(input)) return;
    const Operand& operand = context.inputs[input];
    const Shape& shape = operand.shape;
    if (shape.rank() == 0 || shape.rank() > 4 || shape[shape.rank() - 1] > keys) {
      throw Error(
          ErrorCode::invalid,
          format("'{}' is of rank {} with {} columns (expected rank 1 to 4 and at "
                 "most the {} keys)",
                 name, shape.rank(), shape.rank() == 0 ? 0 : shape[shape.rank() - 1], keys));
    }
    mask_ = CastOperand<T>(input, operand, layout);
    keys_ = shape[shape.rank() - 1];
    std::int64_t* strides[] = {&rows_.row_stride, &rows_.head_stride, &rows_.batch_stride};
    std::int64_t stride = keys_;
    for (std::int64_t i = 0; i + 1 < shape.rank(); ++i) {
      const std::int64_t size = shape[shape.rank() - 2 - i];
      *strides[i] = size == 1 ? 0 : stride;
      stride *= size;
    }
  }

  std::int64_t keys() const { return keys_; }

  HeadRows<const T*> read(const RunContext& run) const {
    HeadRows<const T*> rows = rows_;
    if (mask_.type != DataType::boolean) {
      rows.data = mask_.read(run);
      return rows;
    }
    const auto* allowed = run.input<bool>(mask_.operand);
    T* out = mask_.place(run);
    run.workers().parallel_ranges(mask_.count, 65536, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        out[i] = allowed[i] ? T{0} : -std::numeric_limits<T>::infinity();
    });
    rows.data = out;
    return rows;
  }

 private:
  CastOperand<T> mask_;
  HeadRows<const T*> rows_;
  std::int64_t keys_ = 0;
};

}  // namespace ortool::cpu
