// Kernel interface: a node is compiled once, prepared once per set of shapes, and run often. Where
// shapes depend on content: compiled once, and run on whole values.
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

/// A pointer to content that records accesses: a plan for other content may reuse whatever was
/// built without access.
class KnownContent {
 public:
  KnownContent(const Tensor* tensor = nullptr) : tensor_(tensor) {}

  /// Records an access: what is derived from the result, even from null (unknown), depends on the
  /// content.
  const Tensor* read_value() const {
    was_read_ = true;
    return tensor_;
  }
  /// Without recording an access.
  const Tensor* peek_value() const { return tensor_; }
  bool was_read() const { return was_read_; }
  void forget_reads() { was_read_ = false; }

 private:
  const Tensor* tensor_;
  mutable bool was_read_ = false;
};

/// An operand with known shape, and known content if `known` is set. The shape does not depend on
/// the layout; known content is in plain layout.
struct Operand {
  DataType type = DataType::undefined;  ///< undefined: omitted
  Shape shape;
  KnownContent known;
  Layout layout = Layout::plain;

  bool is_given() const { return type != DataType::undefined; }
  std::int64_t size_bytes() const { return stored_bytes(type, shape, layout); }
};

/// The input of prepare(): every operand's type and shape, including outputs (the operator's shape
/// rule has run), and the contents of inputs that are known on the host. Memory that grows with the
/// shapes counts against `cap`; lengthy work polls `stop`; both may be null.
struct PrepareContext {
  std::span<const Operand> inputs;
  std::span<const Operand> outputs;
  MemoryCap* cap = nullptr;  ///< outlives the prepared kernel
  const StopToken* stop = nullptr;

  bool has_input(std::size_t index) const {
    return index < inputs.size() && inputs[index].is_given();
  }
  bool has_output(std::size_t index) const {
    return index < outputs.size() && outputs[index].is_given();
  }
  /// Records what was read of `copies`, the inputs as presented to another kernel.
  void note_reads(std::span<const Operand> copies) const {
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (copies[i].known.was_read()) static_cast<void>(inputs[i].known.read_value());
    }
  }
};

/// Pointers for one run, by position. Memory is aligned to 64 bytes, except for constants and
/// views, which are aligned to their element.
class RunContext {
 public:
  RunContext(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs,
             std::byte* workspace, Workers& workers)
      : inputs_(inputs), outputs_(outputs), workspace_(workspace), workers_(workers) {}

  /// Null if the operand is omitted.
  template <typename T>
  const T* input(std::size_t index) const {
    return index < inputs_.size() ? reinterpret_cast<const T*>(inputs_[index]) : nullptr;
  }
  template <typename T>
  T* output(std::size_t index) const {
    return index < outputs_.size() ? reinterpret_cast<T*>(outputs_[index]) : nullptr;
  }
  /// Prepared::workspace_bytes() bytes, aligned to 64, uninitialized.
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

/// The bytes of an input that form an output unchanged.
struct BytesView {
  std::size_t input = 0;
  std::int64_t offset_bytes = 0;
};

/// A kernel prepared for fixed shapes. Owned by a plan and shared by threads: run() is const and
/// does not allocate.
class Prepared {
 public:
  virtual ~Prepared() = default;

  /// The size of the scratch memory that run() needs.
  virtual std::int64_t workspace_bytes() const { return 0; }
  /// The memory it keeps that grows with the shapes, for the limit on plans.
  virtual std::int64_t held_bytes() const { return 0; }
  /// If an output is merely part of an input, its position there: the plan makes it a view. A
  /// kernel has views for all of its outputs or for none; if it has, run() is not called.
  virtual std::optional<BytesView> view_of(std::size_t output) const {
    static_cast<void>(output);
    return std::nullopt;
  }
  /// The offset in output 0 at which the data of input `index` appear unchanged, if the kernel only
  /// copies that input there: the plan may have it produced in place. run() must then skip the
  /// copy.
  virtual std::optional<std::int64_t> place_in_output(std::size_t index) const {
    static_cast<void>(index);
    return std::nullopt;
  }
  /// Whether output 0 may overwrite input `index` (same size in bytes and same element order).
  virtual bool can_overwrite(std::size_t index) const {
    static_cast<void>(index);
    return false;
  }
  /// Computes all outputs. Throws Error for values that the operator rejects (an index out of
  /// range).
  virtual void run(const RunContext& context) const = 0;
};

using PreparedPtr = std::unique_ptr<const Prepared>;

/// Whole values for one run of a dynamic kernel, by position: sequences, maps, strings, and tensors
/// with data-dependent shapes.
class DynamicContext {
 public:
  DynamicContext(const Node& node, std::span<const RunValue> inputs, std::span<RunValue> outputs,
                 Workers& workers, MemoryCap* cap)
      : node_(node), inputs_(inputs), outputs_(outputs), workers_(workers), cap_(cap) {}

  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  /// False for an omitted operand; an empty optional is present, but `none`. Omitted outputs may be
  /// set nonetheless.
  bool has_input(std::size_t index) const;
  bool has_output(std::size_t index) const;

  /// The value of an input. Tensors are aligned to their element and lent for this call: what is
  /// kept in an output must be `owned()`.
  const RunValue& value(std::size_t index) const { return inputs_[index]; }
  /// An input that is a tensor; throws ErrorCode::invalid for any other value.
  const Tensor& input(std::size_t index) const { return inputs_[index].tensor(); }

  /// A tensor for an output or as scratch memory, counted against the cap; uninitialized.
  Tensor make(DataType type, Shape shape) const { return Tensor(type, std::move(shape), cap_); }
  void set_output(std::size_t index, RunValue value) { outputs_[index] = std::move(value); }
  /// Runs the operator's shape rule on the shapes and contents of the inputs, which must be
  /// tensors: types and shapes of the outputs, with `known` unset. Throws ErrorCode::unsupported
  /// when the rule cannot infer them.
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

/// A node compiled for a provider: variant selected, constants packed. Immutable, and shared by
/// threads.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// The variant's name, for reports: "conv_f32_avx512".
  virtual std::string_view name() const = 0;
  /// Prepares it for the given shapes. Throws ErrorCode::invalid for invalid shapes or known
  /// values. Not called on a dynamic kernel.
  virtual PreparedPtr prepare(const PrepareContext& context) const = 0;
  /// Whether run_dynamic() computes the node: because output shapes depend on the content of
  /// inputs, or because an operand is a string tensor, a sequence, an optional or a map.
  virtual bool is_dynamic() const { return false; }
  /// Computes all outputs from whole values. Throws Error for values that the operator rejects.
  virtual void run_dynamic(DynamicContext& context) const;
  /// False for inputs that are not read at run time (packed or known), so that the session may drop
  /// them.
  virtual bool needs_input(std::size_t index) const {
    static_cast<void>(index);
    return true;
  }
  /// The size in bytes of the packed constants that this kernel holds.
  virtual std::int64_t packed_bytes() const { return 0; }
};

using KernelPtr = std::unique_ptr<const Kernel>;

}  // namespace ortool
