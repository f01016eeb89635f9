// Parts of a benchmark: models are shared, and each model's variants are measured together.
#include "apps/ortool/bench/bench_part.hpp"

#include <algorithm>
#include <set>

#include "apps/ortool/bench/bench_report.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/parts/joined_report.hpp"
#include "apps/ortool/parts/part_task.hpp"
#include "apps/ortool/parts/shard_options.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

/// The models without repetitions.
std::vector<std::string> different_models(const BenchSettings& settings) {
  std::vector<std::string> models;
  for (const std::string& model : settings.models) {
    if (std::find(models.begin(), models.end(), model) == models.end()) models.push_back(model);
  }
  return models;
}

/// A number of milliseconds at a path of keys, as text.
std::string time_text(const Json& result, std::string_view block, std::string_view key) {
  const Json* found = result.find(block);
  if (found != nullptr && !key.empty()) found = found->find(key);
  return found != nullptr && found->is_number() ? short_ms(found->number()) : "-";
}

std::string text_in(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value != nullptr && value->is_text() ? value->text() : std::string();
}

std::string table_of(const Json& results) {
  TextTable table({TextTable::Align::left, TextTable::Align::right, TextTable::Align::right,
                   TextTable::Align::right, TextTable::Align::right});
  table.add_row({"variant", "median", "p95", "load", "compile"});
  for (const Json& result : results.items()) {
    table.add_row({text_in(result, "variant"), time_text(result, "latency_ms", "p50"),
                   time_text(result, "latency_ms", "p95"), time_text(result, "load_ms", ""),
                   time_text(result, "compile_ms", "")});
  }
  return table.to_string();
}

/// The id of the machine that a report is of.
std::string machine_of(const Json& document) {
  const Json* machine = document.find("machine");
  return machine != nullptr ? text_in(*machine, "id") : std::string();
}

}  // namespace

std::optional<BenchShard> read_bench_shard(const Invocation& invocation,
                                           const BenchSettings& settings) {
  const std::optional<Shard> shard = read_shard_and_part(invocation);
  if (!shard) return std::nullopt;
  refuse_any(invocation.options, {"reference", "baseline", "tune", "stepped"}, "with --shard",
             "compare the merged report: bench --baseline takes it");
  BenchShard read;
  const std::vector<std::string> models = different_models(settings);
  read.part.path = invocation.options.text("part-out");
  PartTask& task = read.part.task;
  task = part_task(invocation, "bench", benchmark_kind, *shard, nullptr);
  task.items = static_cast<std::int64_t>(models.size());
  if (invocation.options.has("threads"))
    task.settings.emplace_back("threads", invocation.options.text("threads"));
  std::string data;
  for (const std::string& model : models) {
    if (model == "-")
      throw applies_to_nothing("option --shard: a model from standard input has no shards",
                               "give the models as files");
    data += format("{} {};", quote(model), hash_of_file(find_model(model).path));
  }
  task.data = hash_of_text(data);
  read.part.items = items_of(*shard, task.items);
  read.models.assign(models.begin() + read.part.items.first,
                     models.begin() + read.part.items.second);
  return read;
}

std::vector<BenchVariant> variants_of(const BenchSettings& settings, const BenchShard& shard) {
  std::vector<BenchVariant> variants = list_variants(settings);
  std::erase_if(variants, [&](const BenchVariant& variant) {
    return std::find(shard.models.begin(), shard.models.end(), variant.model) == shard.models.end();
  });
  return variants;
}

void write_bench_part(const Invocation& invocation, BenchShard shard) {
  shard.part.payload = Json::object()
                           .set("verdict", invocation.report.verdict)
                           .set("document", unfinished_document(invocation.report))
                           .write_compact();
  write_part_file(shard.part);
}

JoinedBenchResult join_benchmarks(const std::vector<Part>& parts, MemoryCap& memory) {
  JoinedBenchResult joined;
  JoinedReport whole;
  std::vector<Json> documents;
  std::set<std::string> machines;
  for (const Part& part : parts) {
    const Json payload =
        parse_json(read_part_again(part, &memory).payload, part.path, {.cap = &memory});
    const Json* verdict = payload.find("verdict");
    const Json* document = payload.find("document");
    const Json* results = document != nullptr ? document->find("results") : nullptr;
    if (verdict == nullptr || !verdict->is_number() || results == nullptr || !results->is_list()) {
      throw Error(ErrorCode::invalid, "the part has no valid report",
                  "run its shard again to replace it")
          .with_id("part.content")
          .in(part.path);
    }
    joined.verdict = std::max(joined.verdict, static_cast<int>(verdict->number()));
    const std::string machine = machine_of(*document);
    Json& copy = documents.emplace_back(*document);
    for (auto& [key, value] : copy.members()) {
      if (key != "results") continue;
      for (Json& result : value.items()) result.set("machine", machine);
    }
    if (!results->items().empty()) machines.insert(machine);
    whole.add(*document);
  }
  for (const char* key : {"results", "comparison", "gate", "profile"})
    whole.append_lists(documents, key);
  if (machines.size() > 1) {
    whole.add_warning(
        format("the results are of {} different machines: compare only those of the "
               "same one",
               machines.size()));
  }
  joined.document = whole.take();
  joined.text = table_of(*joined.document.find("results"));
  return joined;
}

}  // namespace ortool
