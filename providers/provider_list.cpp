// Provider list, in order of preference, with the modules that are found.
#include "providers/provider_list.hpp"

#include <algorithm>
#include <array>

#include "providers/cpu/cpu_provider.hpp"
#include "providers/cpu/level_rows.hpp"
#include "providers/cpu/support/precision_choice.hpp"
#include "providers/cpu/support/roofline.hpp"
#ifndef ORTOOL_MINIMAL
#include "providers/cpu/custom/custom_op.hpp"
#include "providers/cpu/custom/operator_library.hpp"
#include "providers/modules/module_library.hpp"
#include "providers/modules/module_provider.hpp"
#include "providers/modules/native_module_provider.hpp"
#include "providers/onednn/onednn_provider.hpp"
#endif

namespace ortool {
namespace {

/// The instruction set of that name, or the best one if this processor does not support it.
cpu::Isa isa_of(std::string_view max_isa) {
  for (const cpu::Isa isa : cpu::supported_isas()) {
    if (cpu::isa_name(isa) == max_isa) return isa;
  }
  return cpu::best_isa();
}

std::shared_ptr<const Provider> make_cpu(const ProviderSettings& settings) {
  return make_cpu_provider(isa_of(settings.max_isa));
}

#ifndef ORTOOL_MINIMAL
std::shared_ptr<const Provider> make_onednn(const ProviderSettings& settings) {
  return make_onednn_provider(isa_of(settings.max_isa));
}

std::shared_ptr<const Provider> make_cuda(const ProviderSettings& settings) {
  // CMake's reason; empty in a build with cuda.
  return make_native_provider("cuda", ORTOOL_WITHOUT_CUDA, settings);
}

/// Most machines have no driver, and need not load the module to learn that.
std::string cuda_is_useless() {
  if (is_library_found("libcuda.so.1")) return {};
  return "libcuda.so.1 was not found (wanted: the NVIDIA driver)";
}

/// The entry of a module; `missing_because` is told where there is none.
ProviderEntry module_entry(std::string name, std::string long_name = {},
                           std::string missing_because = {}) {
  const auto make = [name, missing_because](const ProviderSettings& settings) {
    return make_module_provider(name, missing_because, settings,
                                make_cpu_provider(isa_of(settings.max_isa)));
  };
  return {std::move(name), std::move(long_name), make, {}, false, true};
}
#endif

}  // namespace

std::vector<ProviderEntry> provider_list() {
  std::vector<ProviderEntry> list;
#ifndef ORTOOL_MINIMAL
  list = {
      {"cuda", "CUDAExecutionProvider", &make_cuda, {}, true, true, &cuda_is_useless},
      {"onednn", "DnnlExecutionProvider", &make_onednn, "", false},
      module_entry("openvino", "OpenVINOExecutionProvider"),
      module_entry("xnnpack", "XnnpackExecutionProvider",
                   "this build does not include XNNPACK (libxnnpack-dev of Debian 12)"),
  };
  for (const auto& [name, path] : modules::find_modules()) {
    const auto is_it = [&](const ProviderEntry& entry) { return entry.name == name; };
    if (name != "cpu" && std::none_of(list.begin(), list.end(), is_it))
      list.push_back(module_entry(name));
  }
#endif
  list.push_back({"cpu", "CPUExecutionProvider", &make_cpu, "", true});
  return list;
}

#ifndef ORTOOL_MINIMAL
void load_custom_ops(const std::string& path) {
  cpu::load_operator_library(path);
}

void add_custom_ops(const ::ortool_operators& operators, const std::string& origin) {
  cpu::add_operators(operators, origin);
}

void remove_custom_op(std::string_view domain, std::string_view name) {
  cpu::remove_custom_op(domain, name);
}
#endif

std::string_view precision_name(Precision precision) {
  constexpr std::array<std::string_view, 4> names = {"float32", "bfloat16", "float16", "auto"};
  return names.at(static_cast<std::size_t>(precision));
}

PrecisionChoice choose_precision(Precision wanted, std::string_view max_isa) {
  return cpu::choose_precision(wanted, isa_of(max_isa));
}

std::shared_ptr<const Provider> cpu_provider_in(Precision precision, std::string_view max_isa,
                                                KeepsFloat keeps_float) {
  return make_cpu_provider(isa_of(max_isa), precision, std::move(keeps_float));
}

std::vector<std::shared_ptr<const Provider>> default_providers(Precision precision,
                                                               KeepsFloat keeps_float) {
  const PrecisionChoice choice = choose_precision(precision);
  std::vector<std::shared_ptr<const Provider>> providers;
  for (const ProviderEntry& entry : provider_list()) {
    if (!entry.is_automatic || entry.make == nullptr) continue;
    if (entry.useless_because != nullptr && !entry.useless_because().empty()) continue;
    std::shared_ptr<const Provider> provider = entry.make({});
    if (provider->name() == "cpu") provider = cpu_provider_in(choice.precision, {}, keeps_float);
    if (provider->unavailable_because().empty()) providers.push_back(std::move(provider));
  }
  return providers;
}

MachineLimits measure_machine_limits(int threads, const StopToken& stop) {
  return cpu::measure_limits(threads, stop);
}

std::vector<std::string> isa_names() {
  std::vector<std::string> names;
  for (const cpu::Isa isa : cpu::supported_isas()) names.emplace_back(cpu::isa_name(isa));
  return names;
}

}  // namespace ortool
