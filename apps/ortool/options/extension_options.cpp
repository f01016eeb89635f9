// Extension options: libraries of custom operators, and definitions as text.
#include "apps/ortool/options/extension_options.hpp"

#include "libcore/api/defined_ops.hpp"
#include "libcore/base/file/file.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_definition_bytes = 16 << 20;

}  // namespace

OptionGroup extension_options() {
  return {"Operators of your own",
          {
              {.name = "custom-ops",
               .value = "LIB.so",
               .help = "load a library of custom operators",
               .repeats = true,
               .completes = Completion::files},
              {.name = "define-op",
               .value = "FILE",
               .help = "define operators by ONNX functions in a text file",
               .repeats = true,
               .completes = Completion::files},
          }};
}

void load_extensions(const OptionValues& options) {
  for (const std::string& path : options.all("custom-ops")) load_custom_ops(path);
  for (const std::string& path : options.all("define-op"))
    define_ops(read_text_file(path, max_definition_bytes), path);
}

}  // namespace ortool
