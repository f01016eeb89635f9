// Variant session: the command line's options with those of the variant in their place.
#include "apps/ortool/run/variant_session.hpp"

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/run/chosen_outputs.hpp"
#include "libcore/api/verify.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/runtime/compact_session.hpp"

namespace ortool {
namespace {

OptionValues options_of(const Invocation& invocation, const Variant& variant) {
  OptionValues options = invocation.options;
  for (const auto& [name, value] : variant.options) options.set(name, {value});
  return options;
}

}  // namespace

void check_variant(const Invocation& invocation, const Variant& variant) {
  const OptionValues options = options_of(invocation, variant);
  static_cast<void>(choose_providers(invocation.with(options), variant.max_isa));
  const std::string& path =
      variant.model_path.empty() ? invocation.arguments.front() : variant.model_path;
  if (path == "-") {
    throw Error(ErrorCode::invalid, "the model from standard input cannot be read twice",
                "give it as a file to compare")
        .with_id("input.stream");
  }
  LoadOptions outline;
  outline.read_external_data = false;
  if (!variant.model_path.empty()) static_cast<void>(load_model_at(path, outline));
}

VariantSession::VariantSession(Invocation& invocation, const Variant& variant,
                               const std::string& model_path, std::span<const std::string> outputs)
    : invocation_(invocation),
      variant_(variant),
      options_(options_of(invocation, variant)),
      pool_(thread_count(options_)) {
  const Invocation changed = invocation.with(options_);
  LoadedModel loaded = load_model_at(variant.model_path.empty() ? model_path : variant.model_path);
  expose_outputs_named(outputs, *loaded.model);
  apply_shapes(*loaded.model);
  in_file(loaded.path, [&] {
    session_ = make_compact_session(
        std::move(loaded.model),
        session_options(changed, choose_providers(changed, variant.max_isa), pool_));
  });
}

/// Another model may lack a symbol that --dim sets, or name its inputs differently.
void VariantSession::apply_shapes(Model& model) const {
  try {
    apply_shape_options(options_, model);
  } catch (const Error& error) {
    if (variant_.model_path.empty()) throw;
    invocation_.warn(format("{}: {}", variant_.text, error.what()));
  }
}

RunOptions VariantSession::run_options(RunOptions options) const {
  options.threads = thread_count(options_);
  options.profile = nullptr;
  return options;
}

bool VariantSession::is_parallel() const {
  return runs_in_parallel(options_);
}

NamedValues VariantSession::matched(NamedValues inputs) const {
  for (const auto& [from, to] : match_inputs(*session_, inputs))
    invocation_.warn(format("{}: input {} is fed to {}, by its position", variant_.text,
                            quote(from), quote(to)));
  return inputs;
}

bool runs_in_parallel(const OptionValues& options) {
  return options.text("execution", "sequential") == "parallel";
}

}  // namespace ortool
