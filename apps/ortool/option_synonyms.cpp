// Table of option synonyms: trtexec, benchmark_app, onnxruntime_perf_test, Polygraphy, onnxsim.
#include "apps/ortool/option_synonyms.hpp"

#include <algorithm>
#include <array>

namespace ortool {
namespace {

struct Synonym {
  std::string_view name;
  std::string_view option;   ///< without dashes
  std::string_view written;  ///< in full
};

constexpr std::array<Synonym, 37> synonyms = {{
    {"repeat", "iterations", "--iterations"},
    {"niter", "iterations", "--iterations"},
    {"runs", "iterations", "--iterations"},
    {"num-runs", "iterations", "--iterations"},
    {"profile", "trace", "--trace"},
    {"dumpProfile", "profile", "--profile"},
    {"exportProfile", "trace", "--trace"},
    {"html", "format", "--format html"},
    {"csv", "format", "--format csv"},
    {"junit", "format", "--format junit"},
    {"device", "provider", "--provider"},
    {"ep", "provider", "--provider"},
    {"execution-provider", "provider", "--provider"},
    {"backend", "provider", "--provider"},
    {"loadInputs", "input", "--input"},
    {"data-loader-script", "input", "--input"},
    {"shapes", "shape", "--shape"},
    {"input-shape", "shape", "--shape"},
    {"input-shapes", "shape", "--shape"},
    {"overwrite-input-shape", "shape", "--shape"},
    {"batch", "dim", "--dim batch=N"},
    {"batch-size", "dim", "--dim batch=N"},
    {"infer_precision", "fp16", "--fp16"},
    {"half", "fp16", "--fp16"},
    {"layerPrecisions", "keep-float", "--keep-float"},
    {"opset-version", "opset", "--opset"},
    {"target-opset", "opset", "--opset"},
    {"nthreads", "threads", "--threads"},
    {"intra-op-num-threads", "threads", "--threads"},
    {"num-threads", "threads", "--threads"},
    {"nstreams", "concurrency", "--concurrency"},
    {"topk", "top", "--top"},
    {"classes", "labels", "--labels"},
    {"dataset", "data", "--data"},
    {"calib", "calibration-data", "--calibration-data"},
    {"calibration", "calibration-data", "--calibration-data"},
    {"optimization-level", "optimize", "--optimize"},
}};

}  // namespace

std::string_view option_for_synonym(std::string_view name, const std::vector<OptionGroup>& groups) {
  const auto is_offered = [&](std::string_view option) {
    return std::any_of(groups.begin(), groups.end(), [&](const OptionGroup& group) {
      return std::any_of(group.options.begin(), group.options.end(),
                         [&](const OptionSpec& each) { return each.name == option; });
    });
  };
  for (const Synonym& synonym : synonyms) {
    if (synonym.name == name && is_offered(synonym.option)) return synonym.written;
  }
  return {};
}

}  // namespace ortool
