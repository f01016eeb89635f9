// Runs the checks of `inspect --check` on the outline of the file to be written.
#include "libcore/check/save_checked.hpp"

#include <memory>
#include <span>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/check/check_model.hpp"
#include "libcore/onnx/read/outline.hpp"

namespace ortool {
namespace {

std::string place_of(const Finding& finding) {
  if (!finding.node.empty()) return format("node {}: ", finding.node);
  return {};
}

}  // namespace

void check_before_save(const Model& model, const StopToken* stop) {
  const auto text = std::make_shared<const std::string>(outline_of(model));
  const StopToken never;
  const CheckResult result =
      check_model_from_bytes(std::as_bytes(std::span(*text)), text, "",
                             {.read_external_data = false}, stop != nullptr ? *stop : never, {});
  // Running out of memory says nothing about the model.
  if (result.memory_error) throw *result.memory_error;
  std::vector<const Finding*> errors;
  for (const Finding& finding : result.findings) {
    if (finding.severity == Severity::error) errors.push_back(&finding);
  }
  if (errors.empty()) return;
  const std::string others =
      errors.size() > 1 ? format(" (and {} more errors)", errors.size() - 1) : std::string();
  Error error(ErrorCode::invalid,
              format("the model to be written is not valid: {}{}{}", place_of(*errors.front()),
                     errors.front()->message, others),
              "nothing is written; if 'ortool inspect --check' finds no error in the model that "
              "was read, this is a bug in ortool: report it");
  error.with_id("save.invalid");
  for (const Finding* finding : errors) {
    Error part(ErrorCode::invalid, place_of(*finding) + finding->message, finding->remedy);
    error.add_part(part.with_id(finding->rule));
  }
  throw error;
}

std::int64_t save_checked_model(const Model& model, const std::string& path,
                                const SaveOptions& options) {
  try {
    check_before_save(model, options.stop);
  } catch (Error& error) {
    if (error.id() != "save.invalid") throw;
    throw error.in(path);
  }
  return save_model(model, path, options);
}

}  // namespace ortool
