// Outputs that a run writes into memory of the caller.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// An output and the memory it goes to: at least as many bytes as it takes. Memory that is aligned
/// to AlignedBuffer::alignment_bytes is written by the kernel itself, other memory by a copy.
struct BoundOutput {
  std::string name;
  std::span<std::byte> bytes;
};

/// The memory of each output by its position in the graph; empty where none is bound.
class BoundOutputs {
 public:
  BoundOutputs() = default;
  /// Throws ErrorCode::invalid for unknown names, for an output that is bound twice, and for memory
  /// that overlaps an input or that of another output.
  BoundOutputs(std::span<const BoundOutput> bound, std::span<Value* const> outputs,
               std::span<const RunValue> inputs);

  bool is_bound(std::size_t output) const {
    return output < bytes_.size() && bytes_[output].data() != nullptr;
  }
  /// A tensor for a kernel to write to; empty where the memory is not aligned, or none is bound.
  /// Throws ErrorCode::invalid where it is too small.
  Tensor writable(std::size_t output, DataType type, const Shape& shape) const;
  /// Copies `value` to the memory of `output` unless it lies there. Returns it as a view of that
  /// memory. Throws ErrorCode::invalid for what is not a tensor of numbers or does not fit.
  RunValue store(std::size_t output, const RunValue& value) const;

 private:
  void check_size(std::size_t output, std::int64_t size_bytes) const;

  std::vector<std::span<std::byte>> bytes_;
  std::vector<std::string> names_;
};

}  // namespace ortool
