// HTML page of inspect, with its document and statistics of weights.
#include "apps/ortool/inspect/html_page.hpp"

#include "apps/ortool/report/page_writer.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/inspect/weights.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

Json weight_ranges(const Model& model, bool reads_weights) {
  if (!reads_weights) return Json::list();
  return Json::streamed_list([&model](FunctionRef<void(const Json&)> emit) {
    for (const Weight& weight : weights_of(model)) {
      if (!is_arithmetic(weight.type) || weight.shape.element_count() < 2) continue;
      const Statistics statistics = statistics_of(*weight.tensor);
      drop_pages({weight.tensor->bytes(), static_cast<std::size_t>(weight.size_bytes())});
      emit(Json::list()
               .add(weight.name)
               .add(statistics.min)
               .add(statistics.max)
               .add(statistics.mean)
               .add(statistics.std));
    }
  });
}

void write_page(std::string_view title, const Json& document, TextSink& out) {
  write_page(inspect_page, title, document, out);
}

}  // namespace ortool
