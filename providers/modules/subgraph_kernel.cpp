// Subgraph kernel: kernels of the module by shapes, checks of what it returns, and the fallback.
#include "providers/modules/subgraph_kernel.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/provider/constant_evaluator.hpp"
#include "providers/modules/graph_view.hpp"
#include "providers/modules/module_call.hpp"

namespace ortool::modules {
namespace {

bool has_known_shape(const Value* value) {
  const PartialShape& shape = value->type().shape;
  return shape && std::all_of(shape->begin(), shape->end(),
                              [](const Dimension& dimension) { return dimension.is_known(); });
}

/// The part with these shapes of its inputs, and what follows from them.
std::unique_ptr<Model> with_shapes(const Model& part, const std::vector<Tensor>& inputs) {
  std::unique_ptr<Model> fixed = copy_model(part);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    fixed->inputs()[i]->set_type(
        ValueType::tensor(inputs[i].type(), to_partial(inputs[i].shape())));
  infer_shapes(*fixed);
  for (const Value* value : fixed->graph->values()) {
    if (!has_known_shape(value)) continue;
    std::int64_t count = 1;
    for (const Dimension& dimension : *value->type().shape)
      count = multiply_sizes(count, dimension.number());
  }
  return fixed;
}

bool fits(const ValueType& type, const Tensor& tensor) {
  if (tensor.type() != type.element) return false;
  if (!type.shape) return true;
  if (static_cast<std::int64_t>(type.shape->size()) != tensor.shape().rank()) return false;
  for (std::size_t i = 0; i < type.shape->size(); ++i) {
    const Dimension& dimension = (*type.shape)[i];
    if (dimension.is_known() && dimension.number() != tensor.shape()[static_cast<std::int64_t>(i)])
      return false;
  }
  return true;
}

/// Whether the module has failed with ORTOOL_PROVIDER_UNSUPPORTED.
bool is_refusal(const Error& error) {
  return error.code() == ErrorCode::unsupported && error.id() == "provider.failed";
}

}  // namespace

CompiledSubgraph::CompiledSubgraph(std::shared_ptr<const ModuleState> state, const Model& part,
                                   int threads, MemoryCap* cap)
    : state_(std::move(state)), threads_(threads) {
  const GraphView view(*part.graph);
  ModuleCall call({.provider = state_->name(),
                   .threads = threads_,
                   .precision = state_->precision(),
                   .compiled = &part,
                   .cap = cap});
  call.run("compile", [&](ortool_provider_call* handle) {
    return state_->functions().compile(handle, state_->get(), &view.graph(), &kernel_);
  });
}

CompiledSubgraph::~CompiledSubgraph() {
  state_->functions().release(kernel_);
}

std::vector<Tensor> CompiledSubgraph::run(std::span<const Tensor> inputs, std::size_t output_count,
                                          Workers& workers, MemoryCap* cap,
                                          DeviceFigures* figures) const {
  std::vector<ortool_provider_tensor> views;
  std::vector<const ortool_provider_tensor*> pointers;
  views.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    views.push_back({.type = static_cast<std::int32_t>(input.type()),
                     .rank = static_cast<std::int32_t>(input.shape().rank()),
                     .shape = input.shape().begin(),
                     .count = input.element_count(),
                     .data = input.bytes()});
    pointers.push_back(&views.back());
  }
  std::vector<Tensor> outputs(output_count);
  ModuleCall call({.provider = state_->name(),
                   .threads = threads_,
                   .precision = state_->precision(),
                   .outputs = outputs,
                   .workers = &workers,
                   .figures = figures,
                   .cap = cap});
  call.run("run", [&](ortool_provider_call* handle) {
    return state_->functions().run(handle, kernel_, pointers.data(), pointers.size(), output_count);
  });
  return outputs;
}

SubgraphKernel::SubgraphKernel(std::shared_ptr<const ModuleState> state,
                               std::shared_ptr<const Provider> fallback,
                               std::unique_ptr<Model> part, const CompileContext& context)
    : state_(std::move(state)),
      fallback_(std::move(fallback)),
      name_(format("{}_subgraph", state_->name())),
      part_(std::move(part)),
      threads_(context.max_threads),
      cap_(context.cap) {
  for (const Value* output : part_->outputs()) {
    output_types_.push_back(output->type());
    output_names_.emplace_back(output->name());
  }
  is_fixed_ = std::all_of(part_->inputs().begin(), part_->inputs().end(), has_known_shape);
  if (!is_fixed_) return;
  any_shapes_ = compile(*part_);
  // What the module has copied is not needed any more.
  if (any_shapes_ != nullptr) part_ = nullptr;
}

PreparedPtr SubgraphKernel::prepare(const PrepareContext&) const {
  throw Error(ErrorCode::unsupported, format("{} computes whole values", name_));
}

SubgraphKernel::CompiledPtr SubgraphKernel::compile(const Model& part) const {
  try {
    return std::make_shared<const CompiledSubgraph>(state_, part, threads_, cap_);
  } catch (const Error& error) {
    if (!is_refusal(error)) throw;
    return nullptr;
  }
}

SubgraphKernel::CompiledPtr SubgraphKernel::compiled_for(const std::vector<Tensor>& inputs) const {
  if (is_fixed_) return any_shapes_;
  const std::lock_guard lock(mutex_);
  const auto has_shapes = [&](const Entry& entry) {
    return std::equal(entry.shapes.begin(), entry.shapes.end(), inputs.begin(), inputs.end(),
                      [](const Shape& a, const Tensor& b) { return a == b.shape(); });
  };
  const auto found = std::find_if(entries_.begin(), entries_.end(), has_shapes);
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().compiled;
  }
  if (entries_.size() >= shapes_before_any) {
    if (!has_tried_any_ && state_->functions().takes_unknown_shapes != 0)
      any_shapes_ = compile(*part_);
    has_tried_any_ = true;
    if (any_shapes_ != nullptr) return any_shapes_;
  }
  if (entries_.size() >= max_shapes) entries_.pop_back();
  Entry entry;
  for (const Tensor& input : inputs) entry.shapes.push_back(input.shape());
  entry.compiled = compile(*with_shapes(*part_, inputs));
  entries_.push_front(std::move(entry));
  return entries_.front().compiled;
}

std::vector<Tensor> SubgraphKernel::compute_by_fallback(const std::vector<Tensor>& inputs,
                                                        DynamicContext& context) const {
  const std::unique_ptr<Model> part = with_shapes(*part_, inputs);
  Graph& graph = *part->graph;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Value& input = *graph.inputs()[0];
    graph.set_constant(input, inputs[i]);
    graph.make_default_constant(input);
  }
  ConstantEvaluator evaluator(*fallback_, {.workers = context.workers(), .cap = cap_});
  for (Node& node : graph.nodes()) {
    std::optional<std::vector<Tensor>> results =
        evaluator.evaluate(node, std::numeric_limits<std::int64_t>::max());
    if (!results) {
      throw Error(ErrorCode::unsupported,
                  format("neither provider '{}' nor '{}' computes the node for these shapes",
                         state_->name(), fallback_->name()))
          .at_node(node.name(), node.op_type());
    }
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < node.output_count(); ++i) outputs.push_back(node.output(i));
    graph.remove_node(node);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] != nullptr) graph.set_constant(*outputs[i], std::move((*results)[i]));
    }
  }
  std::vector<Tensor> results;
  for (const Value* output : graph.outputs()) results.push_back(output->constant());
  return results;
}

void SubgraphKernel::check_outputs(const std::vector<Tensor>& outputs) const {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_empty() && fits(output_types_[i], outputs[i])) continue;
    throw Error(
        ErrorCode::unsupported,
        format("provider '{}' gave '{}' {}, where {} is expected", state_->name(), output_names_[i],
               outputs[i].is_empty()
                   ? std::string("no value")
                   : format("{}[{}]", name_of(outputs[i].type()), outputs[i].shape().to_string()),
               output_types_[i].to_string()))
        .with_id("provider.output");
  }
}

std::vector<Tensor> SubgraphKernel::compute(const std::vector<Tensor>& inputs,
                                            DynamicContext& context, DeviceFigures* figures) const {
  const CompiledPtr compiled = compiled_for(inputs);
  if (compiled == nullptr) return compute_by_fallback(inputs, context);
  std::vector<Tensor> outputs;
  try {
    outputs =
        compiled->run(inputs, output_types_.size(), context.workers(), context.cap(), figures);
  } catch (const Error& error) {
    // A kernel for unknown shapes learns them now.
    const bool knew_shapes = is_fixed_ || compiled != any_shapes_;
    if (knew_shapes || !is_refusal(error)) throw;
    return compute_by_fallback(inputs, context);
  }
  check_outputs(outputs);
  return outputs;
}

void SubgraphKernel::run_dynamic(DynamicContext& context, DeviceFigures* figures) const {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i)
    inputs.push_back(context.input(i).aligned());
  std::vector<Tensor> outputs = compute(inputs, context, figures);
  for (std::size_t i = 0; i < outputs.size(); ++i) context.set_output(i, std::move(outputs[i]));
}

}  // namespace ortool::modules
