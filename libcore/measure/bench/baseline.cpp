// Benchmark baselines: reads reports, and stores one per machine.
#include "libcore/measure/bench/baseline.hpp"

#include <filesystem>
#include <set>

#include "libcore/base/error.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_baseline_bytes = std::int64_t{1} << 30;

std::string text_in(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value != nullptr && value->is_text() ? value->text() : std::string();
}

double number_in(const Json* object, std::string_view key) {
  const Json* value = object != nullptr ? object->find(key) : nullptr;
  return value != nullptr && value->is_number() ? value->number() : 0;
}

[[noreturn]] void fail_no_report(const std::string& path) {
  throw Error(ErrorCode::invalid, "is not a report of `ortool bench`",
              "write one with: ortool bench MODEL --report FILE")
      .in(path)
      .with_id("baseline.format");
}

}  // namespace

Baseline::Baseline(const std::string& path, const MachineFingerprint& machine, MemoryCap* cap) {
  std::error_code ignored;
  is_folder_ = std::filesystem::is_directory(path, ignored);
  file_ = is_folder_ ? (std::filesystem::path(path) / (machine.id() + ".json")).string() : path;
  if (is_folder_ && !std::filesystem::exists(file_, ignored)) return;
  read(file_, cap);
  if (machine_id_ == machine.id()) return;
  incomparable_because_ =
      format("{} is of another machine ({}, fingerprint {}; this one is {}, {})", quote(path),
             machine_cpu_, machine_id_, machine.cpu, machine.id());
}

void Baseline::read(const std::string& path, MemoryCap* cap) {
  const Json document =
      parse_json(read_text_file(path, max_baseline_bytes, cap), path, {.cap = cap});
  const Json* machine = document.find("machine");
  const Json* results = document.find("results");
  if (machine == nullptr || results == nullptr || !results->is_list()) fail_no_report(path);
  machine_id_ = text_in(*machine, "id");
  machine_cpu_ = text_in(*machine, "cpu");
  stored_results_ = *results;
  std::set<std::string> models;
  for (const Json& result : results->items()) {
    const Json* medians = result.find("block_medians_ms");
    const std::string status = text_in(result, "status");
    const Json* is_reference = result.find("is_reference");
    if (is_reference != nullptr && is_reference->is_flag() && is_reference->flag()) continue;
    if (medians == nullptr || !medians->is_list() || status != "ok") continue;
    BaselineEntry entry;
    entry.variant = text_in(result, "variant");
    models.insert(text_in(result, "model"));
    entry.setting =
        format("{} threads={}", text_in(result, "provider"), number_in(&result, "threads"));
    if (const Json* dims = result.find("dims"); dims != nullptr && dims->is_object()) {
      for (const auto& [name, number] : dims->members()) {
        entry.setting += format(" {}={}", name, number.is_number() ? number.number() : 0.0);
      }
    }
    entry.p50_ms = number_in(result.find("latency_ms"), "p50");
    for (const Json& median : medians->items()) {
      if (median.is_number() && median.number() > 0) {
        entry.block_medians_ms.push_back(median.number());
      }
    }
    entries_.push_back(std::move(entry));
  }
  model_count_ = models.size();
}

const BaselineEntry* Baseline::find(const BenchVariant& variant) const {
  if (!incomparable_because_.empty()) return nullptr;
  for (const BaselineEntry& entry : entries_) {
    if (entry.variant == variant.name) return &entry;
  }
  if (is_folder_ || model_count_ != 1) return nullptr;
  for (const BaselineEntry& entry : entries_) {
    if (entry.setting == variant.setting()) return &entry;
  }
  return nullptr;
}

RegressionVerdict Baseline::verdict_without_entry() const {
  return is_folder_ ? RegressionVerdict::fresh : RegressionVerdict::incomparable;
}

std::string Baseline::store(const Json& results, const MachineFingerprint& machine) const {
  if (!is_folder_) return {};
  Json all = stored_results_;
  bool has_new = false;
  for (const Json& result : results.items()) {
    const std::string name = text_in(result, "variant");
    bool is_known = text_in(result, "status") != "ok";
    for (const BaselineEntry& entry : entries_) is_known = is_known || entry.variant == name;
    const Json* is_reference = result.find("is_reference");
    is_known = is_known || (is_reference != nullptr && is_reference->flag());
    if (is_known) continue;
    all.add(result);
    has_new = true;
  }
  if (!has_new) return {};
  const Json document = Json::object()
                            .set("schema_version", "2.0")
                            .set("machine", machine_block(machine))
                            .set("results", std::move(all));
  write_file(file_, document.write());
  return file_;
}

Json machine_block(const MachineFingerprint& machine) {
  return Json::object()
      .set("id", machine.id())
      .set("cpu", machine.cpu)
      .set("isa", Json::list_of(machine.isa))
      .set("processors", machine.processors)
      .set("cache_bytes", machine.cache_bytes)
      .set("memory_gib", machine.memory_gib)
      .set("virtual", machine.is_virtual);
}

}  // namespace ortool
