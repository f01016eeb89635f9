// Sample file: the members of a JSON line, and buffered writing.
#include "apps/ortool/run/sample_file.hpp"

#include "apps/ortool/run/chosen_outputs.hpp"
#include "apps/ortool/run/predictions.hpp"
#include "libcore/dataset/values/json_value.hpp"
#include "libcore/dataset/values/value_file.hpp"

namespace ortool {

bool is_csv_file(const std::string& path) {
  return extension_of(path) == ".csv";
}

SampleFile::SampleFile(const OptionValues& options, const Session& session,
                       std::span<const std::string> labels)
    : session_(session),
      positions_(chosen_positions(options, session.outputs())),
      labels_(labels.begin(), labels.end()),
      is_csv_(is_csv_file(options.text("save-outputs"))),
      has_probabilities_(options.flag("softmax")),
      file_(options.text("save-outputs")) {
  if (is_csv_) buffered_ = prediction_header(has_probabilities_);
}

Json SampleFile::line_of(const SampleResult& result) const {
  Json labels = Json::list();
  for (const SampleLabel& label : result.sample.labels) {
    labels.add(std::holds_alternative<std::string>(label) ? Json(std::get<std::string>(label))
                                                          : Json(std::get<std::int64_t>(label)));
  }
  Json line = Json::object()
                  .set("sample", result.sample.name)
                  .set("labels", std::move(labels))
                  .set("scores", Json::list_of(result.scores));
  if (result.ranked != nullptr) {
    const RankedScores& ranked = *result.ranked;
    line.set("top", top_block(ranked.entries, ranked.probabilities, labels_, ranked.rows));
    return line;
  }
  Json values = Json::list();
  for (const std::size_t i : positions_) {
    values.add(value_json(session_.outputs()[i]->name(), result.outputs[i]));
  }
  line.set("outputs", std::move(values));
  return line;
}

void SampleFile::add(const SampleResult& result) {
  buffered_ +=
      is_csv_ ? prediction_rows(result.sample.name, *result.ranked, labels_, has_probabilities_)
              : line_of(result).write_compact() + "\n";
  constexpr std::size_t max_buffered = std::size_t{1} << 16U;
  if (buffered_.size() < max_buffered) return;
  file_.write(buffered_);
  buffered_.clear();
}

void SampleFile::commit() {
  file_.write(buffered_);
  file_.commit();
}

}  // namespace ortool
