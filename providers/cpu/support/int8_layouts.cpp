// Layouts of int8 kernels: NCHW16c is made slightly cheaper, so that int8 chains start with it.
#include "providers/cpu/support/int8_layouts.hpp"

namespace ortool {

bool is_int8_image(const Value& value) {
  const PartialShape& shape = value.type().shape;
  return !value.is_constant() && shape && shape->size() >= 3 && (*shape)[1].is_known();
}

std::vector<LayoutChoice> int8_layout_choices(const NodeView& view,
                                              const std::vector<std::size_t>& images,
                                              Layout output) {
  constexpr double margin_ns = 1;
  std::vector<LayoutChoice> choices(2);
  choices[0].nanoseconds = margin_ns;
  choices[1].inputs.resize(view.inputs().size(), Layout::plain);
  for (const std::size_t image : images) choices[1].inputs[image] = Layout::blocked16;
  choices[1].outputs = {output};
  return choices;
}

}  // namespace ortool
