// Accuracy evaluation: finds the output that ranks classes, and the class of a label.
#include "libcore/dataset/sample_judge.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/dataset/batch.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/tensor/compare.hpp"

namespace ortool {

SampleJudge::SampleJudge(const Session& session, std::span<const std::string> classes,
                         std::optional<Metric> metric, std::string outputs,
                         const GroundTruth* truth)
    : session_(session),
      classes_(classes.begin(), classes.end()),
      wanted_outputs_(std::move(outputs)) {
  if (compares_outputs(metric)) {
    output_metric_ = truth->make_metric(session);
  } else if (metric) {
    score_.emplace(*metric);
  }
}

void SampleJudge::choose_metric(const Sample& sample, bool is_optional) {
  if (has_metric()) return;
  if (!sample.labels.empty()) {
    score_.emplace(Metric::top1);
  } else if (!sample.references.empty()) {
    score_.emplace(Metric::cosine);
  } else if (!is_optional) {
    throw Error(
        ErrorCode::invalid, "the data set has neither labels nor expected outputs",
        format(
            "add labels, {} 5 for the classes of each sample, or {} FILE.jsonl to keep the outputs",
            setting_name("top"), setting_name("save-outputs")))
        .with_id("data.labels");
  }
}

std::int64_t SampleJudge::class_of(const SampleLabel& label) const {
  if (const auto* number = std::get_if<std::int64_t>(&label)) return *number;
  const std::string& text = std::get<std::string>(label);
  if (classes_.empty()) {
    throw Error(
        ErrorCode::invalid, format("label {} is a string", quote(text)),
        format("add {} FILE with the names of the classes, one per line", setting_name("labels")))
        .with_id("data.labels");
  }
  const auto place = std::find(classes_.begin(), classes_.end(), text);
  if (place == classes_.end()) throw unknown_name("label", text, "classes", classes_);
  return place - classes_.begin();
}

std::vector<std::string> SampleJudge::wanted_names() const {
  std::vector<std::string> names = names_of(session_.outputs());
  if (wanted_outputs_.empty()) return names;
  return split_name_list(wanted_outputs_, names, "output", "outputs");
}

std::vector<NamedTensor> SampleJudge::wanted_tensors(const std::vector<RunValue>& outputs) const {
  const std::vector<std::string> wanted = wanted_names();
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string name(session_.outputs()[i]->name());
    if (!outputs[i].is_tensor() || std::find(wanted.begin(), wanted.end(), name) == wanted.end())
      continue;
    tensors.push_back({name, &outputs[i].tensor()});
  }
  return tensors;
}

std::size_t SampleJudge::judged_output(const std::vector<RunValue>& outputs,
                                       std::int64_t samples) const {
  const std::vector<std::string> names = names_of(session_.outputs());
  const std::vector<std::string> wanted = wanted_names();
  for (const bool takes_classes : {false, true}) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (std::find(wanted.begin(), wanted.end(), names[i]) == wanted.end()) continue;
      if (!outputs[i].is_tensor() || !ranks_classes(outputs[i].tensor(), samples)) continue;
      if (takes_classes || is_floating_point(outputs[i].tensor().type())) return i;
    }
  }
  throw Error(ErrorCode::invalid,
              format("no output has class scores for each sample (first: {})",
                     outputs.empty() ? "none" : outputs.front().describe()),
              format("select one with {}, or use {} cosine with expected outputs",
                     setting_name("outputs"), setting_name("metric")))
      .with_id("data.output");
}

double SampleJudge::cosine_of(const Sample& sample, const std::vector<RunValue>& outputs) const {
  double sum = 0;
  std::int64_t count = 0;
  for (const auto& [name, reference] : sample.references) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (session_.outputs()[i]->name() != name) continue;
      const TensorComparison comparison = compare(outputs[i].tensor(), reference.tensor());
      if (!comparison.difference.empty()) {
        throw Error(ErrorCode::invalid, format("output {}: {}", quote(name), comparison.difference))
            .with_id("data.reference");
      }
      sum += comparison.cosine;
      ++count;
    }
  }
  if (count > 0) return sum / static_cast<double>(count);
  throw Error(ErrorCode::invalid, "there is no expected output to compare with",
              "the data set needs arrays named after outputs, or `outputs` in its manifest")
      .with_id("data.reference");
}

std::vector<double> SampleJudge::judge(const Sample& sample, const std::vector<RunValue>& outputs) {
  std::vector<double> added;
  if (output_metric_ != nullptr) {
    output_metric_->add(sample, wanted_tensors(outputs));
    return added;
  }
  if (score_ && score_->metric() == Metric::cosine) {
    added.push_back(cosine_of(sample, outputs));
  } else if (score_) {
    const auto count = static_cast<std::int64_t>(sample.labels.size());
    if (count == 0) {
      throw Error(ErrorCode::invalid, "has no label", "metrics top1 and top5 need one")
          .with_id("data.labels");
    }
    const RunValue& output = outputs[judged_output(outputs, count)];
    for (std::int64_t i = 0; i < count; ++i) {
      const RunValue row = row_of(output, i, count);
      const std::int64_t most = score_->metric() == Metric::top1 ? 1 : 5;
      const std::int64_t label = class_of(sample.labels[static_cast<std::size_t>(i)]);
      added.push_back(is_among_top(row.tensor(), label, most) ? 1 : 0);
    }
  }
  for (const double each : added) score_->add(each);
  return added;
}

}  // namespace ortool
