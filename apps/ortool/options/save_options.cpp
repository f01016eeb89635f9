// What the options say of the file to write.
#include "apps/ortool/options/save_options.hpp"

#include <filesystem>
#include <unistd.h>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::int64_t default_threshold_bytes = 1024;
constexpr const char* standard_output_path = "/dev/stdout";

/// What a long run would only find out at its end.
void check_can_be_written(const std::string& path) {
  const auto fail = [&](std::string_view what, std::string_view hint) {
    throw Error(ErrorCode::write_failed, std::string(what), std::string(hint))
        .with_id("output.write")
        .in(path);
  };
  if (path.empty()) {
    throw Error(ErrorCode::invalid, "option --output: no name is given",
                "put a file's name behind -o")
        .with_id("usage.output");
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail("is a folder", "name a file in it");
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!std::filesystem::is_directory(folder, ignored))
    fail("cannot be written (there is no such folder)", "make the folder first");
}

void check_stream(const OptionValues& options) {
  if (options.flag("json") || options.text("format") == "json") {
    throw Error(ErrorCode::invalid, "option --json has no effect with --output -",
                "leave one of them out; --report FILE writes the document too")
        .with_id("usage.applies_to_nothing");
  }
  if (::isatty(STDOUT_FILENO) == 1) {
    throw Error(ErrorCode::invalid, "option --output: a terminal is no place for a model",
                "put a pipe or > FILE behind the command")
        .with_id("usage.output");
  }
}

}  // namespace

OptionGroup save_options() {
  return {"Output",
          {
              {.name = "output",
               .value = "OUT.onnx",
               .help = "the model to write; - is standard output",
               .letter = 'o',
               .completes = Completes::files},
              {.name = "force", .help = "OUT.onnx may be MODEL itself"},
              {.name = "external-data",
               .value = "WHEN",
               .help = "weights in a file beside the model: auto (as before; all above 2 GB)",
               .choices = {"auto", "always", "never"}},
              {.name = "external-threshold",
               .value = "SIZE",
               .help = "smaller weights stay in the model (default: 1024)"},
          }};
}

SaveTarget read_save_target(const OptionValues& options, const LoadedModel& loaded) {
  SaveTarget target;
  target.path = options.text("output");
  if (options.has("output"))
    target.path == "-" ? check_stream(options) : check_can_be_written(target.path);
  std::error_code ignored;
  if (target.path != "-" && loaded.path != "-" && !options.flag("force") &&
      std::filesystem::equivalent(target.path, loaded.path, ignored)) {
    throw Error(ErrorCode::invalid,
                format("option --output: {} is the model that is read", quote(target.path)),
                "give another name, or --force to replace it")
        .with_id("usage.overwrite");
  }
  const std::string when = options.text("external-data", "auto");
  if (when == "always") target.options.external_data = ExternalData::always;
  if (when == "never") target.options.external_data = ExternalData::never;
  target.options.external_threshold_bytes =
      options.size_bytes("external-threshold", default_threshold_bytes);
  if (target.path == "-" && when == "always") {
    throw Error(ErrorCode::invalid, "option --external-data: standard output has no file beside it",
                "give --output a name")
        .with_id("usage.value");
  }
  if (target.path == "-") target.options.external_data = ExternalData::never;
  return target;
}

std::int64_t save_to(const SaveTarget& target, const Model& model) {
  const bool is_stream = target.path == "-";
  save_model(model, is_stream ? standard_output_path : target.path, target.options);
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(target.path, ignored);
  return is_stream || ignored ? 0 : static_cast<std::int64_t>(bytes);
}

}  // namespace ortool
