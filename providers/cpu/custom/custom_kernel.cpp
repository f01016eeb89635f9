// Kernels of custom operators: prepared for shapes, or run on whole values.
#include <utility>
#include <vector>

#include "libcore/graph/value.hpp"
#include "providers/cpu/custom/custom_call.hpp"
#include "providers/cpu/custom/custom_op.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t cache_line_bytes = 64;

/// What prepare() set, freed by the library.
class CustomState {
 public:
  /// `op` outlives the state.
  explicit CustomState(const ortool_operator& op) : op_(op) {}
  ~CustomState() {
    if (state != nullptr && op_.release != nullptr) op_.release(state);
  }
  CustomState(const CustomState&) = delete;
  CustomState& operator=(const CustomState&) = delete;

  void prepare(CustomCall& call) {
    if (op_.prepare == nullptr) return;
    call.state = nullptr;
    call.invoke(op_.prepare, "prepare");
    state = call.state;
  }

  void* state = nullptr;

 private:
  const ortool_operator& op_;
};

std::int64_t rounded_up(std::int64_t bytes) {
  return (bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
}

class PreparedCustomOp : public Prepared {
 public:
  PreparedCustomOp(const Node& node, CustomVersionPtr version, const PrepareContext& context)
      : node_(node),
        version_(std::move(version)),
        op_(version_->op()),
        inputs_(context.inputs.begin(), context.inputs.end()),
        outputs_(context.outputs.begin(), context.outputs.end()),
        state_(op_) {
    CustomCall call(node_, *version_);
    call.take(inputs_, outputs_);
    state_.prepare(call);
  }

  /// Room for inputs that are not aligned as the operator wants them.
  std::int64_t workspace_bytes() const override {
    std::int64_t bytes = 0;
    for (const Operand& input : inputs_)
      bytes += op_.alignment > 1 && input.is_given() ? rounded_up(input.size_bytes()) : 0;
    return bytes;
  }

  bool can_overwrite(std::size_t index) const override {
    return op_.in_place > 0 && index + 1 == static_cast<std::size_t>(op_.in_place);
  }

  void run(const RunContext& context) const override {
    CustomCall call(node_, *version_);
    call.take(inputs_, outputs_);
    call.set_workers(context.workers());
    call.state = state_.state;
    std::byte* room = context.workspace();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto* data = context.input<std::byte>(i);
      if (data == nullptr) continue;
      const bool is_aligned =
          op_.alignment <= 1 || reinterpret_cast<std::uintptr_t>(data) % op_.alignment == 0;
      if (!is_aligned) {
        std::copy(data, data + inputs_[i].size_bytes(), room);
        data = room;
      }
      if (op_.alignment > 1) room += rounded_up(inputs_[i].size_bytes());
      call.point_input(i, data);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      call.point_output(i, context.output<std::byte>(i));
    call.invoke(op_.run, "run");
  }

 private:
  const Node& node_;
  CustomVersionPtr version_;
  const ortool_operator& op_;
  std::vector<Operand> inputs_;
  std::vector<Operand> outputs_;
  CustomState state_;
};

bool is_string(const Value* value) {
  return value != nullptr && value->type().is_tensor() && value->type().element == DataType::string;
}

/// Whether shapes or sizes of operands are only known in a run.
bool needs_whole_values(const Node& node, const ortool_operator& op) {
  bool needs = op.has_dynamic_shapes != 0;
  for (std::int64_t i = 0; i < node.input_count(); ++i) needs = needs || is_string(node.input(i));
  for (std::int64_t i = 0; i < node.output_count(); ++i) needs = needs || is_string(node.output(i));
  return needs;
}

class CustomKernel : public Kernel {
 public:
  CustomKernel(const Node& node, std::string_view name)
      : node_(node),
        name_(name),
        version_(custom_version_of(node)),
        is_dynamic_(needs_whole_values(node, version_->op())) {}

  std::string_view name() const override { return name_; }
  bool is_dynamic() const override { return is_dynamic_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<PreparedCustomOp>(node_, version_, context);
  }
  void run_dynamic(DynamicContext& context) const override {
    CustomCall call(node_, *version_);
    call.take(context);
    CustomState state(version_->op());
    state.prepare(call);
    call.invoke(version_->op().run, "run");
    call.check_outputs_set();
    call.hand_over_outputs();
  }

 private:
  const Node& node_;
  std::string_view name_;
  CustomVersionPtr version_;
  bool is_dynamic_;
};

}  // namespace

KernelPtr compile_custom_op(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return std::make_unique<CustomKernel>(view.node(), row.name);
}

}  // namespace ortool::cpu
