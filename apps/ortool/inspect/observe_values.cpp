// Value statistics of inspect --data: one run per sample, every value examined when computed.
#include "apps/ortool/inspect/observe_values.hpp"

#include <cmath>
#include <unordered_map>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/image_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/data_files_block.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/dataset/sample_set.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {
namespace {

/// The name of the node whose body the graph is; empty for the main graph.
std::string_view owner_of(const Graph& graph) {
  return graph.owner() != nullptr ? graph.owner()->name() : std::string_view();
}

/// Observes the values whose names match, without keeping any of them.
class Watcher : public ValueObserver {
 public:
  explicit Watcher(std::string select) : select_(std::move(select)) {}

  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    if (node.output(index) != nullptr) add(*node.output(index), value);
  }
  void add(const Value& value, const RunValue& content) {
    const auto [place, is_new] = places_.emplace(&value, not_watched);
    if (is_new && has_numbers(content) && matches_glob(value.name(), select_)) {
      place->second = values_.size();
      values_.push_back({std::string(value.name()), std::string(owner_of(value.graph())), {}});
    }
    if (place->second != not_watched) add_content(values_[place->second], content);
  }
  std::vector<ObservedValue> take() { return std::move(values_); }

 private:
  static constexpr std::size_t not_watched = static_cast<std::size_t>(-1);

  static bool has_numbers(const RunValue& content) {
    return content.is_tensor() || content.is_sequence();
  }
  /// Of a sequence, every element is counted.
  static void add_content(ObservedValue& entry, const RunValue& content) {
    if (content.is_tensor()) entry.statistics.add(content.tensor());
    if (!content.is_sequence()) return;
    for (const RunValue& element : content.elements()) add_content(entry, element);
  }

  std::string select_;
  std::unordered_map<const Value*, std::size_t> places_;
  std::vector<ObservedValue> values_;
};

/// One sample from --input and related options.
class OneSample : public SampleSet {
 public:
  OneSample(const Invocation& invocation, const Model& model)
      : sample_{"", named_values(gather_inputs(invocation, model)), {}, {}} {}

  std::int64_t size() const override { return 1; }
  Sample next() override { return std::move(sample_); }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  std::string identity() const override { return {}; }

 private:
  Sample sample_;
  std::vector<std::string> no_names_;
};

std::unique_ptr<SampleSet> open_samples(const Invocation& invocation, const Model& model) {
  const OptionValues& options = invocation.options;
  if (!options.has("data")) return std::make_unique<OneSample>(invocation, model);
  const std::span<Value* const> inputs = model.inputs();
  const auto recipes = read_image_recipes(invocation, model);
  SampleContext context{invocation.task(), inputs, model.outputs(), recipes};
  context.has_class_names = options.has("labels");
  context.casts_inputs = options.flag("cast");
  const std::string path = options.text("data");
  auto set = open_sample_set(path, std::move(context));
  if (set->files() != nullptr)
    invocation.report.payload.set("data_files", data_files_block({{path, *set->files()}}));
  refuse_unused_recipes(recipes, std::span(&set, 1));
  return set;
}

/// Nodes as in the file, each with its value.
std::unique_ptr<Session> make_session(const Invocation& invocation, const std::string& path,
                                      ThreadPool& pool) {
  std::unique_ptr<Model> model = load_model_at(path).model;
  apply_shape_options(invocation.options, *model);
  SessionOptions options = session_options(invocation, choose_providers(invocation), pool);
  if (!invocation.options.has("optimize")) options.optimize = OptimizeLevel::none;
  return std::make_unique<Session>(std::move(model), std::move(options));
}

std::vector<ObservedValue> observe(const Invocation& invocation, const Model& model,
                                   const std::string& path) {
  const OptionValues& options = invocation.options;
  const std::unique_ptr<SampleSet> set = open_samples(invocation, model);
  // Errors of the data are reported before unsupported nodes.
  Sample sample = set->next();
  ThreadPool pool(thread_count(options));
  const std::unique_ptr<Session> session = make_session(invocation, path, pool);
  Watcher watcher(options.text("select", "*"));
  RunOptions run_options;
  run_options.threads = thread_count(options);
  run_options.stop = &invocation.stop;
  run_options.observer = &watcher;
  Progress progress(invocation.task(), "running");
  for (std::int64_t i = 0;;) {
    invocation.stop.poll();
    progress.tell_done(i, set->size());
    for (const auto& [name, value] : sample.inputs) {
      const Value* input = session->model().find_value(name);
      if (input != nullptr) watcher.add(*input, value);
    }
    session->run(sample.inputs, run_options);
    if (++i == set->size()) break;
    sample = set->next();
  }
  return watcher.take();
}

}  // namespace

bool asks_for_data(const OptionValues& options) {
  if (options.has("data")) {
    refuse_any(options, {"input", "inputs", "input-dir"}, "with --data", "leave one of them out");
    return true;
  }
  if (options.has("input") || options.has("inputs") || options.has("input-dir") ||
      options.flag("random"))
    return true;
  refuse_any(
      options, {"seed", "range", "image", "image-config", "dtype", "cast"}, "without inputs",
      "add --data, --input, --inputs, --input-dir or --random, which make inspect run the model");
  return false;
}

std::vector<ObservedValue> observe_values(const Invocation& invocation, const Model& model,
                                          const std::string& path) {
  if (path == "-") {
    throw Error(ErrorCode::invalid, "standard input cannot be read again to run the model",
                "give the model as a file")
        .with_id("usage.value");
  }
  return observe(invocation, model, path);
}

Json value_ranges_block(const std::vector<ObservedValue>& values) {
  Json list = Json::list();
  for (const auto& [name, inside, statistics] : values) {
    const bool has_range = statistics.has_range();
    const auto number = [&](double value) { return has_range ? Json(value) : Json(); };
    Json block = Json::object().set("name", name);
    if (!inside.empty()) block.set("parent_node", inside);
    list.add(block.set("dtype", name_of(statistics.type()))
                 .set("samples", statistics.tensors())
                 .set("count", statistics.count())
                 .set("min", number(statistics.min()))
                 .set("max", number(statistics.max()))
                 .set("mean", number(statistics.mean()))
                 .set("std", number(statistics.std()))
                 .set("zero_share", number(statistics.zero_share()))
                 .set("nan_count", statistics.nan_count())
                 .set("inf_count", statistics.infinity_count())
                 .set("risks", Json::list_of(statistics.risks())));
  }
  return list;
}

void write_value_ranges(const std::vector<ObservedValue>& values, TextSink& out) {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                   Align::right});
  table.add_row({"value", "type", "min", "max", "mean", "std", "zeros", "risks"});
  for (const auto& [name, inside, statistics] : values) {
    std::string risks;
    for (const std::string& risk : statistics.risks()) risks += (risks.empty() ? "" : "; ") + risk;
    const auto cell = [&](double value) {
      return statistics.has_range() ? readable_number(value) : std::string("-");
    };
    const std::string place = inside.empty() ? "" : format(" (in {})", shorten(inside, 40));
    table.add_row({shorten(name, 60) + place, std::string(name_of(statistics.type())),
                   cell(statistics.min()), cell(statistics.max()), cell(statistics.mean()),
                   cell(statistics.std()),
                   format("{} %", std::llround(statistics.zero_share() * 100)), risks});
  }
  out += table.to_string();
  out += format("{} values\n", values.size());
}

}  // namespace ortool
