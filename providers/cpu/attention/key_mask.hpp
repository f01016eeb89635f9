// Key padding mask: com.microsoft's forms of masks, and causality, as addends of attention scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/cpu/attention/attention_params.hpp"
#include "libcore/ops/contrib/attention/multi_head_attention.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/workspace_layout.hpp"

namespace ortool::cpu {

struct KeyMaskOptions {
  std::int64_t batch = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t past = 0;
  float filter = 0;  ///< what is added for a hidden key
  bool adds_causal =
      false;  ///< adds the lowest float for keys behind a query, as ONNX Runtime does
};

/// An optional input of integers, as addends in the workspace.
class KeyMaskOperand {
 public:
  KeyMaskOperand() = default;
  KeyMaskOperand(const PrepareContext& context, std::size_t input, const KeyMaskOptions& options,
                 WorkspaceLayout& layout);

  /// Without data if there is nothing to add.
  HeadRows<const float*> read(const RunContext& run) const;

 private:
  void fill_row(const std::int32_t* mask, std::int64_t batch, std::int64_t query, float* row) const;

  KeyMaskOptions options_;
  std::size_t input_ = 0;
  std::optional<KeyMaskFormat> form_;
  std::int64_t batch_stride_ = 0;  ///< of the input, for KeyMaskFormat::queries_and_keys
  std::int64_t row_stride_ = 0;
  std::int64_t first_row_ = 0;  ///< of the first query
  std::int64_t rows_ = 0;       ///< for each batch: the queries, or 1
  std::int64_t batches_ = 0;    ///< 0: nothing to add
  std::int64_t space_ = 0;
};

}  // namespace ortool::cpu
