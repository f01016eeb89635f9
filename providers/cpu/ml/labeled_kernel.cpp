// Classifier labels: replaces positions by integer labels in place; string labels need a tensor of
// their own.
#include "providers/cpu/ml/labeled_kernel.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/tensor/counted_texts.hpp"

namespace ortool::cpu {
namespace {

class LabeledPrepared : public Prepared {
 public:
  LabeledPrepared(PreparedPtr inner, std::shared_ptr<const Tensor> labels, std::int64_t count)
      : inner_(std::move(inner)), labels_(std::move(labels)), count_(count) {}

  std::int64_t workspace_bytes() const override { return inner_->workspace_bytes(); }
  void run(const RunContext& context) const override {
    inner_->run(context);
    auto* positions = context.output<std::int64_t>(0);
    if (positions == nullptr) return;
    const std::int64_t* labels = labels_->data<std::int64_t>().data();
    for (std::int64_t i = 0; i < count_; ++i) positions[i] = labels[positions[i]];
  }

 private:
  PreparedPtr inner_;
  std::shared_ptr<const Tensor> labels_;
  std::int64_t count_;
};

class LabeledKernel : public Kernel {
 public:
  LabeledKernel(KernelPtr inner, Tensor labels)
      : inner_(std::move(inner)), labels_(std::make_shared<const Tensor>(std::move(labels))) {}

  std::string_view name() const override { return inner_->name(); }
  bool is_dynamic() const override { return labels_->type() == DataType::string; }
  std::int64_t packed_bytes() const override { return inner_->packed_bytes(); }

  PreparedPtr prepare(const PrepareContext& context) const override {
    const std::int64_t count = context.has_output(0) ? context.outputs[0].shape.element_count() : 0;
    return std::make_unique<const LabeledPrepared>(inner_->prepare(context), labels_, count);
  }

  void run_dynamic(DynamicContext& context) const override {
    const Tensor& input = context.input(0);
    const Operand operand = {input.type(), input.shape()};
    std::vector<Operand> outputs = context.output_operands();
    outputs[0].type = DataType::int64;
    const PreparedPtr prepared =
        inner_->prepare({std::span(&operand, 1), outputs, context.cap(), context.workers().stop()});
    std::vector<Tensor> results;
    std::vector<std::byte*> pointers;
    for (const Operand& output : outputs) {
      results.push_back(output.is_given() ? context.make(output.type, output.shape) : Tensor());
      pointers.push_back(output.is_given() ? results.back().mutable_bytes() : nullptr);
    }
    AlignedBuffer workspace(prepared->workspace_bytes(), context.cap(), "a kernel's workspace");
    const std::byte* bytes = input.bytes();
    prepared->run(RunContext(std::span(&bytes, 1), pointers, workspace.data(), context.workers()));
    context.set_output(0, names_of(results[0], context));
    for (std::size_t i = 1; i < results.size(); ++i) context.set_output(i, std::move(results[i]));
  }

 private:
  Tensor names_of(const Tensor& positions, const DynamicContext& context) const {
    Tensor names = context.make(DataType::string, positions.shape());
    const std::span<std::string> out = names.mutable_strings();
    const std::span<const std::string> labels = labels_->strings();
    const std::span<const std::int64_t> chosen = positions.data<std::int64_t>();
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = labels[static_cast<std::size_t>(chosen[i])];
    return with_counted_texts(std::move(names), context.cap());
  }

  KernelPtr inner_;
  std::shared_ptr<const Tensor> labels_;
};

}  // namespace

KernelPtr make_labeled_kernel(KernelPtr inner, Tensor labels) {
  return std::make_unique<const LabeledKernel>(std::move(inner), std::move(labels));
}

}  // namespace ortool::cpu
