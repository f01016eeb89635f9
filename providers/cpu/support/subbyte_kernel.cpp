// Sub-byte kernels: unpack before and pack after a kernel for bytes.
#include "providers/cpu/support/subbyte_kernel.hpp"

#include <array>
#include <vector>

#include "kernels/cpu/types/pack_subbyte.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

constexpr std::size_t max_packed_operands = 16;

/// A packed operand with the offset of its unpacked bytes in the workspace.
struct UnpackedOperand {
  std::size_t index;
  int bits;
  std::int64_t count;
  std::int64_t offset_bytes;
};

/// Unpacks operands of packed types to bytes in the workspace.
std::vector<UnpackedOperand> unpack_operands(std::vector<Operand>& operands,
                                             WorkspaceLayout& layout) {
  ORTOOL_CHECK(operands.size() <= max_packed_operands);
  std::vector<UnpackedOperand> unpacked;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Operand& operand = operands[i];
    if (!operand.is_given() || !is_packed(operand.type)) continue;
    const std::int64_t count = operand.shape.element_count();
    unpacked.push_back({i, element_bits(operand.type), count, layout.add(count)});
    operand.type = DataType::uint8;
    operand.known = nullptr;
  }
  return unpacked;
}

class PackedPrepared : public Prepared {
 public:
  PackedPrepared(const Kernel& inner, const PrepareContext& context)
      : input_count_(context.inputs.size()), output_count_(context.outputs.size()) {
    std::vector<Operand> inputs(context.inputs.begin(), context.inputs.end());
    std::vector<Operand> outputs(context.outputs.begin(), context.outputs.end());
    inputs_ = unpack_operands(inputs, layout_);
    outputs_ = unpack_operands(outputs, layout_);
    inner_ = inner.prepare({inputs, outputs});
    context.note_reads(inputs);
    inner_offset_ = layout_.add(inner_->workspace_bytes());
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }
  std::optional<BytesView> view_of(std::size_t output) const override {
    const std::optional<BytesView> view = inner_->view_of(output);
    ORTOOL_CHECK(!view || view->offset_bytes == 0);
    return view;
  }

  void run(const RunContext& context) const override {
    std::array<const std::byte*, max_packed_operands> inputs = {};
    std::array<std::byte*, max_packed_operands> outputs = {};
    for (std::size_t i = 0; i < input_count_; ++i) inputs[i] = context.input<std::byte>(i);
    for (std::size_t i = 0; i < output_count_; ++i) outputs[i] = context.output<std::byte>(i);
    for (const UnpackedOperand& each : inputs_) {
      std::byte* place = context.workspace() + each.offset_bytes;
      unpack_elements(each.bits, inputs[each.index], reinterpret_cast<std::uint8_t*>(place),
                      each.count, context.workers());
      inputs[each.index] = place;
    }
    for (const UnpackedOperand& each : outputs_)
      outputs[each.index] = context.workspace() + each.offset_bytes;
    inner_->run(RunContext(std::span(inputs).first(input_count_),
                           std::span(outputs).first(output_count_),
                           context.workspace() + inner_offset_, context.workers()));
    for (const UnpackedOperand& each : outputs_) {
      pack_elements(each.bits, reinterpret_cast<const std::uint8_t*>(outputs[each.index]),
                    context.output<std::byte>(each.index), each.count, context.workers());
    }
  }

 private:
  std::size_t input_count_;
  std::size_t output_count_;
  WorkspaceLayout layout_;
  std::vector<UnpackedOperand> inputs_;
  std::vector<UnpackedOperand> outputs_;
  PreparedPtr inner_;
  std::int64_t inner_offset_ = 0;
};

}  // namespace

KernelPtr make_packed_kernel(std::string_view name, KernelPtr inner) {
  return make_kernel(name,
                     [inner = std::move(inner)](const PrepareContext& context) -> PreparedPtr {
                       return std::make_unique<const PackedPrepared>(*inner, context);
                     });
}

}  // namespace ortool::cpu
