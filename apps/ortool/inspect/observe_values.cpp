// Samples from folders, values as extra outputs, a group at a time.
#include "apps/ortool/inspect/observe_values.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "apps/ortool/inspect/glob.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/shape_options.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "apps/ortool/run/tensor_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/thread_pool.hpp"
#include "libcore/onnx/load.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {
namespace {

/// Extra outputs stay in memory until a run ends.
constexpr std::int64_t most_group_bytes = std::int64_t{256} << 20U;
/// What a value counts for whose size is not known before it is there.
constexpr std::int64_t assumed_bytes = std::int64_t{4} << 20U;

std::int64_t size_of(const Value& value) {
  const auto shape = value.type().is_tensor() ? to_known(value.type().shape) : std::nullopt;
  return shape ? bytes_of(value.type().element, shape->element_count()) : assumed_bytes;
}

/// The names of node outputs to watch, in groups that fit into memory together.
std::vector<std::vector<std::string>> group_values(const Model& model, std::string_view select) {
  std::vector<std::vector<std::string>> groups;
  std::int64_t bytes = most_group_bytes;
  for (const Node& node : model.graph->nodes()) {
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const Value* output = node.output(i);
      const bool is_watched =
          output != nullptr && output->type().is_tensor() && matches_glob(output->name(), select);
      if (!is_watched) continue;
      const std::int64_t size = size_of(*output);
      if (bytes + size > most_group_bytes) {
        groups.emplace_back();
        bytes = 0;
      }
      bytes += size;
      groups.back().emplace_back(output->name());
    }
  }
  return groups;
}

/// For each sample the options that would give it to `run`.
std::vector<OptionValues> find_samples(const OptionValues& options, const Model& model) {
  if (!options.has("data")) return {options};
  const std::string path = options.text("data");
  std::error_code failure;
  std::vector<std::string> folders;
  std::vector<std::string> pictures;
  for (std::filesystem::directory_iterator entry(path, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().string();
    if (entry->is_directory(failure)) folders.push_back(name);
    if (is_picture_extension(extension_of(name))) pictures.push_back(name);
  }
  std::sort(folders.begin(), folders.end());
  std::sort(pictures.begin(), pictures.end());
  std::vector<OptionValues> samples;
  const auto add = [&](std::string_view option, const std::string& value) {
    samples.push_back(options);
    samples.back().set(option, {value});
  };
  if (!pictures.empty()) {
    std::vector<std::string> wanted;
    for (const Value* input : model.graph->inputs()) {
      if (!input->has_default()) wanted.emplace_back(input->name());
    }
    if (wanted.size() != 1) {
      throw Error(ErrorCode::invalid,
                  format("option --data: {} holds pictures, but the model has {} inputs",
                         quote(path), wanted.size()),
                  "give a folder with a folder of files for each sample")
          .with_id("input.folder");
    }
    for (const std::string& picture : pictures) add("input", wanted.front() + "=" + picture);
  } else if (!folders.empty()) {
    for (const std::string& folder : folders) add("input-dir", folder);
  } else if (path.ends_with(".npz")) {
    add("inputs", path);
  } else {
    add("input-dir", path);
  }
  return samples;
}

/// The model with the values of one group among its outputs.
std::unique_ptr<Model> load_with_outputs(const std::string& path, const OptionValues& options,
                                         const std::vector<std::string>& names) {
  std::unique_ptr<Model> model = load_model(path);
  apply_shape_options(options, *model);
  for (const std::string& name : names) {
    Value* value = model->graph->find_value(name);
    if (value != nullptr && !value->is_graph_output()) model->graph->add_output(*value);
  }
  return model;
}

class Observer {
 public:
  Observer(const Invocation& invocation, const Model& model, const std::string& path)
      : invocation_(invocation), model_(model), path_(path) {}
  std::vector<ObservedValue> observe();

 private:
  ObservedValue& entry(const std::string& name) {
    const auto [found, is_new] = places_.emplace(name, values_.size());
    if (is_new) values_.push_back({name, {}});
    return values_[found->second];
  }
  NamedTensors read_sample(const OptionValues& options) const {
    const Invocation sample{options,
                            invocation_.arguments,
                            invocation_.commands,
                            invocation_.report,
                            invocation_.messages,
                            invocation_.stop,
                            invocation_.memory,
                            invocation_.has_document};
    return named_tensors(gather_inputs(sample, model_));
  }
  void run_group(const std::vector<std::string>& names, const std::vector<OptionValues>& samples,
                 ThreadPool& pool, bool is_first);

  const Invocation& invocation_;
  const Model& model_;
  const std::string& path_;
  std::vector<ObservedValue> values_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

void Observer::run_group(const std::vector<std::string>& names,
                         const std::vector<OptionValues>& samples, ThreadPool& pool,
                         bool is_first) {
  const OptionValues& options = invocation_.options;
  SessionOptions session_options;
  session_options.providers = choose_providers(invocation_);
  session_options.pool = &pool;
  session_options.cap = &invocation_.memory;
  session_options.threads = thread_count(options);
  const Session session(load_with_outputs(path_, options, names), std::move(session_options));
  RunOptions run_options;
  run_options.threads = thread_count(options);
  run_options.stop = &invocation_.stop;
  const std::string select = options.text("select", "*");
  const std::set<std::string> watched(names.begin(), names.end());
  for (const OptionValues& sample : samples) {
    invocation_.stop.poll();
    const NamedTensors inputs = read_sample(sample);
    for (const auto& [name, tensor] : inputs) {
      if (is_first && matches_glob(name, select)) entry(name).statistics.add(tensor);
    }
    for (const std::string& name : names) entry(name);
    const std::vector<Tensor> outputs = session.run(inputs, run_options);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string name(session.outputs()[i]->name());
      if (watched.count(name) > 0) entry(name).statistics.add(outputs[i]);
    }
  }
}

std::vector<ObservedValue> Observer::observe() {
  const OptionValues& options = invocation_.options;
  const std::vector<OptionValues> samples = find_samples(options, model_);
  // What is wrong with the data is told before what no provider can compute.
  if (!samples.empty()) static_cast<void>(read_sample(samples.front()));
  ThreadPool pool(thread_count(options));
  bool is_first = true;
  for (const auto& names : group_values(model_, options.text("select", "*"))) {
    run_group(names, samples, pool, is_first);
    is_first = false;
  }
  return std::move(values_);
}

}  // namespace

bool asks_for_data(const OptionValues& options) {
  const auto has_one = [&](std::initializer_list<const char*> names) -> const char* {
    for (const char* name : names) {
      if (options.has(name)) return name;
    }
    return nullptr;
  };
  if (options.has("data")) {
    if (const char* other = has_one({"input", "inputs", "input-dir"})) {
      throw Error(ErrorCode::invalid, format("option --{} has no effect with --data", other),
                  "leave one of them out")
          .with_id("usage.applies_to_nothing");
    }
    return true;
  }
  if (has_one({"input", "inputs", "input-dir"}) != nullptr || options.flag("random")) return true;
  if (const char* alone = has_one({"seed", "range", "image", "image-config", "dtype"})) {
    throw Error(ErrorCode::invalid, format("option --{} has no effect without inputs", alone),
                "--data, --input, --inputs, --input-dir and --random let inspect run the model")
        .with_id("usage.applies_to_nothing");
  }
  return false;
}

std::vector<ObservedValue> observe_values(const Invocation& invocation, const Model& model,
                                          const std::string& path) {
  if (path == "-") {
    throw Error(ErrorCode::invalid, "standard input cannot be read again to run the model",
                "give the model as a file")
        .with_id("usage.value");
  }
  return Observer(invocation, model, path).observe();
}

Json value_ranges_block(const std::vector<ObservedValue>& values) {
  Json list = Json::list();
  for (const auto& [name, statistics] : values) {
    const bool has_range = statistics.has_range();
    const auto number = [&](double value) { return has_range ? Json(value) : Json(); };
    list.add(Json::object()
                 .set("name", name)
                 .set("dtype", name_of(statistics.type()))
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
  for (const auto& [name, statistics] : values) {
    std::string risks;
    for (const std::string& risk : statistics.risks()) risks += (risks.empty() ? "" : "; ") + risk;
    const auto cell = [&](double value) {
      return statistics.has_range() ? readable_number(value) : std::string("-");
    };
    table.add_row({shorten(name, 60), std::string(name_of(statistics.type())),
                   cell(statistics.min()), cell(statistics.max()), cell(statistics.mean()),
                   cell(statistics.std()),
                   format("{} %", std::llround(statistics.zero_share() * 100)), risks});
  }
  out += table.to_string();
  out += format("{} values\n", values.size());
}

}  // namespace ortool
