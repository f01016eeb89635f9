// fp16 promotion: conversions before and after a float32 kernel, in blocks spread over the threads.
#include "providers/cpu/support/fp16_kernel.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/types/fp16_convert.hpp"
#include "providers/cpu/support/float_constant.hpp"

namespace ortool::cpu {
namespace {

constexpr std::size_t max_operands = 16;
constexpr std::int64_t grain = 16384;

bool is_fp16_type(DataType type) {
  return type == DataType::float16 || type == DataType::bfloat16;
}

/// An operand to convert, with the offset of its float32 copy in the workspace.
struct Conversion {
  std::size_t operand;
  DataType type;
  std::int64_t count;
  std::int64_t offset_bytes;
};

class Fp16Prepared : public Prepared {
 public:
  Fp16Prepared(const Kernel& inner, const PrepareContext& context, Isa isa)
      : functions_(fp16_functions(isa)) {
    ORTOOL_CHECK(context.inputs.size() <= max_operands);
    ORTOOL_CHECK(context.outputs.size() <= max_operands);
    std::vector<Operand> inputs(context.inputs.begin(), context.inputs.end());
    std::vector<Operand> outputs(context.outputs.begin(), context.outputs.end());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!is_fp16_type(inputs[i].type)) continue;
      if (!inner.needs_input(i)) {
        inputs[i].known = nullptr;
      } else if (const Tensor* known = context.inputs[i].known.read_value()) {
        known_[i] = float_tensor(*known);
        inputs[i].known = &known_[i];
      } else {
        inputs_.push_back(convert(i, inputs[i]));
      }
      inputs[i].type = DataType::float32;
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!is_fp16_type(outputs[i].type)) continue;
      outputs_.push_back(convert(i, outputs[i]));
      outputs[i].type = DataType::float32;
    }
    inner_ = inner.prepare({inputs, outputs, context.cap, context.stop});
    context.note_reads(inputs);
    input_count_ = inputs.size();
    output_count_ = outputs.size();
  }

  std::int64_t workspace_bytes() const override { return bytes_ + inner_->workspace_bytes(); }
  std::int64_t held_bytes() const override { return inner_->held_bytes(); }
  std::optional<BytesView> view_of(std::size_t output) const override {
    return inner_->view_of(output);
  }

  void run(const RunContext& context) const override {
    std::array<const std::byte*, max_operands> inputs = {};
    std::array<std::byte*, max_operands> outputs = {};
    for (std::size_t i = 0; i < input_count_; ++i) {
      inputs[i] = known_[i].is_empty() ? context.input<std::byte>(i) : known_[i].bytes();
    }
    for (std::size_t i = 0; i < output_count_; ++i) outputs[i] = context.output<std::byte>(i);
    for (const Conversion& each : inputs_) {
      std::byte* to = context.workspace() + each.offset_bytes;
      widen(each, context.input<std::uint16_t>(each.operand), reinterpret_cast<float*>(to),
            context.workers());
      inputs[each.operand] = to;
    }
    for (const Conversion& each : outputs_)
      outputs[each.operand] = context.workspace() + each.offset_bytes;
    inner_->run(RunContext(std::span(inputs).first(input_count_),
                           std::span(outputs).first(output_count_), context.workspace() + bytes_,
                           context.workers()));
    for (const Conversion& each : outputs_) {
      narrow(each, reinterpret_cast<const float*>(outputs[each.operand]),
             context.output<std::uint16_t>(each.operand), context.workers());
    }
  }

 private:
  Conversion convert(std::size_t operand, const Operand& what) {
    const Conversion result = {operand, what.type, what.shape.element_count(), bytes_};
    bytes_ += (bytes_of(DataType::float32, result.count) + 63) / 64 * 64;
    return result;
  }

  void widen(const Conversion& what, const std::uint16_t* in, float* out, Workers& workers) const {
    const auto function =
        what.type == DataType::float16 ? functions_.float16_to_float : functions_.bfloat16_to_float;
    workers.parallel_ranges(what.count, grain, [&](std::int64_t begin, std::int64_t end) {
      function(in + begin, out + begin, end - begin);
    });
  }

  void narrow(const Conversion& what, const float* in, std::uint16_t* out, Workers& workers) const {
    const auto function =
        what.type == DataType::float16 ? functions_.float_to_float16 : functions_.float_to_bfloat16;
    workers.parallel_ranges(what.count, grain, [&](std::int64_t begin, std::int64_t end) {
      function(in + begin, out + begin, end - begin);
    });
  }

  const Fp16Functions& functions_;
  std::array<Tensor, max_operands> known_;
  std::vector<Conversion> inputs_;
  std::vector<Conversion> outputs_;
  std::int64_t bytes_ = 0;
  std::size_t input_count_ = 0;
  std::size_t output_count_ = 0;
  PreparedPtr inner_;
};

class Fp16Kernel : public Kernel {
 public:
  Fp16Kernel(KernelPtr inner, Isa isa) : inner_(std::move(inner)), isa_(isa) {}

  std::string_view name() const override { return inner_->name(); }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const Fp16Prepared>(*inner_, context, isa_);
  }
  bool needs_input(std::size_t index) const override { return inner_->needs_input(index); }
  std::int64_t packed_bytes() const override { return inner_->packed_bytes(); }

 private:
  KernelPtr inner_;
  Isa isa_;
};

}  // namespace

KernelPtr make_fp16_kernel(KernelPtr inner, Isa isa) {
  return std::make_unique<const Fp16Kernel>(std::move(inner), isa);
}

}  // namespace ortool::cpu
