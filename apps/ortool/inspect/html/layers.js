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
  const routes = links.map((link) => link.isBack ? [] : routeLink(link, cells, layers));
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
    if (link.isBack) return;
    const from = cells[link.from];
    const to = cells[link.to];
    const points = [[from.x + link.fromDx, from.y + from.h], [from.x + link.fromDx, bottoms[from.layer]]];
    if (from.node.label) points.push([from.x + link.fromDx, bottoms[from.layer] + stubLength]);
    for (const cell of routes[index]) points.push([cell.x, tops[cell.layer]], [cell.x, bottoms[cell.layer]]);
    points.push([to.x + link.toDx, tops[to.layer]], [to.x + link.toDx, to.y]);
    Object.assign(link, { points, isBack: false });
  });
  let left = Infinity;
  let right = -Infinity;
  for (const layer of layers) {
    for (const cell of layer) {
      left = Math.min(left, cell.x - cell.l);
      right = Math.max(right, cell.x + cell.r);
    }
  }
  right += routeBackEdges(edges.filter((edge) => !edge.points), cells, tops, bottoms, right);
  if (count === 0) left = right = 0;
  for (const node of nodes) node.x -= left;
  for (const edge of edges) for (const point of edge.points) point[0] -= left;
  return { w: right - left, h: y };
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
    upper.down.push({ cell: lower, dx: upperDx - lowerDx, weight, own: upperGap, far: lowerGap });
    lower.up.push({ cell: upper, dx: lowerDx - upperDx, weight, own: lowerGap, far: upperGap });
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

// Against the direction of the layers: along lanes right of everything, down from the source, up and down into the
// target. Returns the width of the lanes.
function routeBackEdges(edges, cells, tops, bottoms, right) {
  const lanes = [];
  const spans = edges.map((edge) => ({ edge, from: cells[edge.from], to: cells[edge.to] }));
  spans.sort((a, b) => b.to.layer - a.to.layer || a.from.layer - b.from.layer);
  for (const { edge, from, to } of spans) {
    const top = tops[to.layer] - 9;
    const bottom = bottoms[from.layer] + 9;
    let lane = lanes.findIndex((used) => used.every(([first, last]) => bottom < first || top > last));
    if (lane < 0) lane = lanes.push([]) - 1;
    lanes[lane].push([top - 4, bottom + 4]);
    const x = right + 14 * (lane + 1);
    const start = from.x + edge.fromDx;
    const end = to.x + edge.toDx + (to.node.isBox ? 0 : Math.min(14, to.l / 2));
    edge.points = [[start, from.y + from.h], [start, bottom], [x, bottom], [x, top], [end, top], [end, to.y]];
    edge.isBack = true;
  }
  return lanes.length ? 14 * lanes.length + 6 : 0;
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
