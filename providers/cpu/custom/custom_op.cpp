// Custom operators: one catalog entry and one kernel row for each, for all its versions.
#include "providers/cpu/custom/custom_op.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <shared_mutex>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/custom/custom_call.hpp"

namespace ortool::cpu {
namespace {

constexpr TypeSet every_tensor() {
  TypeSet set;
  set[TypeSet::Container::tensor] = ((1U << data_type_count) - 1U) & ~1U;
  return set;
}

/// What all custom operators share in the catalog; their own numbers and types are checked after.
constinit const OpSchema any_schema = {
    "",
    "",
    {{.since = 1,
      .inputs = {{"inputs", "T", Formal::Count::variadic, 0, false}},
      .outputs = {{"outputs", "T", Formal::Count::variadic, 0, false}},
      .types = {{"T", every_tensor()}},
      .takes_any_attribute = true}}};

/// Everything stays at its address.
struct CustomOps {
  std::shared_mutex mutex;
  std::deque<CustomOp> ops;
  std::deque<OpSchema> schemas;
  std::deque<KernelRow> rows;

  const CustomOp* find(std::string_view domain, std::string_view name) {
    const std::shared_lock lock(mutex);
    for (const CustomOp& op : ops) {
      if (op.name == name && op.domain == domain) return &op;
    }
    return nullptr;
  }
};

/// Never destroyed: the catalog refers to it.
CustomOps& custom_ops() {
  static auto* const instance = new CustomOps;
  return *instance;
}

void check_count(std::string_view what, std::int64_t found, std::int32_t least, std::int32_t most) {
  if (found >= least && (most < 0 || found <= most)) return;
  throw Error(ErrorCode::invalid,
              format("has {} {}, its library expects {}{}", found, what, least,
                     most < 0       ? " or more"
                     : most > least ? format(" to {}", most)
                                    : std::string()),
              "the model and the library of custom operators do not belong together")
      .with_id("node.arity");
}

void check_custom_node(const Node& node, const OpVersion&) {
  const ortool_operator& op = custom_operator_of(node);
  check_count("inputs", node.input_count(), op.min_inputs, op.max_inputs);
  check_count("outputs", node.output_count(), op.min_outputs, op.max_outputs);
  if (op.types == nullptr) return;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    const bool is_known = input != nullptr && input->type().is_tensor() &&
                          input->type().element != DataType::undefined;
    const std::int32_t* type = op.types;
    while (is_known && *type != 0 && *type != static_cast<std::int32_t>(input->type().element))
      ++type;
    if (!is_known || *type != 0) continue;
    throw Error(ErrorCode::invalid,
                format("input {} is {}, its library takes {}", i, name_of(input->type().element),
                       custom_op_of(node).types),
                "the model and the library of custom operators do not belong together")
        .with_id("node.type");
  }
}

void infer_custom_node(const Node& node, const OpVersion&, InferContext& context) {
  CustomCall call(node);
  call.take(context);
  call.invoke(custom_operator_of(node).infer, "infer");
  call.check_outputs_set();
}

}  // namespace

const ortool_operator* CustomOp::at(std::int64_t opset) const {
  const ortool_operator* newest = nullptr;
  for (const ortool_operator* version : versions) {
    if (version->since_version <= opset) newest = version;
  }
  return newest;
}

const CustomOp& custom_op_of(const Node& node) {
  const CustomOp* op = custom_ops().find(node.domain(), node.op_type());
  ORTOOL_CHECK(op != nullptr);
  return *op;
}

const ortool_operator& custom_operator_of(const Node& node) {
  const CustomOp& op = custom_op_of(node);
  const ortool_operator* version = op.at(node.opset());
  if (version != nullptr) return *version;
  throw Error(ErrorCode::unsupported,
              format("{} has this operator from version {} of the domain on, the model imports {}",
                     op.library, op.versions.front()->since_version, node.opset()),
              "load a library that has the version of the model")
      .with_id("node.operator.unknown");
}

void register_custom_op(CustomOp op) {
  std::sort(op.versions.begin(), op.versions.end(),
            [](const auto* a, const auto* b) { return a->since_version < b->since_version; });
  CustomOps& all = custom_ops();
  const CustomOp* kept = nullptr;
  const KernelRow* row = nullptr;
  const OpSchema* schema = nullptr;
  {
    const std::unique_lock lock(all.mutex);
    kept = &all.ops.emplace_back(std::move(op));
    schema = &all.schemas.emplace_back(
        OpSchema{kept->name.c_str(), kept->domain.c_str(), any_schema.versions});
    row = &all.rows.emplace_back(KernelRow{.name = kept->kernel_name,
                                           .domain = kept->domain,
                                           .op_type = kept->name,
                                           .isa = Isa::baseline,
                                           .types = kept->types,
                                           .accepts = [](const NodeView&) { return true; },
                                           .compile = compile_custom_op});
  }
  register_op({.schema = schema, .check = check_custom_node, .infer = infer_custom_node});
  register_kernels({row, 1});
}

}  // namespace ortool::cpu
