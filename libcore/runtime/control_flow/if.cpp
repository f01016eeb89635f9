// If: runs the branch that the condition selects.
#include "libcore/ops/controlflow/if.hpp"

#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/control_flow/control_flow.hpp"

namespace ortool {
namespace {

class IfKernel : public ControlFlowKernel {
 public:
  IfKernel(const Node& node, const If& op, const MakeProgram& make_program)
      : then_(node, *op.then_branch, make_program), else_(node, *op.else_branch, make_program) {}

  std::string_view name() const override { return "if"; }
  std::vector<const Program*> programs() const override {
    return {&then_.program(), &else_.program()};
  }

  void run(DynamicContext& context, const RunEnvironment& environment) const override {
    const Body& branch = truth(context.value(0), "the condition") ? then_ : else_;
    std::vector<RunValue> results = branch.run({}, context, environment);
    for (std::size_t i = 0; i < context.output_count(); ++i)
      context.set_output(i, std::move(results[i]));
  }

 private:
  Body then_;
  Body else_;
};

}  // namespace

std::unique_ptr<const ControlFlowKernel> make_if(const Node& node,
                                                 const MakeProgram& make_program) {
  return std::make_unique<const IfKernel>(node, read_op<If>(node), make_program);
}

}  // namespace ortool
