// DevicePlanBuilder: turns the nodes of a group into commands, for known shapes.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/graph/value.hpp"
#include "providers/cuda/plan/constant_pool.hpp"
#include "providers/cuda/plan/device_plan.hpp"
#include "providers/cuda/plan/product_groups.hpp"

namespace ortool::cuda {

/// A tensor on the device.
struct DeviceTensor {
  DataType type = DataType::undefined;  ///< as stored; undefined: omitted
  Shape shape;
  EncodedPointer memory;
  bool is_channels_last = false;  ///< of four axes, the second one lies behind the others

  bool is_given() const { return type != DataType::undefined; }
  std::int64_t count() const { return shape.element_count(); }
  void* pointer() const { return memory.is_null() ? nullptr : memory.as_pointer(); }
  std::int32_t element() const { return static_cast<std::int32_t>(type); }
};

class DevicePlanBuilder {
 public:
  /// `values` and `context.inputs` are the group's inputs, by position.
  DevicePlanBuilder(std::shared_ptr<Device> device, const ConstantPool& constants,
                    const ProductGroups& groups, std::span<Value* const> values,
                    const PrepareContext& context);

  /// Runs the shape rule of a member.
  void infer(const Node& node);
  /// Whether all outputs are known on the host, so that nothing has to be computed.
  bool is_known(const Node& node) const;

  // Operands of nodes.
  bool has_input(const Node& node, std::int64_t index) const;
  const Operand& operand(const Value& value) const;
  const Shape& shape(const Node& node, std::int64_t input) const;
  const Shape& output_shape(const Node& node, std::int64_t output = 0) const;
  DataType output_type(const Node& node, std::int64_t output = 0) const;
  /// The content of an input; null: not known before the run.
  const Tensor* known(const Node& node, std::int64_t input) const;
  /// The integers of an input that shapes depend on. Throws ErrorCode::unsupported when unknown.
  std::vector<std::int64_t> integers(const Node& node, std::int64_t input) const;

  // Tensors on the device. Those of values have their axes in order unless they are taken as
  // stored.
  DeviceTensor tensor(const Value& value);
  DeviceTensor stored_tensor(const Value& value);
  /// Not given where the node omits it.
  DeviceTensor input(const Node& node, std::int64_t index);
  DeviceTensor stored_input(const Node& node, std::int64_t index);
  DeviceTensor input_in(const Node& node, std::int64_t index, bool is_channels_last);
  /// The same elements in the wanted order of axes.
  DeviceTensor in_layout(const DeviceTensor& tensor, bool is_channels_last);
  DeviceTensor make(DataType stored, Shape shape, bool is_channels_last = false);
  DeviceTensor make_output(const Node& node, std::int64_t output = 0,
                           bool is_channels_last = false);
  /// Whether the output has been emitted with another node's.
  bool has_tensor(const Value& value) const { return tensors_.contains(&value); }
  void set_output(const Node& node, std::int64_t output, DeviceTensor tensor);
  void set(const Value& value, DeviceTensor tensor);
  /// `emit` makes the value once its tensor is asked for, if it is.
  void defer(const Value& value, std::function<void()> emit);
  bool was_deferred(const Value& value) const { return deferred_.contains(&value); }
  /// What another node has made of a tensor, or not given; `kind` tells uses apart.
  DeviceTensor& derived(const DeviceTensor& tensor, std::int64_t kind) {
    return derived_[{tensor.memory, kind}];
  }
  /// The whole of `tensor` in another stored type.
  DeviceTensor converted(const DeviceTensor& tensor, DataType stored);
  /// A copy of host content, made once.
  DeviceTensor upload(const Tensor& content);
  /// A float32 scalar, whatever the precision.
  DeviceTensor upload_float(float value);
  EncodedPointer upload_constant(const void* bytes, std::int64_t count);
  void* upload_bytes(const void* bytes, std::int64_t count) {
    return upload_constant(bytes, count).as_pointer();
  }

  // Errors that only the device sees.
  void* status();
  std::int32_t status_of(const Node& node);

  Device& device() { return *device_; }
  CommandList& command_list() { return parts_.command_list; }
  const ConstantPool& constants() const { return constants_; }
  const ProductGroups& product_groups() const { return product_groups_; }
  template <typename Params>
  void launch_elements(KernelId kernel, std::int64_t count, const Params& params,
                       std::initializer_list<const void*> pointers) {
    constexpr int threads = 256;
    constexpr std::int64_t most_blocks = 4096;
    const std::int64_t blocks = (count + threads - 1) / threads;
    parts_.command_list.launch(kernel, std::min(blocks, most_blocks), threads, params, pointers);
  }
  template <typename Params>
  void launch_rows(KernelId kernel, std::int64_t rows, int threads, const Params& params,
                   std::initializer_list<const void*> pointers) {
    constexpr std::int64_t most_blocks = 1 << 20;
    parts_.command_list.launch(kernel, std::min(rows, most_blocks), threads, params, pointers);
  }

  /// The plan with the transfers of `outputs`.
  PlanParts finish(std::span<Value* const> outputs);

 private:
  DeviceTensor tensor_in(const Value& value, bool is_channels_last);
  void make_deferred(const Value& value);
  DeviceTensor transfer_in(const Value& value, std::size_t position);

  std::shared_ptr<Device> device_;
  const ConstantPool& constants_;
  const ProductGroups& product_groups_;
  const PrepareContext& context_;
  std::unordered_map<const Value*, std::size_t> positions_;
  std::unordered_map<const Value*, Operand> inner_;
  std::deque<Tensor> contents_;
  std::unordered_map<const Value*, DeviceTensor> tensors_;
  std::unordered_map<const Value*, std::function<void()>> deferred_;  ///< empty: made
  std::unordered_map<const Value*, DeviceTensor> copies_;  ///< in the other order of axes
  std::map<std::pair<EncodedPointer, std::int64_t>, DeviceTensor> derived_;
  std::unordered_map<const Node*, std::int32_t> statuses_;
  PlanParts parts_;
};

}  // namespace ortool::cuda
