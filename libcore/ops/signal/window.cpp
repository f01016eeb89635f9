// Schema of the window functions, the same for all three.
#include "libcore/ops/signal/window.hpp"

#include "libcore/ops/element_type.hpp"
#include "libcore/ops/signal/scalar_size.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<OpVersion> window_versions = {
    {.since = 17,
     .inputs = {{"size", "T1"}},
     .outputs = {{"output", "T2"}},
     .attributes = {{"output_datatype", AttributeKind::integer, false, 1},
                    {"periodic", AttributeKind::integer, false, 1}},
     .types = {{"T1", types::indices}, {"T2", types::numbers_and_bfloat16}}}};

}  // namespace

constinit const OpSchema BlackmanWindow::schema = {"BlackmanWindow", "", window_versions};
constinit const OpSchema HammingWindow::schema = {"HammingWindow", "", window_versions};
constinit const OpSchema HannWindow::schema = {"HannWindow", "", window_versions};

void SignalWindow::read(AttributeReader& attributes, int) {
  is_periodic = attributes.flag("periodic", true);
  element = read_element_type(attributes, "output_datatype", "T2").value_or(DataType::float32);
}

void SignalWindow::infer(InferContext& context) const {
  context.set_output(0, element, Dimensions{scalar_size(context, 0, "size", 1)});
}

}  // namespace ortool
