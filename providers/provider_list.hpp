// Provider list: every execution provider that this build knows, by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/precision.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/measure/roofline.hpp"
#include "libcore/provider/kept_float.hpp"
#include "libcore/provider/provider.hpp"
#include "libcore/provider/provider_settings.hpp"

struct ortool_operators;

namespace ortool {

/// A provider, which may be unavailable here.
struct ProviderEntry {
  std::string name;       ///< "cpu"
  std::string long_name;  ///< ONNX Runtime's: "CPUExecutionProvider"; empty: none
  /// Creates it. Loads a module, and throws ErrorCode::invalid for settings that it does not have.
  /// Null: not in this build.
  std::function<std::shared_ptr<const Provider>(const ProviderSettings&)> make;
  std::string unavailable_because;  ///< set if `make` is null
  bool is_automatic;                ///< considered by `auto`
  bool takes_options = false;       ///< has settings of its own
  /// For `auto`: why it is no use to make it, found without loading anything of it; empty: make it.
  /// Null: always make it.
  std::string (*useless_because)() = nullptr;
};

/// In order of preference for `auto`: those of the library, and modules in the search path
/// (ORTOOL_PROVIDER_PATH, and ortool/providers beside the library), which are not loaded yet.
std::vector<ProviderEntry> provider_list();

/// The usable providers of `auto` in order of preference; cpu, which runs every node, is last. It
/// multiplies in `precision`, as choose_precision() resolves it, but for nodes that `keeps_float`
/// names (keep_matching() of libcore/provider/kept_float.hpp).
std::vector<std::shared_ptr<const Provider>> default_providers(
    Precision precision = Precision::float32, KeepsFloat keeps_float = nullptr);

/// What `wanted` is on this processor, with kernels up to `max_isa` (empty: all): automatic becomes
/// bfloat16 where that is faster, otherwise float32. Throws ErrorCode::provider_unavailable if the
/// processor lacks bfloat16, and ErrorCode::unsupported for float16.
PrecisionChoice choose_precision(Precision wanted, std::string_view max_isa = {});

/// The cpu provider with products in `precision`, which is one that choose_precision() returned,
/// but for nodes that `keeps_float` names.
std::shared_ptr<const Provider> cpu_provider_in(Precision precision, std::string_view max_isa = {},
                                                KeepsFloat keeps_float = nullptr);

/// Loads a library of custom operators (ortool/custom_ops.h), which the catalog and the cpu
/// provider have from then on: call it before models are loaded. Does nothing for one that is
/// loaded. Throws ErrorCode::invalid, starting with the path, for a wrong library.
void load_custom_ops(const std::string& path);

/// Adds operators of the program itself (ortool/custom_ops.h), whose structs are copied; `origin`
/// names them in messages. Throws as load_custom_ops() does, starting with `origin`.
void add_custom_ops(const ::ortool_operators& operators, const std::string& origin);

/// Removes an operator that was added: models loaded from then on do not find it, sessions keep it.
/// Throws ErrorCode::invalid if there is none.
void remove_custom_op(std::string_view domain, std::string_view name);

/// "float32", "bfloat16", "float16" or "auto".
std::string_view precision_name(Precision precision);

/// The instruction sets that kernels are written for and this processor supports, weakest first.
std::vector<std::string> isa_names();

/// Measures this machine's peak arithmetic throughput and memory bandwidth with `threads` threads,
/// in about half a second. Polls `stop`.
MachineLimits measure_machine_limits(int threads, const StopToken& stop);

}  // namespace ortool
