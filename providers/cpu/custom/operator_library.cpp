// Libraries of custom operators: dlopen, and checks of what a library defines.
#include "providers/cpu/custom/operator_library.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <set>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/custom/custom_op.hpp"

namespace ortool::cpu {
namespace {

constexpr const char* entry_point = "ortool_get_operators";
constexpr std::int32_t max_operands = 1 << 20;
constexpr std::size_t max_alignment = 64;

Error refusal(std::string message, std::string hint) {
  return Error(ErrorCode::invalid, std::move(message), std::move(hint))
      .with_id("custom_op.library");
}

void* open_library(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw refusal("there is no such file", "check the path");
  const std::string absolute = std::filesystem::absolute(path, ignored).string();
  void* library = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* reason = ::dlerror();
  throw refusal(format("cannot be loaded: {}", reason != nullptr ? reason : "unknown reason"),
                "build it as a shared library for this machine, with all that it needs");
}

const ortool_operators& operators_of(void* library) {
  void* symbol = ::dlsym(library, entry_point);
  if (symbol == nullptr) {
    throw refusal(
        format("does not export {}()", entry_point),
        "include <ortool/custom_ops.h> and define it, in C++ with that header's extern C");
  }
  using EntryPoint = const ortool_operators* (*)();
  const ortool_operators* operators = nullptr;
  try {
    operators = reinterpret_cast<EntryPoint>(symbol)();
  } catch (...) {
    throw refusal(format("{}() threw an exception", entry_point), "exceptions must not leave it");
  }
  if (operators == nullptr || operators->count == 0 || operators->operators == nullptr)
    throw refusal(format("{}() returned no operators", entry_point), "list them there");
  if (operators->version != ORTOOL_OPERATORS_VERSION) {
    throw refusal(format("was built for version {} of the interface of custom operators, this "
                         "ortool has {}",
                         operators->version, ORTOOL_OPERATORS_VERSION),
                  "build it with the header custom_ops.h of this ortool");
  }
  return *operators;
}

bool is_text(const char* text) {
  return text != nullptr && *text != '\0';
}

bool is_range(std::int32_t least, std::int32_t most) {
  return least >= 0 && least <= max_operands && most <= max_operands && (most < 0 || most >= least);
}

/// What is wrong with an operator; empty: nothing.
std::string problem_of(const ortool_operator* op) {
  if (op == nullptr) return "an operator is NULL";
  if (op->size < sizeof(ortool_operator)) return "an operator has no size";
  if (!is_text(op->name)) return "an operator has no name";
  const std::string name = op->name;
  if (!is_text(op->domain) || std::string_view(op->domain) == "ai.onnx")
    return format("operator {} has no domain of its own", name);
  if (op->infer == nullptr) return format("operator {} has no infer()", name);
  if (op->run == nullptr) return format("operator {} has no run()", name);
  if (op->since_version < 1) return format("operator {} has version {}", name, op->since_version);
  if (!is_range(op->min_inputs, op->max_inputs) || !is_range(op->min_outputs, op->max_outputs) ||
      op->max_outputs == 0)
    return format("operator {} has a wrong number of inputs or outputs", name);
  if (op->alignment > max_alignment || (op->alignment & (op->alignment - 1)) != 0)
    return format("operator {} wants an alignment of {} bytes", name, op->alignment);
  for (const std::int32_t* type = op->types; type != nullptr && *type != 0; ++type) {
    if (!is_known(*type)) return format("operator {} takes the element type {}", name, *type);
  }
  return {};
}

std::string types_text(const ortool_operator& op) {
  if (op.types == nullptr) return "all tensors";
  std::string text;
  for (const std::int32_t* type = op.types; *type != 0; ++type)
    text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<DataType>(*type)));
  return text;
}

/// The library's operators, each with its versions.
std::vector<CustomOp> gather(const ortool_operators& operators, const std::string& path) {
  std::vector<CustomOp> ops;
  for (std::uint32_t i = 0; i < operators.count; ++i) {
    const ortool_operator* op = operators.operators[i];
    const std::string problem = problem_of(op);
    if (!problem.empty()) throw refusal(problem, "correct the struct ortool_operator");
    const auto same = [&](const CustomOp& other) {
      return other.name == op->name && other.domain == op->domain;
    };
    auto found = std::find_if(ops.begin(), ops.end(), same);
    if (found == ops.end()) {
      if (find_op(op->domain, op->name) != nullptr)
        throw refusal(format("operator {}.{} is in the catalog already", op->domain, op->name),
                      "give it another name or domain, or load only one library that defines it");
      const std::string file = std::filesystem::path(path).filename().string();
      found = ops.insert(ops.end(), {.name = op->name,
                                     .domain = op->domain,
                                     .library = path,
                                     .versions = {},
                                     .kernel_name = file + ":" + op->name,
                                     .types = types_text(*op)});
    }
    for (const ortool_operator* version : found->versions) {
      if (version->since_version == op->since_version)
        throw refusal(
            format("operator {}.{} has version {} twice", op->domain, op->name, op->since_version),
            "give each version one struct");
    }
    found->versions.push_back(op);
  }
  return ops;
}

}  // namespace

void load_operator_library(const std::string& path) {
  static std::mutex mutex;
  static auto* const loaded = new std::set<void*>;
  const std::lock_guard lock(mutex);
  try {
    void* library = open_library(path);
    if (loaded->contains(library)) {
      ::dlclose(library);
      return;
    }
    std::vector<CustomOp> ops;
    try {
      ops = gather(operators_of(library), path);
    } catch (...) {
      ::dlclose(library);
      throw;
    }
    loaded->insert(library);
    for (CustomOp& op : ops) register_custom_op(std::move(op));
  } catch (Error& error) {
    throw error.in(path);
  }
}

}  // namespace ortool::cpu
