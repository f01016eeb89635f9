// Chosen outputs of run: --outputs, which may name values between the nodes as well.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/option_values.hpp"
#include "libcore/dataset/values/output_files.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// Makes the values that --outputs names outputs of the model, so that nothing is fused across
/// them; `all` is every value. Throws ErrorCode::invalid for unknown names.
void expose_chosen_outputs(const OptionValues& options, Model& model);

/// The same for another model that the run is compared with: those of `names` that it has.
void expose_outputs_named(std::span<const std::string> names, Model& model);

/// The names of --outputs as a list with commas; empty for all outputs.
std::string chosen_outputs(const OptionValues& options);

/// The positions of the chosen ones among `outputs`, in their order.
std::vector<std::size_t> chosen_positions(const OptionValues& options,
                                          std::span<Value* const> outputs);

/// The chosen ones among the results of a run.
std::vector<Output> pick_outputs(const OptionValues& options, const Session& session,
                                 std::vector<RunValue> results);

}  // namespace ortool
