// Attention heads of an operand: queries, keys or values, alone or packed with others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/attention/head_rows.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/support/cast_operand.hpp"

namespace ortool::cpu {

/// Where the rows of heads lie in an operand, in elements.
struct HeadsInput {
  CastOperand<float> operand;
  std::int64_t offset = 0;
  HeadRows<const float*> layout;  ///< without data
  HeadSizes sizes;

  HeadRows<const float*> rows(const float* data) const {
    HeadRows<const float*> result = layout;
    result.data = data == nullptr ? nullptr : data + offset;
    return result;
  }
};

/// Heads side by side at `offset` of rows that are `width` wide: batch × length × width.
inline HeadsInput packed_heads(const HeadSizes& sizes, std::int64_t offset, std::int64_t width) {
  return {{}, offset, {nullptr, sizes.length * width, sizes.size, width}, sizes};
}

/// Part `part` of `parts` in each head: batch × length × heads × parts × size.
inline HeadsInput interleaved_heads(const HeadSizes& sizes, std::int64_t part, std::int64_t parts) {
  const std::int64_t row = sizes.heads * parts * sizes.size;
  return {{}, part * sizes.size, {nullptr, sizes.length * row, parts * sizes.size, row}, sizes};
}

/// Batch × heads × length × size.
inline HeadsInput split_heads(const HeadSizes& sizes) {
  return {{}, 0, sizes.split<const float*>(nullptr), sizes};
}

/// Space for prepared heads, batch × length × heads × size; the rows as they are if no step is
/// wanted.
class HeadsSpace {
 public:
  HeadsSpace() = default;
  HeadsSpace(const HeadsInput& input, bool has_steps, WorkspaceLayout& layout)
      : sizes_(input.sizes), has_steps_(has_steps) {
    if (has_steps) space_ = layout.add(bytes_of(DataType::float32, input.sizes.count()));
  }

  HeadRows<const float*> read(const RunContext& run, const HeadRows<const float*>& rows,
                              const HeadSteps& steps, Isa isa) const {
    if (!has_steps_ || steps.is_empty()) return rows;
    auto* out = reinterpret_cast<float*>(run.workspace() + space_);
    prepare_heads(sizes_, rows, steps, out, run.workers(), isa);
    return sizes_.packed<const float*>(out);
  }

 private:
  HeadSizes sizes_;
  bool has_steps_ = false;
  std::int64_t space_ = 0;
};

}  // namespace ortool::cpu
