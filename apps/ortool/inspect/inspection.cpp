// JSON report of inspect.
#include "apps/ortool/inspect/inspection.hpp"

#include "apps/ortool/inspect/quantization_report.hpp"
#include "apps/ortool/inspect/summary_block.hpp"

namespace ortool {
namespace {

void write_line(std::string_view kind, const Json& block, TextSink& out) {
  Json line = Json::object().set("kind", kind);
  for (const auto& [key, value] : block.members()) line.set(key, value);
  line.write_compact(out);
  out += '\n';
}

}  // namespace

Inspection::Inspection(std::unique_ptr<Model> model, std::string path, InspectionOptions options)
    : model_(std::move(model)),
      path_(std::move(path)),
      options_(std::move(options)),
      blocks_(*model_, options_.blocks) {
  if (!options_.has_figures) return;
  summary_ = summarize(*model_, options_.reads_weights);
  quantization_ = read_quantization(*model_);
}

void add_payload(const Inspection& inspection, Json& payload) {
  payload.set("graph", inspection.blocks().main_graph())
      .set("functions", inspection.blocks().functions())
      .set("summary", summary_block(inspection.summary()));
  if (!inspection.quantization().is_empty()) {
    payload.set("quantization", quantization_block(inspection.quantization(),
                                                   inspection.options().blocks.max_elements));
  }
  if (!inspection.assertions.empty()) {
    payload.set("assertions", assertions_block(inspection.assertions));
  }
  if (!inspection.ranges.empty()) {
    payload.set("value_ranges", value_ranges_block(inspection.ranges));
  }
  if (inspection.placement.is_given) {
    payload.set("placement", placement_block(inspection.placement));
  }
}

void write_json_lines(const Inspection& inspection, TextSink& out) {
  write_line("summary", summary_block(inspection.summary()), out);
  const Json assertions = assertions_block(inspection.assertions);
  for (const Json& assertion : assertions.items()) write_line("assertion", assertion, out);
  if (!inspection.quantization().is_empty()) {
    write_line(
        "quantization",
        quantization_block(inspection.quantization(), inspection.options().blocks.max_elements),
        out);
  }
  const Json ranges = value_ranges_block(inspection.ranges);
  for (const Json& range : ranges.items()) write_line("value_range", range, out);
  for (const NodePlacement& row : inspection.placement.nodes) {
    write_line("placement", placed_node_block(row), out);
  }
  inspection.blocks().write_lines(out);
}

}  // namespace ortool
