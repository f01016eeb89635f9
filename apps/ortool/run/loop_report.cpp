// Report of run --loop: tokens as numbers and, with labels, as text.
#include "apps/ortool/run/loop_report.hpp"

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

std::string text_of(const std::vector<std::int64_t>& tokens, std::span<const std::string> labels) {
  std::string text;
  for (const std::int64_t token : tokens) {
    const bool is_known = token >= 0 && token < static_cast<std::int64_t>(labels.size());
    text += is_known ? labels[static_cast<std::size_t>(token)] : format("<{}>", token);
  }
  return text;
}

Json tokens_block(const TokenRows& tokens, std::span<const std::string> labels, Report& report) {
  Json rows = Json::list();
  Json texts = Json::list();
  for (const std::vector<std::int64_t>& row : tokens.rows) {
    rows.add(Json::list_of(row));
    std::string line;
    for (const std::int64_t token : row) line += format("{}{}", line.empty() ? "" : " ", token);
    report.text += format("{}: {}\n", shorten(tokens.input), line);
    if (labels.empty()) continue;
    texts.add(text_of(row, labels));
    report.text += format("{}\n", escape_control_characters(text_of(row, labels)));
  }
  Json block = Json::object().set("input", tokens.input).set("tokens", std::move(rows));
  if (!labels.empty()) block.set("texts", std::move(texts));
  return block;
}

}  // namespace

OptionGroup loop_options() {
  return {
      "Running in a loop",
      {
          {.name = "loop",
           .value = "PAST=PRESENT",
           .help = "next value of an input: an output, argmax(logits), append(1), next; auto: by "
                   "their names, also of an encoder's decoders",
           .repeats = true},
          {.name = "steps",
           .value = "N",
           .help = "number of steps of --loop",
           .range = whole_from(1, 1e6)},
      }};
}

void report_loop(const LoopResult& result, std::span<const std::string> labels, Report& report) {
  Json generated = Json::list();
  for (const TokenRows& tokens : result.tokens) generated.add(tokens_block(tokens, labels, report));
  report.payload.set("loop", Json::object()
                                 .set("steps", result.step_ms.size())
                                 .set("generated", std::move(generated))
                                 .set("step_ms", Json::list_of(result.step_ms)));
}

}  // namespace ortool
