// The intersection of rotated boxes: one is clipped at each side of the other (Sutherland and
// Hodgman).
#include "kernels/cpu/image/rotated_overlap.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace ortool::cpu {
namespace {

struct Corner {
  double x;
  double y;
};

/// A convex polygon; each of four cuts adds one corner at most.
struct Polygon {
  std::array<Corner, 8> corners;
  std::size_t count = 0;

  void add(Corner corner) {
    if (count < corners.size()) corners[count++] = corner;
  }
};

/// The corners of a box, relative to a point near it.
Polygon polygon_of(const float* box, Corner origin) {
  const double cosine = std::cos(static_cast<double>(box[4])) / 2;
  const double sine = std::sin(static_cast<double>(box[4])) / 2;
  const double along[2] = {cosine * box[2], sine * box[2]};
  const double across[2] = {-sine * box[3], cosine * box[3]};
  const Corner center = {box[0] - origin.x, box[1] - origin.y};
  Polygon polygon;
  polygon.add({center.x - along[0] - across[0], center.y - along[1] - across[1]});
  polygon.add({center.x + along[0] - across[0], center.y + along[1] - across[1]});
  polygon.add({center.x + along[0] + across[0], center.y + along[1] + across[1]});
  polygon.add({center.x - along[0] + across[0], center.y - along[1] + across[1]});
  return polygon;
}

/// Positive to the left of the line from `a` to `b`.
double side_of(Corner a, Corner b, Corner point) {
  return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
}

Polygon clipped(const Polygon& polygon, Corner a, Corner b) {
  Polygon result;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Corner from = polygon.corners[i];
    const Corner to = polygon.corners[(i + 1) % polygon.count];
    const double before = side_of(a, b, from);
    const double after = side_of(a, b, to);
    if (before >= 0) result.add(from);
    if ((before > 0 && after < 0) || (before < 0 && after > 0)) {
      const double part = before / (before - after);
      result.add({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part});
    }
  }
  return result;
}

double area_of(const Polygon& polygon) {
  double twice = 0;
  for (std::size_t i = 2; i < polygon.count; ++i)
    twice += side_of(polygon.corners[0], polygon.corners[i - 1], polygon.corners[i]);
  return twice / 2;
}

}  // namespace

double rotated_overlap(const float* a, const float* b) {
  const double area_a = static_cast<double>(a[2]) * a[3];
  const double area_b = static_cast<double>(b[2]) * b[3];
  if (!(area_a > 0 && area_b > 0)) return 0;
  const Corner origin = {(static_cast<double>(a[0]) + b[0]) / 2,
                         (static_cast<double>(a[1]) + b[1]) / 2};
  Polygon shared = polygon_of(a, origin);
  const Polygon other = polygon_of(b, origin);
  for (std::size_t i = 0; i < 4 && shared.count > 0; ++i)
    shared = clipped(shared, other.corners[i], other.corners[(i + 1) % 4]);
  const double intersection = area_of(shared);
  return intersection > 0 ? intersection / (area_a + area_b - intersection) : 0;
}

}  // namespace ortool::cpu
