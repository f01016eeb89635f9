// A node's computation in three steps: compiled once, prepared once a set of shapes, run often; or,
// where shapes depend on content, in two: compiled once, run on whole values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/layout.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

class Node;

/// A pointer to content that remembers whether anybody looked: a plan for other content may keep
/// what was made without a look.
class KnownContent {
 public:
  KnownContent(const Tensor* tensor = nullptr) : tensor_(tensor) {}

  operator const Tensor*() const { return look(); }
  const Tensor* operator->() const { return look(); }
  const Tensor& operator*() const { return *look(); }
  /// Without being remembered.
  const Tensor* peek() const { return tensor_; }
  bool was_looked_at() const { return was_looked_at_; }
  void forget_looks() { was_looked_at_ = false; }

 private:
  const Tensor* look() const {
    was_looked_at_ = true;
    return tensor_;
  }

  const Tensor* tensor_;
  mutable bool was_looked_at_ = false;
};

/// An operand whose shape is known; its value too where `known` is set. The shape does not depend
/// on the layout; what is known is plain.
struct Operand {
  DataType type = DataType::undefined;  ///< undefined: left out
  Shape shape;
  KnownContent known;
  Layout layout = Layout::plain;

  bool is_given() const { return type != DataType::undefined; }
  std::int64_t size_bytes() const { return bytes_of(type, stored_elements(shape, layout)); }
};

/// What prepare() sees: every operand's type and shape, outputs included (the operator's shape rule
/// has run), and the values of inputs that are known on the host. What grows with the shapes counts
/// against `cap`, and takes its time in view of `stop`; both may be null.
struct PrepareContext {
  std::span<const Operand> inputs;
  std::span<const Operand> outputs;
  MemoryCap* cap = nullptr;  ///< outlives what is prepared
  const StopToken* stop = nullptr;

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

/// Bytes of an input that are an output as they lie.
struct BytesView {
  std::size_t input = 0;
  std::int64_t offset_bytes = 0;
};

/// A kernel made ready for fixed shapes. Owned by a plan and shared by threads: run() is const and
/// allocates nothing.
class Prepared {
 public:
  virtual ~Prepared() = default;

  /// Scratch bytes that run() needs.
  virtual std::int64_t workspace_bytes() const { return 0; }
  /// Bytes it keeps that grow with the shapes, for the bound on plans.
  virtual std::int64_t held_bytes() const { return 0; }
  /// When an output is nothing but bytes of an input, where they lie: the plan makes it a view. A
  /// kernel has views for all its outputs or for none; run() is not called where it has.
  virtual std::optional<BytesView> view_of(std::size_t output) const {
    static_cast<void>(output);
    return std::nullopt;
  }
  /// Where output 0 holds the bytes of input `index` as they are, when all the kernel does with
  /// that input is to copy it there: the plan may have it made in place. run() must then leave it.
  virtual std::optional<std::int64_t> place_in_output(std::size_t index) const {
    static_cast<void>(index);
    return std::nullopt;
  }
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

/// Whole values for one run of a kernel that is dynamic, by position: sequences, maps, strings, and
/// tensors whose shapes nobody knew before.
class DynamicContext {
 public:
  DynamicContext(const Node& node, std::span<const RunValue> inputs, std::span<RunValue> outputs,
                 Workers& workers, MemoryCap* cap)
      : node_(node), inputs_(inputs), outputs_(outputs), workers_(workers), cap_(cap) {}

  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  /// False for an operand that is left out; an empty optional is given, but `none`. Outputs that
  /// are left out may be set all the same.
  bool has_input(std::size_t index) const;
  bool has_output(std::size_t index) const;

  /// What an input holds. Tensors are aligned to their element; their bytes are lent for this call:
  /// what is kept in an output must be `owned()`.
  const RunValue& value(std::size_t index) const { return inputs_[index]; }
  /// An input that is a tensor; throws ErrorCode::invalid when it is something else.
  const Tensor& input(std::size_t index) const { return inputs_[index].tensor(); }

  /// A tensor for an output or for scratch, counted against the cap; undefined content.
  Tensor make(DataType type, Shape shape) const { return Tensor(type, std::move(shape), cap_); }
  void set_output(std::size_t index, RunValue value) { outputs_[index] = std::move(value); }
  /// The operator's shape rule, run on the shapes and contents of the inputs, which must be
  /// tensors: types and shapes of the outputs, with `known` unset. Throws ErrorCode::unsupported
  /// when the rule cannot tell.
  std::vector<Operand> output_operands() const;

  Workers& workers() const { return workers_; }
  MemoryCap* cap() const { return cap_; }

 private:
  const Node& node_;
  std::span<const RunValue> inputs_;
  std::span<RunValue> outputs_;
  Workers& workers_;
  MemoryCap* cap_;
};

/// A node compiled for a provider: variant chosen, constants packed. Const and shared by threads.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// The variant's name, for reports: "conv_f32_avx512".
  virtual std::string_view name() const = 0;
  /// Makes it ready for shapes. Throws ErrorCode::invalid for shapes or known values that cannot
  /// be. Not called on a dynamic kernel.
  virtual PreparedPtr prepare(const PrepareContext& context) const = 0;
  /// Whether run_dynamic() computes the node: because the shapes of outputs depend on the content
  /// of inputs, or because an operand is a string tensor, a sequence, an optional or a map.
  virtual bool is_dynamic() const { return false; }
  /// Computes all outputs from whole values. Throws Error for values that the operator refuses.
  virtual void run_dynamic(DynamicContext& context) const;
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
