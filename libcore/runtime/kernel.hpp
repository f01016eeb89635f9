// A node's computation in three steps: compiled once, prepared once a set of shapes, run often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/base/thread_pool.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// An operand whose shape is known; its value too where `known` is set.
struct Operand {
  DataType type = DataType::undefined;  ///< undefined: left out
  Shape shape;
  const Tensor* known = nullptr;

  bool is_given() const { return type != DataType::undefined; }
};

/// What prepare() sees: every operand's type and shape, outputs included (the operator's shape rule
/// has run), and the values of inputs that are known on the host.
struct PrepareContext {
  std::span<const Operand> inputs;
  std::span<const Operand> outputs;

  bool has_input(std::size_t index) const {
    return index < inputs.size() && inputs[index].is_given();
  }
  bool has_output(std::size_t index) const {
    return index < outputs.size() && outputs[index].is_given();
  }
};

/// Pointers for one run, by position. Bytes are aligned to 64 save for constants and views, which
/// are aligned to their element.
class RunContext {
 public:
  RunContext(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs,
             std::byte* workspace, Workers& workers)
      : inputs_(inputs), outputs_(outputs), workspace_(workspace), workers_(workers) {}

  /// Null when the operand is left out.
  template <typename T>
  const T* input(std::size_t index) const {
    return index < inputs_.size() ? reinterpret_cast<const T*>(inputs_[index]) : nullptr;
  }
  template <typename T>
  T* output(std::size_t index) const {
    return index < outputs_.size() ? reinterpret_cast<T*>(outputs_[index]) : nullptr;
  }
  /// Prepared::workspace_bytes() bytes, aligned to 64, undefined content.
  template <typename T = std::byte>
  T* workspace() const {
    return reinterpret_cast<T*>(workspace_);
  }
  Workers& workers() const { return workers_; }

 private:
  std::span<const std::byte* const> inputs_;
  std::span<std::byte* const> outputs_;
  std::byte* workspace_;
  Workers& workers_;
};

/// A kernel made ready for fixed shapes. Owned by a plan and shared by threads: run() is const and
/// allocates nothing.
class Prepared {
 public:
  virtual ~Prepared() = default;

  /// Scratch bytes that run() needs.
  virtual std::int64_t workspace_bytes() const { return 0; }
  /// When output 0 is nothing but the bytes of an input, that input's index: the plan makes it a
  /// view and never calls run().
  virtual std::optional<std::size_t> view_of() const { return std::nullopt; }
  /// Whether output 0 may be written over input `index` (same bytes size and element order).
  virtual bool can_overwrite(std::size_t index) const {
    static_cast<void>(index);
    return false;
  }
  /// Computes all outputs. Throws Error for values that the operator refuses (an index out of
  /// range).
  virtual void run(const RunContext& context) const = 0;
};

using PreparedPtr = std::unique_ptr<const Prepared>;

/// A node compiled for a provider: variant chosen, constants packed. Const and shared by threads.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// The variant's name, for reports: "conv_f32_avx512".
  virtual std::string_view name() const = 0;
  /// Makes it ready for shapes. Throws ErrorCode::invalid for shapes or known values that cannot
  /// be.
  virtual PreparedPtr prepare(const PrepareContext& context) const = 0;
  /// Inputs that are not read at run time any more (packed or known), so that the session may drop
  /// them.
  virtual bool needs_input(std::size_t index) const {
    static_cast<void>(index);
    return true;
  }
  /// Bytes of packed constants this kernel holds.
  virtual std::int64_t packed_bytes() const { return 0; }
};

using KernelPtr = std::unique_ptr<const Kernel>;

}  // namespace ortool
