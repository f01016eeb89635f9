// Precision options: which products are in 16 bits.
#include "apps/ortool/options/precision_options.hpp"

#include <algorithm>

#include "apps/ortool/options/option_conflicts.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/base/strings/parse_number.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

std::vector<std::string> all_texts(const OptionValues& options, std::string_view name) {
  const std::span<const std::string> values = options.all(name);
  return {values.begin(), values.end()};
}

/// Whether a variant of --compare has a precision of its own.
bool compares_precisions(const OptionValues& options) {
  const std::span<const std::string> variants = options.all("compare");
  return std::any_of(variants.begin(), variants.end(), [](const std::string& variant) {
    return variant.find("precision=") != std::string::npos;
  });
}

}  // namespace

std::vector<OptionSpec> precision_options() {
  return {{.name = "precision",
           .value = "TYPE",
           .help = "operands of float32 products: float32 (default), bfloat16; auto: bfloat16 "
                   "where that is faster; float16: on cuda alone",
           .choices = {"float32", "bfloat16", "float16", "auto"}},
          {.name = "keep-float",
           .value = "GLOB",
           .help = "nodes with these names stay in float32 (with --precision or --fp16)",
           .repeats = true},
          {.name = "keep-float-op",
           .value = "TYPE",
           .help = "all nodes of an operator stay in float32 (with --precision)",
           .repeats = true}};
}

std::string device_precision(const OptionValues& options) {
  const std::string wanted = options.text("precision", "float32");
  const std::vector<std::string> names = split(options.text("provider", "auto"), ',');
  const bool is_named = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "cuda" || name == "CUDAExecutionProvider";
  });
  const bool keeps_any =
      !options.all("keep-float").empty() || !options.all("keep-float-op").empty();
  const bool is_short = wanted == "bfloat16" || wanted == "float16";
  return is_named && is_short && !keeps_any ? wanted : std::string();
}

PrecisionChoice chosen_precision(const OptionValues& options, std::string_view max_isa) {
  const std::string wanted = options.text("precision", "float32");
  if (const std::string device = device_precision(options); !device.empty()) {
    const std::string reason = format("cuda holds values in {}", device);
    if (device == "float16") return {Precision::float32, reason};
    try {
      return choose_precision(Precision::bfloat16, max_isa);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::provider_unavailable) throw;
      return {Precision::float32, reason};
    }
  }
  for (const Precision precision :
       {Precision::bfloat16, Precision::float16, Precision::automatic}) {
    if (wanted == precision_name(precision)) return choose_precision(precision, max_isa);
  }
  return {};
}

KeepsFloat kept_floats(const OptionValues& options) {
  return keep_matching(all_texts(options, "keep-float"), all_texts(options, "keep-float-op"));
}

void check_precision_options(const OptionValues& options) {
  static_cast<void>(chosen_precision(options));
  if (options.text("precision", "float32") != "float32" || compares_precisions(options)) return;
  refuse_any(options, {"keep-float", "keep-float-op"}, "where everything is in float32",
             "add --precision bfloat16, or auto");
}

void check_kept_floats(const OptionValues& options, const Session& session) {
  std::vector<std::string> names;
  std::vector<std::string> op_types;
  for (const Placement& placement : session.placement()) {
    op_types.push_back(placement.op_type);
    names.push_back(placement.node);
    names.insert(names.end(), placement.origins.begin(), placement.origins.end());
  }
  for (const std::string& glob : options.all("keep-float")) {
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches_glob(name, glob); }))
      throw unknown_name("node in --keep-float", glob, "nodes", names);
  }
  std::sort(op_types.begin(), op_types.end());
  op_types.erase(std::unique(op_types.begin(), op_types.end()), op_types.end());
  for (const std::string& type : options.all("keep-float-op")) {
    if (!std::binary_search(op_types.begin(), op_types.end(), type))
      throw unknown_name("operator in --keep-float-op", type, "operators", op_types);
  }
}

Json precision_block(const OptionValues& options) {
  const PrecisionChoice choice = chosen_precision(options);
  const std::string device = device_precision(options);
  return Json::object()
      .set("requested", options.text("precision", "float32"))
      .set("used", device.empty() ? std::string(precision_name(choice.precision)) : device)
      .set("reason", choice.reason.empty() ? Json() : Json(choice.reason));
}

}  // namespace ortool
