// Custom operators: one catalog entry and one kernel row for each, for all its versions.
#include "providers/cpu/custom/custom_op.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <shared_mutex>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/custom/registered_op.hpp"
#include "libcore/tensor/data_type.hpp"
#include "providers/cpu/custom/custom_call.hpp"
#include "providers/cpu/unregister_kernels.hpp"

namespace ortool::cpu {

/// One registration of an operator. It stays at its address, since the catalog refers to it.
struct CustomOp {
  struct Version {
    std::int32_t since;
    std::weak_ptr<const CustomVersion> version;
  };

  std::string name;
  std::string domain;
  std::string kernel_name;  ///< "libscale.so:Scale"
  std::string types;        ///< for the user
  bool is_removable = false;
  bool is_listed = false;              ///< in the catalog and the kernel list
  std::vector<Version> versions;       ///< oldest first
  std::vector<CustomVersionPtr> held;  ///< until the operator is removed
  OpSchema schema = {"", "", {}};
  KernelRow row = {};
};

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

struct CustomOps {
  std::shared_mutex mutex;
  std::deque<CustomOp> ops;

  /// The one that is listed, or null. Call it with the mutex held.
  CustomOp* find(std::string_view domain, std::string_view name) {
    for (CustomOp& op : ops) {
      if (op.is_listed && op.name == name && op.domain == domain) return &op;
    }
    return nullptr;
  }
};

/// Never destroyed: the catalog refers to it.
CustomOps& custom_ops() {
  static auto* const instance = new CustomOps;
  return *instance;
}

void unlist(CustomOp& op) {
  if (!op.is_listed) return;
  op.is_listed = false;
  unregister_op(op.domain, op.name);
  unregister_kernels(&op.row);
}

/// Ends the listing of an operator that was removed, once its last session is gone.
void finish(CustomOp& op) {
  const std::unique_lock lock(custom_ops().mutex);
  const bool is_over = std::all_of(op.versions.begin(), op.versions.end(),
                                   [](const auto& each) { return each.version.expired(); });
  if (is_over) unlist(op);
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
  const CustomVersionPtr version = custom_version_of(node);
  const ortool_operator& op = version->op();
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
                       version->types_text()),
                "the model and the library of custom operators do not belong together")
        .with_id("node.type");
  }
}

void infer_custom_node(const Node& node, const OpVersion&, InferContext& context) {
  const CustomVersionPtr version = custom_version_of(node);
  CustomCall call(node, *version);
  call.take(context);
  call.invoke(version->op().infer, "infer");
  call.check_outputs_set();
}

}  // namespace

CustomVersion::CustomVersion(const ortool_operator& given, std::string origin)
    : origin_(std::move(origin)) {
  std::memcpy(&op_, &given, std::min(given.size, sizeof op_));
  op_.size = sizeof op_;
  if (op_.name != nullptr) name_ = op_.name;
  if (op_.domain != nullptr) domain_ = op_.domain;
  op_.name = name_.c_str();
  op_.domain = domain_.c_str();
  if (op_.types == nullptr) return;
  for (const std::int32_t* type = op_.types; *type != 0; ++type) types_.push_back(*type);
  types_.push_back(0);
  op_.types = types_.data();
}

CustomVersion::~CustomVersion() {
  if (registration_ != nullptr) finish(*registration_);
  if (op_.release_context != nullptr) op_.release_context(op_.context);
}

std::string CustomVersion::types_text() const {
  if (op_.types == nullptr) return "all tensors";
  std::string text;
  for (const std::int32_t* type = op_.types; *type != 0; ++type)
    text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<DataType>(*type)));
  return text;
}

bool is_taken(std::string_view domain, std::string_view name) {
  CustomOps& all = custom_ops();
  {
    const std::shared_lock lock(all.mutex);
    const CustomOp* op = all.find(domain, name);
    if (op != nullptr) return !op->held.empty();
  }
  return find_op(domain, name) != nullptr;
}

void register_custom_op(std::vector<std::shared_ptr<CustomVersion>> versions,
                        std::string kernel_name, bool is_removable) {
  std::sort(versions.begin(), versions.end(), [](const auto& a, const auto& b) {
    return a->op().since_version < b->op().since_version;
  });
  CustomOps& all = custom_ops();
  const std::unique_lock lock(all.mutex);
  CustomOp op;
  op.name = versions.front()->op().name;
  op.domain = versions.front()->op().domain;
  // One that was removed makes way; its sessions ask the new one for shapes.
  CustomOp* before = all.find(op.domain, op.name);
  if (before != nullptr && before->held.empty()) unlist(*before);
  op.kernel_name = std::move(kernel_name);
  op.types = versions.front()->types_text();
  op.is_removable = is_removable;
  CustomOp& kept = all.ops.emplace_back(std::move(op));
  kept.schema = OpSchema{kept.name.c_str(), kept.domain.c_str(), any_schema.versions};
  kept.row = KernelRow{.name = kept.kernel_name,
                       .domain = kept.domain,
                       .op_type = kept.name,
                       .isa = Isa::baseline,
                       .types = kept.types,
                       .accepts = [](const NodeView&) { return true; },
                       .compile = compile_custom_op};
  register_op({.schema = &kept.schema, .check = check_custom_node, .infer = infer_custom_node});
  register_kernels({&kept.row, 1});
  kept.is_listed = true;
  for (std::shared_ptr<CustomVersion>& version : versions) {
    version->registration_ = &kept;
    kept.versions.push_back({version->op().since_version, version});
    kept.held.push_back(std::move(version));
  }
}

void remove_custom_op(std::string_view domain, std::string_view name) {
  CustomOps& all = custom_ops();
  std::vector<CustomVersionPtr> removed;  // goes after the lock, which the last ones take
  const std::unique_lock lock(all.mutex);
  CustomOp* op = all.find(domain, name);
  if (op == nullptr || op->held.empty() || !op->is_removable) {
    throw Error(ErrorCode::invalid,
                format("there is no operator {}.{} that this program added", domain, name),
                "name one that was added and not removed; those of libraries stay")
        .with_id("custom_op.unknown");
  }
  removed.swap(op->held);
}

CustomVersionPtr custom_version_of(const Node& node) {
  CustomOps& all = custom_ops();
  std::int32_t first = 0;
  std::string origin;
  {
    const std::shared_lock lock(all.mutex);
    const CustomOp* op = all.find(node.domain(), node.op_type());
    const CustomOp::Version* newest = nullptr;
    for (std::size_t i = 0; op != nullptr && i < op->versions.size(); ++i) {
      if (op->versions[i].since <= node.opset()) newest = &op->versions[i];
    }
    if (newest != nullptr) {
      if (CustomVersionPtr version = newest->version.lock()) return version;
    } else if (op != nullptr && !op->held.empty()) {
      first = op->versions.front().since;
      origin = op->held.front()->origin();
    }
  }
  if (first > 0) {
    throw Error(
        ErrorCode::unsupported,
        format("{} has this operator from version {} of the domain on, the model imports {}",
               origin, first, node.opset()),
        "load a library that has the version of the model")
        .with_id("node.operator.unknown");
  }
  throw Error(ErrorCode::unsupported, "its operator has been removed",
              "add the operator again before the model is loaded")
      .with_id("node.operator.unknown");
}

}  // namespace ortool::cpu
