// The matrices of a mixture of experts, one layer: packed float or block-quantized weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool::cpu {

/// Inputs of the node that hold one layer; 64: none.
struct ExpertInputs {
  std::size_t weights = 64;
  std::size_t scales = 64;
  std::size_t zeros = 64;
  std::size_t bias = 64;
};

/// How a layer is stored: n × k floats for each expert or, with `bits`, codes in blocks along k.
struct ExpertLayout {
  std::int64_t experts = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  int bits = 0;
  std::int64_t block_size = 0;  ///< k: a scale for each row
  bool has_zeros = false;
  bool has_row_zeros = false;  ///< each row's zero points begin with a byte
  bool allows_int8 = false;
};

/// Multiplies the rows of one expert at a time. Constant weights are packed once; others at each
/// product, and only those of the experts that are chosen.
class ExpertWeights {
 public:
  ExpertWeights(const ExpertLayout& layout, const ExpertInputs& inputs, Isa isa, int max_threads);

  const ExpertLayout& layout() const { return layout_; }
  const ExpertInputs& inputs() const { return inputs_; }
  /// Packs the node's constants, if they are.
  void pack(const NodeView& view, const CompileContext& context);
  bool is_packed() const { return packed_.size_bytes() > 0; }
  std::int64_t packed_bytes() const { return packed_.size_bytes(); }

  /// Bytes of workspace for `multiply` of up to `rows` rows.
  std::int64_t workspace_bytes(std::int64_t rows) const;
  /// out = activation(a by the expert's matrix + its bias). `workspace` is 64-byte aligned.
  void multiply(std::int64_t expert, std::int64_t rows, const float* a, float* out,
                Activation activation, const RunContext& run, std::byte* workspace,
                Workers& workers) const;

 private:
  struct Operands;
  bool is_int8() const;
  std::int64_t matrix_bytes() const;
  std::int64_t product_bytes(std::int64_t rows) const;
  void pack_expert(std::int64_t expert, const Operands& operands, std::byte* zeros, std::byte* out,
                   Workers& workers) const;

  ExpertLayout layout_;
  ExpertInputs inputs_;
  Isa isa_;
  int max_threads_;
  PackedBytes packed_;
};

}  // namespace ortool::cpu
