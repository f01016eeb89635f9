// Runs bench --estimate: reads devices, computes the time of each variant on each, and reports.
#include "apps/ortool/bench/estimate_run.hpp"

#include <algorithm>
#include <filesystem>

#include "apps/ortool/bench/bench_report.hpp"
#include "apps/ortool/bench/runner_factory.hpp"
#include "apps/ortool/embedded_documents.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/report/csv.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/escape.hpp"
#include "libcore/measure/estimate/model_estimate.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_device_bytes = 1 << 20;
constexpr std::size_t shown_nodes = 12;

struct DeviceDocument {
  Json json;
  Device device;
};

DeviceDocument read_document(const std::string& name, std::string_view text) {
  Json json = parse_json(text, name);
  Device device = read_device(json);
  return {std::move(json), std::move(device)};
}

/// The device of that name, or that of a file.
DeviceDocument find_device(const std::string& given) {
  std::vector<std::string> names;
  for (const EmbeddedFile& document : embedded_devices()) {
    if (document.name == given) return read_document(given, document.text);
    names.emplace_back(document.name);
  }
  std::error_code ignored;
  if (!std::filesystem::exists(given, ignored)) {
    throw Error(ErrorCode::invalid,
                format("option --estimate: {} is neither a file nor the name of a device",
                       quote(given)),
                format("the devices are: {}; `ortool schema device` prints the format of a file",
                       list_names(names)))
        .with_id("usage.value");
  }
  try {
    return read_document(given, read_text_file(given, max_device_bytes));
  } catch (Error& error) {
    throw error.in(given);
  }
}

Json row_block(const EstimateRow& row, const ModelEstimate& estimate) {
  return Json::object()
      .set("node", row.node)
      .set("op_type", row.op_type)
      .set("calls", row.calls)
      .set("macs", row.macs)
      .set("bytes", row.bytes)
      .set("ms", row.ms)
      .set("share", estimate.ms > 0 ? row.ms / estimate.ms : 0)
      .set("bound", name_of(row.bound));
}

Json estimate_block(const ModelEstimate& estimate, const Device& device,
                    const BenchVariant& variant) {
  Json nodes = Json::list();
  for (const EstimateRow& row : estimate.rows) nodes.add(row_block(row, estimate));
  return Json::object()
      .set("device", device.name)
      .set("variant", estimate.variant)
      .set("model", variant.model)
      .set("threads", estimate.threads)
      .set("ms", estimate.ms)
      .set("overhead_ms", estimate.overhead_ms)
      .set("macs", estimate.macs)
      .set("weight_bytes", estimate.weight_bytes)
      .set("nodes", std::move(nodes));
}

struct DeviceEstimate {
  const Device* device;
  BenchVariant variant;
  ModelEstimate estimate;
};

std::string csv_text(const std::vector<DeviceEstimate>& all) {
  std::string text =
      csv_line({"device", "variant", "model", "threads", "estimated_ms", "macs", "weight_bytes"});
  for (const auto& [device, variant, estimate] : all) {
    text += csv_line({device->name, estimate.variant, variant.model,
                      std::to_string(estimate.threads), format("{}", estimate.ms),
                      format("{}", estimate.macs), format("{}", estimate.weight_bytes)});
  }
  return text;
}

std::string nodes_text(const DeviceEstimate& one) {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                   Align::left});
  table.add_row({"node", "type", "calls", "time", "share", "MACs", "bound by"});
  const ModelEstimate& estimate = one.estimate;
  for (std::size_t i = 0; i < std::min(shown_nodes, estimate.rows.size()); ++i) {
    const EstimateRow& row = estimate.rows[i];
    table.add_row({row.node, row.op_type, fixed_number(row.calls, 0), short_ms(row.ms),
                   fixed_number(100 * row.ms / estimate.ms, 1) + " %", readable_count(row.macs),
                   std::string(name_of(row.bound))});
  }
  std::string text = "\n" + table.to_string(2);
  if (estimate.rows.size() > shown_nodes) {
    text += format("  and {} more nodes (--json lists all)\n", estimate.rows.size() - shown_nodes);
  }
  return text;
}

std::string text_of(const std::vector<DeviceEstimate>& all) {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                   Align::right});
  table.add_row({"estimate for", "model", "threads", "time", "runs/s", "MACs", "weights"});
  for (const auto& [device, variant, estimate] : all) {
    table.add_row({device->name, estimate.variant, std::to_string(estimate.threads),
                   short_ms(estimate.ms), readable_count(1e3 / estimate.ms),
                   readable_count(estimate.macs), readable_bytes(estimate.weight_bytes)});
  }
  std::string text = table.to_string();
  if (all.size() == 1) text += nodes_text(all.front());
  return text;
}

/// Sessions know their shapes, so that work can be counted. Models may have bodies that do not
/// allow these shapes and do not run with them.
void add_estimates(const Invocation& invocation, const BenchSettings& settings,
                   const BenchVariant& variant, const std::vector<DeviceDocument>& devices,
                   RunnerFactory::Shapes shapes, std::vector<DeviceEstimate>& all) {
  RunnerFactory factory(invocation, settings, shapes);
  const std::unique_ptr<BenchRunner> runner = factory.make(variant);
  for (const DeviceDocument& document : devices) {
    all.push_back({&document.device, variant,
                   estimate_model(variant.name, *runner, document.device, variant.threads)});
  }
}

std::vector<DeviceEstimate> estimate_all(const Invocation& invocation,
                                         const BenchSettings& settings,
                                         const std::vector<DeviceDocument>& devices) {
  std::vector<DeviceEstimate> all;
  const std::vector<BenchVariant> variants = list_variants(settings);
  Progress progress(invocation.task(), "estimating");
  for (std::size_t i = 0; i < variants.size(); ++i) {
    progress.tell_done(static_cast<std::int64_t>(i), static_cast<std::int64_t>(variants.size()));
    const std::size_t known = all.size();
    try {
      add_estimates(invocation, settings, variants[i], devices, RunnerFactory::Shapes::fixed, all);
    } catch (const Error& error) {
      const bool is_of_shapes =
          error.code() == ErrorCode::invalid || error.code() == ErrorCode::unsupported;
      if (!is_of_shapes || variants[i].model == "-") throw;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(known), all.end());
      add_estimates(invocation, settings, variants[i], devices, RunnerFactory::Shapes::as_declared,
                    all);
    }
  }
  return all;
}

}  // namespace

void run_estimate(Invocation& invocation, const BenchSettings& settings) {
  const OptionValues& options = invocation.options;
  refuse_any(options,
             {"stepped", "profile", "trace", "tune", "isolate", "reference", "baseline",
              "max-regression", "max-latency", "max-rss", "find-rate", "rate", "warmup",
              "iterations", "duration", "precision-target", "percentiles", "concurrency", "raw",
              "provider", "skip-unavailable", "shard", "part-out"},
             "with --estimate", "an estimate measures nothing: leave it out");
  const std::string wanted = options.text("format", "text");
  if (wanted != "text" && wanted != "csv" && wanted != "json") {
    throw no_effect("format", format("as {} with --estimate", wanted), "use text, csv or json");
  }
  std::vector<DeviceDocument> devices;
  for (const std::string& given : options.all("estimate")) devices.push_back(find_device(given));
  BenchSettings on_cpu = settings;
  on_cpu.providers = {"cpu"};
  const std::vector<DeviceEstimate> all = estimate_all(invocation, on_cpu, devices);
  Json blocks = Json::list();
  for (const auto& [device, variant, estimate] : all) {
    blocks.add(estimate_block(estimate, *device, variant));
  }
  Json documents = Json::list();
  for (DeviceDocument& document : devices) documents.add(std::move(document.json));
  invocation.report.payload.set("estimates", std::move(blocks)).set("devices", std::move(documents));
  invocation.report.text = wanted == "csv" ? csv_text(all) : text_of(all);
}

}  // namespace ortool
