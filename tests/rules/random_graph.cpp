// Random graphs with node groups as exporters write them; results are read once, often or never.
#include "tests/rules/random_graph.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "tests/rules/graph_writer.hpp"

namespace ortool::test {
namespace {

class StepWriter : private GraphWriter {
 public:
  using GraphWriter::GraphWriter;

  std::string write() {
    add_inputs();
    const std::int64_t steps = 4 + below(18);
    for (std::int64_t i = 0; i < steps; ++i) step();
    return finish();
  }

 private:
  void step() {
    const Made x = pick();
    switch (below(26)) {
      case 0:
      case 1:
        return unary(x);
      case 2:
      case 3:
        return with_constant(x);
      case 4:
        return with_other(x);
      case 5:
      case 6:
        return transpose(x);
      case 7:
        return reshape(x);
      case 8:
        return reshape_by_shape(x);
      case 9:
        return slice(x);
      case 10:
        return concat(x);
      case 11:
        return axes(x);
      case 12:
        return keep(node("Cast", node("Cast", x.name, "to = 11"), "to = 1"), x.sizes);
      case 13:
      case 14:
        return convolution(x);
      case 15:
        return product(x);
      case 16:
        return softmax(x);
      case 17:
        return layer_norm(x);
      case 18:
        return activation(x);
      case 19:
        return expand(x);
      case 20:
        return branch(x);
      case 21:
        return pad(x);
      case 22:
        return einsum(x);
      case 23:
      case 24:
        return attention(x);
      default:
        return repeat(x);
    }
  }

  void unary(const Made& x) {
    static constexpr std::array<const char*, 8> names = {"Relu",     "Neg",  "Abs",   "Sigmoid",
                                                         "Identity", "Tanh", "Floor", "Dropout"};
    keep(node(names[static_cast<std::size_t>(below(8))], x.name), x.sizes);
  }

  void with_constant(const Made& x) {
    static constexpr std::array<const char*, 4> neutral = {"1", "0", "-0.0", "2"};
    static constexpr std::array<const char*, 4> names = {"Add", "Mul", "Sub", "Div"};
    const auto which = static_cast<std::size_t>(below(4));
    Sizes sizes = x.sizes;
    while (!sizes.empty() && below(2) == 0) sizes.erase(sizes.begin());
    for (std::int64_t& size : sizes) size = below(2) == 0 ? 1 : size;
    const bool is_plain = which == 3 || below(2) == 0;
    const auto number = static_cast<std::size_t>(which == 3 ? 3 * below(2) : below(4));
    const std::string c = is_plain ? filled(sizes, neutral[number]) : floats(sizes);
    keep(node(names[which], x.name + ", " + c), x.sizes);
  }

  void with_other(const Made& x) {
    static constexpr std::array<const char*, 5> names = {"Add", "Sub", "Max", "Min", "Mul"};
    for (const Made& other : std::vector<Made>(values())) {
      if (other.sizes != x.sizes || below(2) == 0) continue;
      const std::string bounded = node("Tanh", other.name);
      keep(node(names[static_cast<std::size_t>(below(5))], x.name + ", " + bounded), x.sizes);
      return;
    }
  }

  void transpose(const Made& x) {
    Sizes order(x.sizes.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    Sizes sizes;
    Sizes back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      sizes.push_back(x.sizes[static_cast<std::size_t>(order[i])]);
      back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    const std::string transposed = node("Transpose", x.name, format("perm = [{}]", list(order)));
    keep(transposed, sizes);
    if (below(2) == 0) return;
    const std::string between = node("Relu", transposed);
    keep(node("Transpose", between, format("perm = [{}]", list(back))), x.sizes);
  }

  Sizes other_sizes(const Sizes& sizes) {
    std::int64_t left = count_of(sizes);
    Sizes result;
    while (left > 1) {
      std::int64_t part = 1 + below(left);
      while (left % part != 0) part = 1 + below(left);
      result.push_back(part);
      left /= part;
      if (result.size() == 3) break;
    }
    if (left > 1 || result.empty()) result.push_back(left);
    return result;
  }

  void reshape(const Made& x) {
    const Sizes sizes = other_sizes(x.sizes);
    Sizes written = sizes;
    const auto place = static_cast<std::size_t>(below(static_cast<std::int64_t>(sizes.size())));
    if (below(2) == 0) written[place] = -1;
    keep(node("Reshape", x.name + ", " + integers(written)), sizes);
  }

  /// Keeps the first dimension and joins the others, all computed from Shape.
  void reshape_by_shape(const Made& x) {
    if (x.sizes.size() < 2) return;
    const std::string shape = node("Shape", x.name);
    const std::string first = node("Gather", shape + ", " + integers({0}));
    const std::string rest = node("Slice", shape + ", " + integers({1}) + ", " + integers({99}));
    const std::string joined = node("ReduceProd", rest, "keepdims = 1");
    const std::string to = node("Concat", first + ", " + joined, "axis = 0");
    const Sizes tail(x.sizes.begin() + 1, x.sizes.end());
    keep(node("Reshape", x.name + ", " + to), {x.sizes[0], count_of(tail)});
  }

  void slice(const Made& x) {
    const std::int64_t axis = below(static_cast<std::int64_t>(x.sizes.size()));
    Sizes sizes = x.sizes;
    std::int64_t& size = sizes[static_cast<std::size_t>(axis)];
    const std::int64_t start = below(size);
    const std::int64_t end = below(2) == 0 ? 1'000'000 : start + 1 + below(size - start);
    const std::int64_t step = 1 + below(2);
    const std::string made =
        node("Slice", x.name + ", " + integers({start}) + ", " + integers({end}) + ", " +
                          integers({axis}) + ", " + integers({step}));
    size = (std::min(end, size) - start + step - 1) / step;
    keep(made, sizes);
  }

  void concat(const Made& x) {
    const std::int64_t axis = below(static_cast<std::int64_t>(x.sizes.size()));
    Sizes sizes = x.sizes;
    const std::int64_t parts = 1 + below(3);
    std::string inputs = x.name;
    for (std::int64_t i = 1; i < parts; ++i) inputs += ", " + x.name;
    sizes[static_cast<std::size_t>(axis)] *= parts;
    keep(node("Concat", inputs, format("axis = {}", axis)), sizes);
  }

  void axes(const Made& x) {
    const std::int64_t axis = below(static_cast<std::int64_t>(x.sizes.size()) + 1);
    Sizes sizes = x.sizes;
    sizes.insert(sizes.begin() + axis, 1);
    const std::string made = node("Unsqueeze", x.name + ", " + integers({axis}));
    if (sizes.size() <= 5 && below(2) == 0) return keep(made, sizes);
    keep(node("Squeeze", made + ", " + integers({axis})), x.sizes);
  }

  void convolution(const Made& x) {
    if (x.sizes.size() != 4) return reshape_to_image(x);
    const std::int64_t channels = 1 + below(3);
    const std::string weights = floats({channels, x.sizes[1], 1, 1});
    const Sizes sizes = {x.sizes[0], channels, x.sizes[2], x.sizes[3]};
    std::string made = node("Conv", node("Tanh", x.name) + ", " + weights);
    if (below(2) == 0) {
      made = node("BatchNormalization", made + ", " + floats({channels}) + ", " +
                                            floats({channels}) + ", " + floats({channels}) + ", " +
                                            filled({channels}, "2"));
    }
    if (below(3) == 0) made = node("Mul", made + ", " + floats({channels, 1, 1}));
    if (below(3) == 0) made = node("Add", made + ", " + floats({1, channels, 1, 1}));
    keep(made, sizes);
  }

  void reshape_to_image(const Made& x) {
    const Sizes sizes = {1, count_of(x.sizes), 1, 1};
    keep(node("Reshape", x.name + ", " + integers(sizes)), sizes);
  }

  void product(const Made& x) {
    const std::int64_t inner = x.sizes.back();
    const std::int64_t columns = 1 + below(4);
    Sizes sizes = x.sizes;
    if (sizes.size() < 2) return;
    sizes.back() = columns;
    const std::string bounded = node("Tanh", x.name);
    std::string made = node("MatMul", bounded + ", " + floats({inner, columns}));
    if (below(2) == 0) made = node("Add", made + ", " + floats({columns}));
    keep(made, sizes);
  }

  void softmax(const Made& x) {
    const std::string axis = integers({static_cast<std::int64_t>(x.sizes.size()) - 1});
    const std::string most = node("ReduceMax", x.name + ", " + axis);
    const std::string power = node("Exp", node("Sub", x.name + ", " + most));
    keep(node("Div", power + ", " + node("ReduceSum", power + ", " + axis)), x.sizes);
  }

  void layer_norm(const Made& x) {
    const std::string axis = integers({-1});
    const std::string mean = node("ReduceMean", x.name + ", " + axis);
    const std::string difference = node("Sub", x.name + ", " + mean);
    const std::string squares = node("Mul", difference + ", " + difference);
    const std::string variance = node("ReduceMean", squares + ", " + axis);
    const std::string root = node("Sqrt", node("Add", variance + ", " + filled({}, "0.125")));
    std::string made = node("Div", difference + ", " + root);
    if (below(2) == 0) made = node("Mul", made + ", " + floats({x.sizes.back()}));
    if (below(2) == 0) made = node("Add", made + ", " + floats({x.sizes.back()}));
    keep(made, x.sizes);
  }

  void activation(const Made& x) {
    if (below(2) == 0) return keep(node("Mul", x.name + ", " + node("Sigmoid", x.name)), x.sizes);
    const std::string scaled = node("Div", x.name + ", " + filled({}, "1.41421354"));
    const std::string sum = node("Add", node("Erf", scaled) + ", " + filled({}, "1"));
    const std::string twice = node("Mul", x.name + ", " + sum);
    keep(node("Mul", twice + ", " + filled({}, "0.5")), x.sizes);
  }

  void expand(const Made& x) {
    Sizes to = x.sizes;
    for (std::int64_t& size : to) size = size == 1 && below(2) == 0 ? 2 : size;
    keep(node("Expand", x.name + ", " + integers(to)), to);
  }

  /// An If whose condition depends on a shape.
  void branch(const Made& x) {
    const std::string size = node("Gather", node("Shape", x.name) + ", " + integers({-1}));
    const std::string is_two = node("Equal", size + ", " + integers({2}));
    const std::string made = fresh();
    const std::string inner = fresh();
    const std::string other = fresh();
    add_text(format(" {} = If ({}) <then_branch = t () => (float[] {}) ", made, is_two, inner) +
             "{ " + format("{} = Neg ({})", inner, x.name) + " }" +
             format(", else_branch = e () => (float[] {}) ", other) + "{ " +
             format("{} = Relu ({})", other, x.name) + " }>");
    keep(made, x.sizes);
  }

  void pad(const Made& x) {
    if (x.sizes.size() != 4) return;
    const std::int64_t around = below(2);
    const std::string padded =
        node("Pad", x.name + ", " + integers({0, 0, around, 0, 0, 0, 0, around}));
    const Sizes sizes = {x.sizes[0], x.sizes[1], x.sizes[2] + around, x.sizes[3] + around};
    keep(padded, sizes);
    const std::string weights = floats({2, x.sizes[1], 1, 1});
    keep(node("Conv", padded + ", " + weights), {sizes[0], 2, sizes[2], sizes[3]});
  }

  void einsum(const Made& x) {
    if (x.sizes.size() != 3) return;
    const std::string bounded = node("Tanh", x.name);
    if (below(2) == 0)
      return keep(node("Einsum", bounded + ", " + bounded, "equation = \"bij,bkj->bik\""),
                  {x.sizes[0], x.sizes[1], x.sizes[1]});
    keep(node("Einsum", bounded + ", " + bounded, "equation = \"bij,bik->bjk\""),
         {x.sizes[0], x.sizes[2], x.sizes[2]});
  }

  /// Decomposed attention, with some or all of the nodes that decoders put around it.
  void attention(const Made& x) {
    constexpr std::int64_t heads = 2;
    constexpr std::int64_t size = 2;
    constexpr std::int64_t max_rows = 16;
    const std::int64_t length = count_of(x.sizes);
    if (length > max_rows) return;
    const std::string column =
        node("Tanh", node("Reshape", x.name + ", " + integers({1, length, 1})));
    const std::int64_t shared = 1 + below(heads);
    const bool has_cache = below(2) == 0;
    const std::int64_t keys = length + (has_cache ? 2 : 0);
    const auto cut = [&](std::int64_t count) {
      const std::string rows = node("MatMul", column + ", " + floats({1, count * size}));
      const std::string parts = node("Reshape", rows + ", " + integers({0, 0, count, size}));
      return node("Transpose", parts, "perm = [0, 2, 1, 3]");
    };
    const auto repeated = [&](std::string all) {
      if (has_cache) all = node("Concat", floats({1, shared, 2, size}) + ", " + all, "axis = 2");
      keep(all, {1, shared, keys, size});
      if (shared == heads) return all;
      const std::string wide = node("Expand", node("Unsqueeze", all + ", " + integers({2})) + ", " +
                                                  integers({1, shared, heads, keys, size}));
      return node("Reshape", wide + ", " + integers({1, heads, keys, size}));
    };
    const std::string q = cut(heads);
    const std::string k = repeated(cut(shared));
    const std::string v = repeated(cut(shared));
    std::string scores = node("MatMul", q + ", " + node("Transpose", k, "perm = [0, 1, 3, 2]"));
    if (below(2) == 0) scores = node("Mul", scores + ", " + filled({}, "0.75"));
    const std::int64_t mask = below(3);
    if (mask == 0) scores = node("Add", scores + ", " + floats({1, 1, 1, keys}));
    if (mask == 1) {
      std::int64_t place = 0;
      const std::string causal = constant("float", {length, keys}, [&] {
        const bool is_hidden = place % keys > place / keys + keys - length;
        ++place;
        return is_hidden ? "-1e9" : "0";
      });
      scores = node("Add", scores + ", " + causal);
    }
    const std::string sums = node("MatMul", node("Softmax", scores, "axis = -1") + ", " + v);
    const std::string joined = node("Transpose", sums, "perm = [0, 2, 1, 3]");
    keep(node("Reshape", joined + ", " + integers({0, 0, heads * size})),
         {1, length, heads * size});
  }

  /// Computes the same twice.
  void repeat(const Made& x) {
    const std::string a = node("Sigmoid", x.name);
    const std::string b = node("Sigmoid", x.name);
    keep(node("Sub", node("Neg", a) + ", " + node("Neg", b)), x.sizes);
  }
};

}  // namespace

std::string random_graph(std::uint64_t seed) {
  return StepWriter(seed).write();
}

}  // namespace ortool::test
