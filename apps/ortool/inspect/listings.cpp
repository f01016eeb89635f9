// Listings of nodes, weights and values: tables written block by block, in bounded memory.
#include "apps/ortool/inspect/listings.hpp"

#include <string>
#include <vector>

#include "apps/ortool/inspect/overview.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/count_macs.hpp"

namespace ortool {
namespace {

using Align = TextTable::Align;

constexpr std::int64_t rows_of_a_block = 1000;
constexpr std::size_t max_cell_bytes = 100;

/// A table of any length: columns are aligned per block of rows.
class PagedTable {
 public:
  PagedTable(TextSink& out, std::vector<Align> alignment, std::vector<std::string> head)
      : out_(out), alignment_(std::move(alignment)), table_(alignment_) {
    table_.add_row(std::move(head));
  }
  void add(std::vector<std::string> cells) {
    table_.add_row(std::move(cells));
    if (++listed_ % rows_of_a_block == 0) flush();
  }
  void skip() { ++skipped_; }
  /// "3 of 101 nodes".
  void finish(std::string_view what) {
    flush();
    out_ += skipped_ == 0 ? format("{} {}\n", listed_, what)
                          : format("{} of {} {}\n", listed_, listed_ + skipped_, what);
  }

 private:
  void flush() {
    out_ += table_.to_string();
    table_ = TextTable(alignment_);
  }

  TextSink& out_;
  const std::vector<Align> alignment_;
  TextTable table_;
  std::int64_t listed_ = 0;
  std::int64_t skipped_ = 0;
};

/// The graph's name if it is not the main one.
std::string place_of(const Model& model, const Graph& graph) {
  if (&graph == model.graph.get()) return {};
  return format("in {}", shorten(graph.owner() != nullptr ? graph.owner()->name()
                                                          : std::string_view(graph.name()),
                                 60));
}

std::string type_cell(const Value* value) {
  return value != nullptr ? shorten(value->type().to_string(), max_cell_bytes) : "-";
}

}  // namespace

void write_nodes(const Model& model, std::string_view select, TextSink& out) {
  const MacCounter counter(model);
  PagedTable listing(
      out, {Align::right, Align::left, Align::left, Align::left, Align::right, Align::right},
      {"index", "name", "operator", "output", "MACs", "parameters", ""});
  for (const Graph* graph : graphs_in(model)) {
    std::int64_t index = -1;
    for (const Node& node : graph->nodes()) {
      ++index;
      if (!matches_glob(node.name(), select)) {
        listing.skip();
        continue;
      }
      listing.add(
          {std::to_string(index), shorten(node.name(), max_cell_bytes), shorten(node.op_type(), 40),
           type_cell(node.output(0)), shorten(cost_text(counter.count(node)), 60),
           readable_count(static_cast<double>(count_parameters(node))), place_of(model, *graph)});
    }
  }
  listing.finish("nodes");
}

void write_weights(const Model& model, std::string_view select, bool reads_weights, TextSink& out) {
  PagedTable listing(out, {Align::left, Align::left, Align::right, Align::right},
                     {"weight", "type", "bytes", reads_weights ? "zeros" : "", ""});
  for (const Weight& weight : weights_of(model)) {
    if (!matches_glob(weight.name, select)) {
      listing.skip();
      continue;
    }
    std::string remarks = weight.is_external ? "external" : "";
    std::string zeros;
    if (reads_weights) {
      const WeightStatistics statistics = scan_weight(*weight.tensor);
      const std::int64_t count = weight.shape.element_count();
      zeros = count > 0 ? format("{} %", statistics.zeros * 100 / count) : "-";
      const auto remark = [&](std::int64_t number, std::string_view what) {
        if (number > 0) remarks += format("{}{} {}", remarks.empty() ? "" : ", ", number, what);
      };
      remark(statistics.denormals, "denormal");
      remark(statistics.nans, "NaN");
      remark(statistics.infinities, "infinite");
    }
    listing.add({shorten(weight.name, max_cell_bytes),
                 format("{}[{}]", name_of(weight.type), weight.shape.to_string()),
                 std::to_string(weight.size_bytes()), zeros, remarks});
  }
  listing.finish("weights");
}

void write_values(const Model& model, std::string_view select, TextSink& out) {
  PagedTable listing(out, {}, {"value", "type", "producer", ""});
  for (const Graph* graph : graphs_in(model)) {
    for (const Value* value : graph->values()) {
      if (is_stored(*value) || value->captured() != nullptr) continue;
      if (!matches_glob(value->name(), select)) {
        listing.skip();
        continue;
      }
      listing.add({shorten(value->name(), max_cell_bytes), type_cell(value),
                   value->is_graph_input()        ? "(input)"
                   : value->producer() != nullptr ? shorten(value->producer()->name(), 60)
                                                  : "-",
                   place_of(model, *graph)});
    }
  }
  listing.finish("values");
}

}  // namespace ortool
