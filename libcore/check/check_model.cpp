// Model checker: checks the file part by part, then the graph's meaning if it can be loaded.
#include "libcore/check/check_model.hpp"

#include "libcore/base/file/file.hpp"
#include "libcore/base/file/standard_input.hpp"
#include "libcore/check/checks.hpp"

namespace ortool {
namespace {

void check_file(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner,
                const std::string& directory, const LoadOptions& options, const StopToken& stop,
                Findings& findings) {
  onnx::LoadContext context(bytes, owner, directory, options);
  const FileModel model = read_file_model(context, findings);
  stop.poll();
  if (model.graphs.empty()) return;
  check_versions(model, findings);
  check_names(model, findings);
  check_values(model, stop, findings);
  check_interface(model, findings);
  check_functions_of(model, findings);
  check_operators(model, stop, findings);
}

}  // namespace

CheckResult check_model_from_bytes(std::span<const std::byte> bytes,
                                   const std::shared_ptr<const void>& owner,
                                   const std::string& directory, const LoadOptions& options,
                                   const StopToken& stop,
                                   const std::function<void(Model&)>& prepare) {
  Findings findings;
  CheckResult result;
  check_file(bytes, owner, directory, options, stop, findings);
  // Loading reports the same errors in other words, so only findings beyond them count.
  const bool had_errors = findings.has_errors();
  try {
    result.model = load_model_from_bytes(bytes, owner, "", directory, options);
    resolve_legacy_defaults(*result.model);
  } catch (const Error& error) {
    result.load_error = error;
    const bool is_other_format = error.id() == "file.format";
    // What a file of another format violates is of no interest.
    if (is_other_format) findings = Findings();
    if (is_other_format || !had_errors) findings.add(error);
  }
  if (result.model != nullptr) {
    if (prepare) prepare(*result.model);
    check_meaning(*result.model, stop, findings);
  }
  if (result.model != nullptr && !findings.has_node_errors()) {
    check_shapes(*result.model, findings);
  } else {
    findings.add("model.check_stopped", {},
                 "types and shapes were not checked because of the errors");
  }
  result.left_out = findings.left_out();
  result.memory_error = findings.memory_error();
  result.findings = findings.take();
  return result;
}

CheckResult check_model(const std::string& path, const LoadOptions& options, const StopToken& stop,
                        const std::function<void(Model&)>& prepare) {
  if (path == "-") {
    const StandardInput input = read_standard_input(options.cap);
    return check_model_from_bytes(input.bytes, input.owner, "", options, stop, prepare);
  }
  const MappedFile file = MappedFile::open(path);
  const auto slash = path.rfind('/');
  const std::string directory =
      slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash);
  return check_model_from_bytes(file.bytes(), file.owner(), directory, options, stop, prepare);
}

}  // namespace ortool
