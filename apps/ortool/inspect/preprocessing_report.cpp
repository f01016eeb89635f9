// Preprocessing hints as text and JSON.
#include "apps/ortool/inspect/preprocessing_report.hpp"

#include "apps/ortool/inspect/attribute_block.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

std::string numbers_text(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    text += (text.empty() ? "" : "/") + readable_number(number);
  }
  return text;
}

}  // namespace

Json preprocessing_block(const PreprocessingHint& hint) {
  Json block = Json::object();
  if (!hint.layout.empty()) {
    block.set("layout", hint.layout).set("layout_reason", hint.layout_reason);
  }
  if (!hint.denotation.empty()) block.set("denotation", hint.denotation);
  if (!hint.mean.empty()) {
    block.set("mean_in_graph", Json::list_of(hint.mean))
        .set("std_in_graph", Json::list_of(hint.std));
  }
  if (hint.range) {
    block.set("range", Json::list().add(hint.range->first).add(hint.range->second))
        .set("range_reason", hint.range_reason);
  }
  Json steps = Json::list();
  for (const PreprocessingStep& step : hint.steps) {
    steps.add(Json::object()
                  .set("node", step.node->name())
                  .set("op_type", step.node->op_type())
                  .set("meaning", step.meaning)
                  .set("numbers", Json::list_of(step.numbers)));
  }
  return block.set("steps", std::move(steps)).set("metadata", metadata_block(hint.metadata));
}

std::string preprocessing_line(const PreprocessingHint& hint) {
  std::string text = hint.layout;
  const auto append = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (!hint.denotation.empty()) append(shorten(hint.denotation, 20));
  if (!hint.mean.empty()) {
    const bool has_mean = hint.mean != std::vector<double>(hint.mean.size(), 0);
    append(format("computes {} / {} itself",
                  has_mean ? format("(x - {})", numbers_text(hint.mean)) : std::string("x"),
                  numbers_text(hint.std)));
  }
  if (hint.range) {
    append(format("holds {} to {}", readable_number(hint.range->first),
                  readable_number(hint.range->second)));
  }
  if (!hint.metadata.empty()) {
    append(format("metadata {}={}", shorten(hint.metadata.front().first, 30),
                  shorten(hint.metadata.front().second, 40)));
  }
  return text;
}

}  // namespace ortool
