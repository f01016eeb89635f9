// Variant session: a session for the settings of a --compare, and the inputs of the run for it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "apps/ortool/run/variant.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

class VariantSession {
 public:
  /// For the model at `model_path`, unless the variant names another one. `outputs` may be values
  /// between its nodes. Throws what loading and compiling throw.
  VariantSession(Invocation& invocation, const Variant& variant, const std::string& model_path,
                 std::span<const std::string> outputs);

  const Session& session() const { return *session_; }
  /// `options` with the variant's number of threads.
  RunOptions run_options(RunOptions options) const;
  /// Whether nodes run in parallel, so that values cannot be observed.
  bool is_parallel() const;
  /// With the names that this model has for them; warns where they are paired by position.
  NamedValues matched(NamedValues inputs) const;

 private:
  void apply_shapes(Model& model) const;

  Invocation& invocation_;
  const Variant& variant_;
  OptionValues options_;
  ThreadPool pool_;
  std::unique_ptr<Session> session_;
};

/// Throws what making its session would for wrong settings, and for a file that is no model.
void check_variant(const Invocation& invocation, const Variant& variant);

/// Whether --execution is parallel.
bool runs_in_parallel(const OptionValues& options);

}  // namespace ortool
