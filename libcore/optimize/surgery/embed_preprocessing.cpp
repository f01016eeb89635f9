// Embedded preprocessing: resizes as uint8, and converts to float as late as possible.
#include "libcore/optimize/surgery/embed_preprocessing.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

/// The first opset in which Slice takes computed bounds.
constexpr std::int64_t opset_of_cropping = 11;

class Embedding {
 public:
  Embedding(Model& model, Value& input, const Preprocessing& wanted)
      : model_(model),
        graph_(*model.graph),
        input_(input),
        wanted_(wanted),
        type_(element_of(input)),
        dimensions_(*input.type().shape),
        rank_(static_cast<std::int64_t>(dimensions_.size())),
        first_(graph_.first_node()),
        has_planes_(wanted.has_planes) {}

  Value& run() {
    check_opset();
    Value& old = graph_.add_value("");
    graph_.replace_uses(input_, old);
    input_.set_type(ValueType::tensor(DataType::uint8, picture_dimensions()));
    Value* value = &input_;
    if (rank_ > 2 && wanted_.takes_planes != has_planes_) value = &transpose(*value);
    Value* size = nullptr;
    if (is_resized()) value = &resize(*value, size);
    if (wanted_.cropped.width > 0) value = &crop(*value, size);
    if (wanted_.reverses_channels) value = &reverse_channels(*value);
    value = &compute(*value);
    if (value == &input_) {
      throw Error(ErrorCode::invalid,
                  format("input {} already takes such uint8 images", quote(input_.name())),
                  "there is nothing to embed")
          .with_id("embed.nothing");
    }
    graph_.replace_uses(old, *value);
    graph_.remove_value(old);
    return *value;
  }

 private:
  bool is_resized() const { return wanted_.shorter_side > 0 || wanted_.resized.width > 0; }
  std::int64_t channel_axis() const { return has_planes_ ? rank_ - 3 : rank_ - 1; }
  Integers spatial_axes() const {
    const std::int64_t rows = rank_ > 2 && !has_planes_ ? rank_ - 3 : rank_ - 2;
    return {rows, rows + 1};
  }

  void check_opset() const {
    const auto demand = [&](std::string_view what, std::int64_t opset) {
      if (graph_.opset("") >= opset) return;
      throw Error(
          ErrorCode::unsupported,
          format("{} images requires opset {} (the model has {})", what, opset, graph_.opset("")),
          format("{} {} converts the model first", setting_name("opset"), opset))
          .with_id("embed.opset");
    };
    demand("embedding the preprocessing of", opset_of_broadcasting());
    if (wanted_.cropped.width > 0) demand("cropping", opset_of_cropping);
    if (is_resized()) demand("resizing", opset_of_attribute("Resize", "antialias"));
  }

  Dimensions picture_dimensions() const {
    Dimensions pictures = dimensions_;
    const auto at = [&](std::int64_t axis) -> Dimension& {
      return pictures[static_cast<std::size_t>(axis)];
    };
    const Integers spatial = spatial_axes();
    if (is_resized() || wanted_.cropped.width > 0) {
      at(spatial[0]) = Dimension::symbol(format("{}_height", input_.name()));
      at(spatial[1]) = Dimension::symbol(format("{}_width", input_.name()));
    }
    if (rank_ < 3 || wanted_.takes_planes == has_planes_) return pictures;
    // From the channel position of the input to that of the image.
    const auto last = pictures.end();
    has_planes_ ? std::rotate(last - 3, last - 2, last) : std::rotate(last - 3, last - 1, last);
    return pictures;
  }

  /// `word` is appended to the input's name to name the node and its result.
  Node& add(const char* op_type, std::vector<Value*> inputs, const char* word) {
    Value& result = graph_.add_value(free_name(format("{}_{}", input_.name(), word)));
    Value* const outputs[] = {&result};
    return graph_.add_node(op_type, "", inputs, outputs, result.name(), first_);
  }

  Value& made(const char* op_type, std::vector<Value*> inputs, const char* word) {
    return *add(op_type, std::move(inputs), word).output(0);
  }

  std::string free_name(std::string name) const {
    const auto is_taken = [&] {
      const auto graphs = graphs_in(model_);
      return std::any_of(graphs.begin(), graphs.end(),
                         [&](const Graph* graph) { return graph->find_value(name) != nullptr; });
    };
    while (is_taken()) name += '_';
    return name;
  }

  Value& integers(const Integers& values) {
    const Shape shape{static_cast<std::int64_t>(values.size())};
    return graph_.add_constant("", Tensor::of<std::int64_t>(shape, std::span(values)));
  }

  Value& transpose(Value& value) {
    Integers order = has_planes_ ? Integers{2, 0, 1} : Integers{1, 2, 0};
    if (rank_ == 4) {
      for (std::int64_t& axis : order) ++axis;
      order.insert(order.begin(), 0);
    }
    Node& node = add("Transpose", {&value}, "transposed");
    set_attribute(node, "perm", std::move(order));
    return *node.output(0);
  }

  Value& gathered(Value& value, const Integers& axes, const char* word) {
    Value& shape = made("Shape", {&value}, "shape");
    return made("Gather", {&shape, &integers(axes)}, word);
  }

  /// Rows and columns within all dimensions: onnxruntime mishandles Resize's `axes` when it moves a
  /// Transpose across.
  Value& among_all(Value& value, Value& size) {
    const Integers spatial = spatial_axes();
    std::vector<Value*> parts;
    const auto add_between = [&](std::int64_t first, std::int64_t last) {
      Integers axes;
      Integers numbers;
      for (std::int64_t axis = first; axis < last; ++axis) {
        axes.push_back(axis);
        numbers.push_back(dimensions_[static_cast<std::size_t>(axis)].number());
      }
      if (axes.empty()) return;
      const bool is_known = std::all_of(numbers.begin(), numbers.end(),
                                        [](std::int64_t number) { return number >= 0; });
      parts.push_back(is_known ? &integers(numbers) : &gathered(value, axes, "kept_size"));
    };
    add_between(0, spatial[0]);
    parts.push_back(&size);
    add_between(spatial[1] + 1, rank_);
    if (parts.size() == 1) return size;
    Node& node = add("Concat", std::move(parts), "all_sizes");
    set_attribute(node, "axis", 0);
    return *node.output(0);
  }

  /// `size` becomes the new number of rows and columns.
  Value& resize(Value& value, Value*& size) {
    if (wanted_.resized.width > 0) {
      size = &integers({wanted_.resized.height, wanted_.resized.width});
    } else {
      Value& before = gathered(value, spatial_axes(), "size");
      Value& shorter = made("ReduceMin", {&before}, "shorter_side");
      Value& scaled = made("Mul", {&before, &integers({wanted_.shorter_side})}, "scaled_size");
      size = &made("Div", {&scaled, &shorter}, "resized_size");
    }
    Node& node = add("Resize", {&value, nullptr, nullptr, &among_all(value, *size)}, "resized");
    Attribute mode;
    mode.name = "mode";
    mode.value = std::string("linear");
    node.set_attribute(std::move(mode));
    set_attribute(node, "antialias", 1);
    set_attribute(node, "exclude_outside", 1);
    return *node.output(0);
  }

  /// An odd difference is split with rounding half to even, as in torchvision's CenterCrop.
  Value& crop(Value& value, Value* size) {
    if (size == nullptr) size = &gathered(value, spatial_axes(), "size");
    Value& wanted = integers({wanted_.cropped.height, wanted_.cropped.width});
    Value& two = integers({2});
    Value& rest = made("Sub", {size, &wanted}, "crop_rest");
    Value& half = made("Div", {&rest, &two}, "crop_half");
    Value& is_odd = made("Mod", {&rest, &two}, "crop_rest_odd");
    Value& is_half_odd = made("Mod", {&half, &two}, "crop_half_odd");
    Value& more = made("Mul", {&is_odd, &is_half_odd}, "crop_more");
    Value& begin = made("Add", {&half, &more}, "crop_begin");
    Value& end = made("Add", {&begin, &wanted}, "crop_end");
    return made("Slice", {&value, &begin, &end, &integers(spatial_axes())}, "cropped");
  }

  Value& reverse_channels(Value& value) {
    Node& node = add("Gather", {&value, &integers({2, 1, 0})}, "reversed");
    set_attribute(node, "axis", channel_axis());
    return *node.output(0);
  }

  Value& numbers(const std::vector<double>& values) {
    std::vector<float> rounded;
    for (const double value : values) rounded.push_back(static_cast<float>(value));
    Shape shape;
    if (values.size() > 1) {
      const auto count = static_cast<std::int64_t>(values.size());
      shape = has_planes_ ? Shape{count, 1, 1} : Shape{count};
    }
    return graph_.add_constant("", Tensor::of<float>(shape, std::span<const float>(rounded)));
  }

  Value& cast(Value& value, DataType type, const char* word) {
    Node& node = add("Cast", {&value}, word);
    set_attribute(node, "to", static_cast<std::int64_t>(type));
    return *node.output(0);
  }

  Value& compute(Value& bytes) {
    if (type_ == DataType::uint8) return bytes;
    Value* value = &cast(bytes, DataType::float32, "float");
    if (!wanted_.subtracted.empty())
      value = &made("Sub", {value, &numbers(wanted_.subtracted)}, "centered");
    if (!wanted_.factors.empty())
      value = &made("Mul", {value, &numbers(wanted_.factors)}, "scaled");
    return type_ == DataType::float32 ? *value : cast(*value, type_, "narrowed");
  }

  Model& model_;
  Graph& graph_;
  Value& input_;
  const Preprocessing& wanted_;
  DataType type_;
  Dimensions dimensions_;
  std::int64_t rank_;
  Node* first_;
  bool has_planes_;
};

}  // namespace

Value& embed_preprocessing(Model& model, Value& input, const Preprocessing& preprocessing) {
  return Embedding(model, input, preprocessing).run();
}

}  // namespace ortool
