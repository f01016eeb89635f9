// Layered layout (Sugiyama) of one group: layers by longest path, order by barycenters, positions by least squares.

const gapBetween = 22;
const gapOfLines = 14;
const gapOfLayers = 46;
const stubLength = 15;

// nodes: {w, h, pin, label, isSide}, label being the width of the text next to the edge below, with pin -1 for the first layer, 1 for the last; edges: {from, to, fromDx, toDx}, indices and distances from
// the center. Sets x, y of every node and the points of every edge, and returns the size.
function layoutLayers(nodes, edges) {
  const count = nodes.length;
  const position = topologicalPositions(nodes, edges);
  const links = edges.map((edge) => position[edge.from] <= position[edge.to] ? edge
    : { edge, isBack: true, from: edge.to, to: edge.from, fromDx: edge.toDx, toDx: edge.fromDx });
  const layerOf = assignLayers(nodes, links, position);
  const layerCount = layerOf.reduce((most, layer) => Math.max(most, layer + 1), 0);
  const layers = Array.from({ length: layerCount }, () => []);
  const cells = nodes.map((node, index) => ({ l: node.w / 2, r: Math.max(node.w / 2, node.label ? node.label + 8 : 0), h: node.h,
    layer: layerOf[index], up: [], down: [], x: 0, key: position[index], node }));
  for (const cell of cells) layers[cell.layer].push(cell);
  const routes = links.map((link) => routeLink(link, cells, layers));
  for (const layer of layers) layer.sort((a, b) => a.key - b.key);
  orderLayers(layers);
  placeCells(layers);
  straighten(layers);

  let y = 0;
  const tops = [];
  const bottoms = [];
  layers.forEach((layer, index) => {
    const height = layer.reduce((most, cell) => Math.max(most, cell.h), 0);
    tops.push(y);
    bottoms.push(y + height);
    for (const cell of layer) cell.y = height > 140 ? y : y + (height - cell.h) / 2;
    const lines = layer.reduce((sum, cell) => sum + cell.down.length, 0);
    y += height + (index + 1 === layerCount ? 0 : gapOfLayers + Math.min(60, lines * 1.2));
  });
  for (let index = 0; index < count; ++index) {
    nodes[index].x = cells[index].x - nodes[index].w / 2;
    nodes[index].y = cells[index].y;
  }
  links.forEach((link, index) => {
    const from = cells[link.from];
    const to = cells[link.to];
    const points = [[from.x + link.fromDx, from.y + from.h], [from.x + link.fromDx, bottoms[from.layer]]];
    if (from.node.label) points.push([from.x + link.fromDx, bottoms[from.layer] + stubLength]);
    for (const cell of routes[index]) points.push([cell.x, tops[cell.layer]], [cell.x, bottoms[cell.layer]]);
    points.push([to.x + link.toDx, tops[to.layer]], [to.x + link.toDx, to.y]);
    (link.edge || link).points = link.isBack ? points.reverse() : points;
    (link.edge || link).isBack = Boolean(link.isBack);
  });
  let left = Infinity;
  let right = -Infinity;
  for (const layer of layers) {
    for (const cell of layer) {
      left = Math.min(left, cell.x - cell.l);
      right = Math.max(right, cell.x + cell.r);
    }
  }
  if (count === 0) left = right = 0;
  for (const node of nodes) node.x -= left;
  for (const edge of edges) for (const point of edge.points) point[0] -= left;
  return { w: right - left, h: y };
}

// Kahn's topological order; a cycle of groups is broken at the one that begins first.
function topologicalPositions(nodes, edges) {
  const count = nodes.length;
  const waits = new Array(count).fill(0);
  const readers = Array.from({ length: count }, () => []);
  for (const edge of edges) {
    ++waits[edge.to];
    readers[edge.from].push(edge.to);
  }
  const position = new Array(count).fill(-1);
  const isTaken = new Array(count).fill(false);
  const ready = [];
  for (let index = count - 1; index >= 0; --index) if (waits[index] === 0) ready.push(index);
  let next = 0;
  let scanned = 0;
  while (next < count) {
    let index = ready.pop();
    if (index === undefined) {
      while (isTaken[scanned]) ++scanned;
      index = scanned;
    }
    if (isTaken[index]) continue;
    isTaken[index] = true;
    position[index] = next++;
    for (const reader of readers[index]) if (--waits[reader] === 0 && !isTaken[reader]) ready.push(reader);
  }
  return position;
}

function assignLayers(nodes, links, position) {
  const count = nodes.length;
  const order = new Array(count);
  position.forEach((place, index) => { order[place] = index; });
  const into = Array.from({ length: count }, () => []);
  const outOf = Array.from({ length: count }, () => []);
  for (const link of links) {
    into[link.to].push(link.from);
    outOf[link.from].push(link.to);
  }
  const hasTop = nodes.some((node) => node.pin < 0);
  const layer = new Array(count).fill(0);
  for (const index of order) {
    if (nodes[index].pin < 0) continue;
    layer[index] = into[index].reduce((most, from) => Math.max(most, layer[from] + 1), hasTop ? 1 : 0);
  }
  // Items without inputs are placed close to their consumers.
  for (const index of order.slice().reverse()) {
    if (nodes[index].pin || outOf[index].length === 0 || into[index].length > outOf[index].length) continue;
    if (into[index].length === outOf[index].length && into[index].length > 0 && into[index].some((from) => nodes[from].pin < 0) === false) continue;
    layer[index] = Math.max(layer[index], outOf[index].reduce((least, to) => Math.min(least, layer[to] - 1), Infinity));
  }
  const last = layer.reduce((most, value, index) => nodes[index].pin > 0 ? most : Math.max(most, value), 0);
  nodes.forEach((node, index) => { if (node.pin > 0) layer[index] = last + 1; });
  // Removes empty layers.
  const used = [...new Set(layer)].sort((a, b) => a - b);
  const rank = new Map(used.map((value, place) => [value, place]));
  return layer.map((value) => rank.get(value));
}

// Edges from the same source share their path until they split.
function routeLink(link, cells, layers) {
  const from = cells[link.from];
  const to = cells[link.to];
  const join = (upper, lower, upperGap, lowerGap) => {
    // Consecutive boxes are aligned by their centers: aligned by their edges, a chain would drift.
    const areBoxes = upper.node && lower.node && upper.node.isBox && lower.node.isBox;
    const upperDx = areBoxes ? 0 : upperGap;
    const lowerDx = areBoxes ? 0 : lowerGap;
    const isSide = upper.node && upper.node.isSide && upper.up.length === 0;
    const weight = isSide ? 0.1 : upper.isLine && lower.isLine ? 6 : upper.isLine || lower.isLine ? 1.5 : 2;
    upper.down.push({ cell: lower, dx: upperDx - lowerDx, weight });
    lower.up.push({ cell: upper, dx: lowerDx - upperDx, weight });
  };
  from.trunks = from.trunks || new Map();
  const way = [];
  let at = from;
  let atDx = link.fromDx;
  for (let layer = from.layer + 1; layer < to.layer; ++layer) {
    const name = link.fromDx + ':' + layer;
    let cell = from.trunks.get(name);
    if (!cell) {
      cell = { l: 1, r: 1, h: 0, layer, up: [], down: [], x: 0, key: from.key, isLine: true };
      from.trunks.set(name, cell);
      layers[layer].push(cell);
      join(at, cell, atDx, 0);
    }
    way.push(cell);
    at = cell;
    atDx = 0;
  }
  join(at, to, atDx, link.toDx);
  return way;
}

function orderLayers(layers) {
  const number = (layer) => layer.forEach((cell, place) => { cell.place = place; });
  layers.forEach(number);
  let best = null;
  const remember = () => {
    const crossings = countCrossings(layers);
    if (!best || crossings < best.crossings) best = { crossings, order: layers.map((layer) => layer.slice()) };
    return crossings;
  };
  if (remember() === 0) return;
  for (let round = 0; round < 12; ++round) {
    const isDown = round % 2 === 0;
    for (let step = 1; step < layers.length; ++step) {
      const layer = layers[isDown ? step : layers.length - 1 - step];
      for (const cell of layer) {
        const links = isDown ? cell.up : cell.down;
        cell.mean = links.length === 0 ? cell.place
          : links.reduce((sum, link) => sum + link.cell.place - link.dx * 1e-4, 0) / links.length;
      }
      layer.sort((a, b) => a.mean - b.mean || a.place - b.place);
      number(layer);
    }
    if (remember() === 0) break;
  }
  best.order.forEach((order, index) => {
    layers[index].splice(0, order.length, ...order);
    number(layers[index]);
  });
}

function countCrossings(layers) {
  let crossings = 0;
  for (const layer of layers) {
    const ends = [];
    for (const cell of layer) {
      const places = cell.down.map((link) => link.cell.place).sort((a, b) => a - b);
      ends.push(...places);
    }
    const size = ends.reduce((most, place) => Math.max(most, place + 1), 0);
    const tree = new Int32Array(size + 1);
    for (let i = ends.length - 1; i >= 0; --i) {
      for (let at = ends[i]; at > 0; at -= at & -at) crossings += tree[at];
      for (let at = ends[i] + 1; at <= size; at += at & -at) ++tree[at];
    }
  }
  return crossings;
}

// Places each layer as close to its neighbors as order and gaps allow: isotonic regression.
function placeCells(layers) {
  for (const layer of layers) {
    layer.forEach((cell, place) => {
      cell.before = layer[place - 1];
      cell.after = layer[place + 1];
    });
  }
  for (const layer of layers) {
    let x = 0;
    layer.forEach((cell, place) => {
      if (place > 0) x += separation(layer[place - 1], cell);
      cell.x = x;
    });
    const middle = x / 2;
    for (const cell of layer) cell.x -= middle;
  }
  const rounds = layers.length > 400 ? 14 : 30;
  for (let round = 0; round < rounds; ++round) {
    const isDown = round % 2 === 0;
    const isLast = round >= rounds / 2;
    for (let step = 0; step < layers.length; ++step) {
      const layer = layers[isDown ? step : layers.length - 1 - step];
      for (const cell of layer) {
        let links = isDown ? cell.up : cell.down;
        if (isLast || links.length === 0) links = cell.up.concat(cell.down);
        let sum = 0;
        let weight = 0;
        for (const link of links) {
          sum += (link.cell.x - link.dx) * link.weight;
          weight += link.weight;
        }
        cell.wish = weight > 0 ? sum / weight : cell.x;
        cell.weight = weight > 0 ? weight : 0.2;
      }
      settleLayer(layer);
    }
  }
}

// Long edges and chains of nodes are straightened as far as the gaps to their neighbors allow.
function straighten(layers) {
  const nextInRow = (cell) => {
    const links = cell.down.filter((link) => link.weight > 0.1);
    if (links.length !== 1 || links[0].dx !== 0) return null;
    const next = links[0].cell;
    return Boolean(next.isLine) === Boolean(cell.isLine) && next.up.filter((link) => link.weight > 0.1).length === 1 ? next : null;
  };
  for (const layer of layers) {
    for (const cell of layer) {
      if (cell.isStraight) continue;
      const row = [];
      for (let at = cell; at && !at.isStraight; at = nextInRow(at)) {
        at.isStraight = true;
        row.push(at);
      }
      if (row.length > 1) straightenRow(row);
    }
  }
}

function straightenRow(row) {
  for (let first = 0; first < row.length;) {
    let low = -Infinity;
    let high = Infinity;
    let sum = 0;
    let end = first;
    for (; end < row.length; ++end) {
      const cell = row[end];
      const least = cell.before ? cell.before.x + separation(cell.before, cell) : -Infinity;
      const most = cell.after ? cell.after.x - separation(cell, cell.after) : Infinity;
      if (Math.max(low, least) > Math.min(high, most)) break;
      low = Math.max(low, least);
      high = Math.min(high, most);
      sum += cell.x;
    }
    if (end === first) end = first + 1;
    else for (let i = first; i < end; ++i) row[i].x = Math.min(high, Math.max(low, sum / (end - first)));
    first = end;
  }
}

function separation(left, right) {
  const gap = left.isLine && right.isLine ? gapOfLines : left.isLine || right.isLine ? (gapBetween + gapOfLines) / 2 : gapBetween;
  return left.r + right.l + gap;
}

function settleLayer(layer) {
  const blocks = [];
  let offset = 0;
  layer.forEach((cell, place) => {
    if (place > 0) offset += separation(layer[place - 1], cell);
    cell.offset = offset;
    let block = { sum: (cell.wish - offset) * cell.weight, weight: cell.weight, count: 1 };
    while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].weight > block.sum / block.weight) {
      const last = blocks.pop();
      block = { sum: last.sum + block.sum, weight: last.weight + block.weight, count: last.count + block.count };
    }
    blocks.push(block);
  });
  let place = 0;
  for (const block of blocks) {
    for (let i = 0; i < block.count; ++i, ++place) layer[place].x = block.sum / block.weight + layer[place].offset;
  }
}
