// Errors of a quantized model: loads both models, runs them on the validation data, reports.
#include "apps/ortool/quantize/errors_run.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/image_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/save_options.hpp"
#include "apps/ortool/parts/joined_report.hpp"
#include "apps/ortool/parts/part_task.hpp"
#include "apps/ortool/parts/shard_options.hpp"
#include "apps/ortool/quantize/errors_report.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"
#include "apps/ortool/report/data_files_block.hpp"
#include "libcore/api/quantize_errors.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr std::array<std::string_view, 6> used_options = {
    "errors-of", "validation-data", "image", "image-config", "shard", "part-out"};

/// Options about making a model.
void refuse_other_options(const OptionValues& options) {
  std::vector<OptionGroup> groups = quantize_options();
  groups.push_back(save_options());
  for (const OptionGroup& group : groups) {
    for (const OptionSpec& option : group.options) {
      const bool is_used =
          std::find(used_options.begin(), used_options.end(), option.name) != used_options.end();
      if (!is_used)
        refuse_any(options, {option.name}, "with --errors-of", "no model is made; leave it out");
    }
  }
  if (options.has("validation-data")) return;
  throw Error(ErrorCode::invalid, "--errors-of needs data to run both models on",
              "add --validation-data SET")
      .with_id("usage.calibration_data");
}

}  // namespace

void run_quantization_errors(Invocation& invocation) {
  const OptionValues& values = invocation.options;
  refuse_other_options(values);
  const std::optional<Shard> shard = read_shard_and_part(invocation);
  LoadedModel loaded = load_model_argument(invocation);
  const LoadedModel quantized =
      load_model_at(values.text("errors-of"), {.cap = &invocation.memory});
  std::optional<PartTask> task;
  if (shard) task = part_task(invocation, "quantize", errors_kind, *shard, &loaded);
  QuantizeOptions options;
  options.compute = compute_options(invocation, choose_providers(invocation));
  options.model_path = loaded.path;
  const auto sets = values.all("validation-data");
  options.complete_data = [&](const Model& prepared, QuantizeData& data) {
    data.validation.assign(sets.begin(), sets.end());
    data.recipes = read_image_recipes(invocation, prepared);
    data.part = task;
  };
  const ErrorReport found = in_file(
      loaded.path, [&] { return quantization_errors(*loaded.model, *quantized.model, options); });
  const ErrorsReport told = describe_errors(found.record);
  Report& report = invocation.report;
  report.payload
      .set("errors_of",
           Json::object().set("path", quantized.path).set("sha256", hash_of_file(quantized.path)))
      .set("samples", found.record.samples)
      .set("preparation", Json::object()
                              .set("nodes_before", found.preparation.nodes_before)
                              .set("nodes_after", found.preparation.nodes_after)
                              .set("rewrites", found.preparation.rewrites))
      .set("data_files", data_files_block(found.data_files))
      .set("error", told.errors)
      .set("end_to_end", told.outputs);
  report.text += told.text;
  if (!found.part) return;
  const Part& part = *found.part;
  report.text = shard_line(part, "samples") + report.text;
  Json document = unfinished_document(report);
  std::erase_if(document.members(), [](const auto& each) {
    return each.first == "error" || each.first == "end_to_end";
  });
  write_part_file({values.text("part-out"), part.task, part.items,
                   Json::object()
                       .set("record", found.record.state())
                       .set("document", std::move(document))
                       .write_compact()});
}

JoinedErrors join_errors(const std::vector<Part>& parts, MemoryCap& memory) {
  std::optional<ErrorRecord> whole;
  JoinedReport document;
  for (const Part& part : parts) {
    try {
      const Json payload =
          parse_json(read_part_again(part, &memory).payload, "payload", {.cap = &memory});
      const MetricState read(payload);
      ErrorRecord record = ErrorRecord::from_state(MetricState(read.member("record")));
      if (whole) {
        whole->merge(record);
      } else {
        whole = std::move(record);
      }
      document.add(read.member("document"));
    } catch (Error& error) {
      throw error.in(part.path);
    }
  }
  ErrorsReport told = describe_errors(*whole);
  document.set("samples", whole->samples);
  document.set("error", std::move(told.errors));
  document.set("end_to_end", std::move(told.outputs));
  return {document.take(), std::move(told.text)};
}

}  // namespace ortool
