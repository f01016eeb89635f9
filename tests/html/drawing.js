// Measures of a drawing, evaluated in the page: crossings of edges, edges over boxes, edges on top of each other.
(() => {
  // The points of an edge as it is painted: vertical lines, and curves in between.
  const curveOf = (points) => {
    const result = [points[0]];
    for (let i = 1; i < points.length; ++i) {
      const [fromX, fromY] = points[i - 1];
      const [toX, toY] = points[i];
      if (Math.abs(fromX - toX) < 0.5) {
        result.push([toX, toY]);
        continue;
      }
      const half = (fromY + toY) / 2;
      for (let step = 1; step <= 8; ++step) {
        const t = step / 8;
        const u = 1 - t;
        result.push([u * u * (u + 3 * t) * fromX + t * t * (3 * u + t) * toX,
          u * u * u * fromY + 3 * u * t * half + t * t * t * toY]);
      }
    }
    return result;
  };

  // Segments of lines {from, to, points}; what edges from the same source share is drawn, and counted, once.
  const segmentsOf = (lines) => {
    const segments = [];
    const known = new Set();
    const numbers = new Map();
    lines.forEach((line, index) => {
      if (!numbers.has(line.from)) numbers.set(line.from, numbers.size);
      for (let i = 1; i < line.points.length; ++i) {
        const ends = [...line.points[i - 1], ...line.points[i]];
        const name = [numbers.get(line.from), ...ends.map((end) => end.toFixed(1))].join(' ');
        if (known.has(name)) continue;
        known.add(name);
        segments.push([...ends, index]);
      }
    });
    return segments;
  };

  const forPairs = (segments, use) => {
    const size = 120;
    const cells = new Map();
    segments.forEach(([ax, ay, bx, by], index) => {
      for (let x = Math.floor(Math.min(ax, bx) / size); x <= Math.floor(Math.max(ax, bx) / size); ++x) {
        for (let y = Math.floor(Math.min(ay, by) / size); y <= Math.floor(Math.max(ay, by) / size); ++y) {
          const name = x + ' ' + y;
          if (cells.has(name)) cells.get(name).push(index);
          else cells.set(name, [index]);
        }
      }
    });
    const done = new Set();
    for (const list of cells.values()) {
      list.forEach((one, place) => {
        for (const other of list.slice(place + 1)) {
          const name = one * segments.length + other;
          if (!done.has(name)) use(segments[one], segments[other]);
          done.add(name);
        }
      });
    }
  };

  const side = (ax, ay, bx, by, x, y) => (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  const isCrossing = (a, b) => (side(a[0], a[1], a[2], a[3], b[0], b[1]) > 0) !== (side(a[0], a[1], a[2], a[3], b[2], b[3]) > 0) &&
    (side(b[0], b[1], b[2], b[3], a[0], a[1]) > 0) !== (side(b[0], b[1], b[2], b[3], a[2], a[3]) > 0);
  const isOnTop = (a, b) => Math.abs(a[0] - a[2]) < 1 && Math.abs(b[0] - b[2]) < 1 && Math.abs(a[0] - b[0]) < 2 &&
    Math.min(Math.max(a[1], a[3]), Math.max(b[1], b[3])) - Math.max(Math.min(a[1], a[3]), Math.min(b[1], b[3])) > 6;

  const measureLines = (lines) => {
    const found = { crossings: 0, onTop: 0 };
    forPairs(segmentsOf(lines), (a, b) => {
      const one = lines[a[4]];
      const other = lines[b[4]];
      if (one === other || one.from === other.from || one.to === other.to) return;
      if (isCrossing(a, b)) ++found.crossings;
      if (isOnTop(a, b)) ++found.onTop;
    });
    return found;
  };

  const countOverBoxes = (lines, boxes) => {
    let count = 0;
    for (const line of lines) {
      const hit = new Set();
      for (let i = 1; i < line.points.length; ++i) {
        const [ax, ay] = line.points[i - 1];
        const [bx, by] = line.points[i];
        const steps = Math.max(1, Math.ceil(Math.hypot(ax - bx, ay - by) / 8));
        for (let step = 0; step <= steps; ++step) {
          const x = ax + (bx - ax) * step / steps;
          const y = ay + (by - ay) * step / steps;
          for (const box of boxes) {
            if (box !== line.from && box !== line.to && x > box.x + 2 && x < box.x + box.w - 2 && y > box.y + 2 && y < box.y + box.h - 2) hit.add(box);
          }
        }
      }
      count += hit.size;
    }
    return count;
  };

  // Crossings of dagre's layout of a group's content, with the same boxes and edges; null without dagre.
  const countWithDagre = (group, lines) => {
    if (!window.dagreLayout) return null;
    const names = new Map();
    const nodes = [];
    const nameOf = (one, width, height) => {
      if (!names.has(one)) {
        names.set(one, String(names.size));
        nodes.push({ v: names.get(one), width, height, parent: null });
      }
      return names.get(one);
    };
    for (const child of group.children) nameOf(child, child.w, child.h);
    const edges = new Map();
    for (const { from, to } of lines) {
      const [v, w] = [nameOf(from, 6, 1), nameOf(to, 6, 1)];
      edges.set(v + ' ' + w, { v, w, minlen: 1, weight: 1, width: 0, height: 0, labeloffset: 10, labelpos: 'r' });
    }
    const list = [...edges.values()];
    window.dagreLayout(nodes, list, { nodesep: 20, ranksep: 20 }, {});
    return measureLines(list.map((edge) => ({ from: edge.v, to: edge.w, points: edge.points.map(({ x, y }) => [x, y]) }))).crossings;
  };

  const total = { edges: 0, back: 0, crossings: 0, onTop: 0, overBoxes: 0, dagre: 0 };
  const open = [viewer.state.root];
  while (open.length) {
    const group = open.pop();
    if (!group.isOpen) continue;
    open.push(...group.children);
    const lines = group.edges.map((edge) => ({ from: edge.from || 'in ' + edge.points[0], to: edge.to || 'out ' + edge.points.at(-1),
      points: curveOf(edge.points) }));
    const found = measureLines(lines);
    total.edges += lines.length;
    total.back += group.edges.filter((edge) => edge.isBack).length;
    total.crossings += found.crossings;
    total.onTop += found.onTop;
    total.overBoxes += countOverBoxes(lines, group.children);
    total.dagre += countWithDagre(group, lines) || 0;
  }
  return total;
})()
