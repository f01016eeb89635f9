// Output binding: outputs that a run writes to caller-owned memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// An output and its destination, which must be at least as large as the output. Memory aligned to
/// AlignedBuffer::alignment_bytes is written by the kernel directly, other memory by a copy.
struct BoundOutput {
  std::string name;
  std::span<std::byte> bytes;
};

/// The destination of each output by its position in the graph; empty if not bound.
class BoundOutputs {
 public:
  BoundOutputs() = default;
  /// Throws ErrorCode::invalid for unknown names, for an output that is bound twice, and for memory
  /// that overlaps an input or another output's destination.
  BoundOutputs(std::span<const BoundOutput> bound, std::span<Value* const> outputs,
               std::span<const RunValue> inputs);

  bool is_bound(std::size_t output) const {
    return output < bytes_.size() && bytes_[output].data() != nullptr;
  }
  /// A tensor for a kernel to write to; empty if the memory is not aligned, or none is bound.
  /// Throws ErrorCode::invalid if the memory is too small.
  Tensor writable(std::size_t output, DataType type, const Shape& shape) const;
  /// Copies `value` to the destination of `output` unless it is already there. Returns it as a view
  /// of that memory. Throws ErrorCode::invalid for values that are not numeric tensors or do not
  /// fit.
  RunValue store(std::size_t output, const RunValue& value) const;

 private:
  void check_size(std::size_t output, std::int64_t size_bytes) const;

  std::vector<std::span<std::byte>> bytes_;
  std::vector<std::string> names_;
};

}  // namespace ortool
