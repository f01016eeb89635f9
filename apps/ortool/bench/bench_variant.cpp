// Options of a benchmark variant, which replace those of the command line.
#include "apps/ortool/bench/bench_variant.hpp"

#include <string>
#include <vector>

namespace ortool {

OptionValues options_for(const OptionValues& options, const BenchVariant& variant,
                         bool fixes_dims) {
  OptionValues changed = options;
  changed.set("provider", {variant.provider});
  changed.set("threads", {std::to_string(variant.threads)});
  std::vector<std::string> dims;
  if (fixes_dims) {
    for (const auto& [name, number] : variant.dims) dims.push_back(name + "=" + number);
  }
  changed.set("dim", std::move(dims));
  for (const auto& [name, value] : variant.more_options) {
    std::vector<std::string> values;
    for (const auto& [other, also] : variant.more_options) {
      if (other == name) values.push_back(also);
    }
    changed.set(name, std::move(values));
  }
  return changed;
}

}  // namespace ortool
