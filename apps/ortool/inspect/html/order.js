// Crossing reduction: orders the cells of each layer by barycenters, then exchanges neighbors.

const roundsOfOrder = 16;
const mostExchanges = 12;

// Where a link meets its cell, in units of places: ports of an open group lie left and right of its center.
function portOf(cell, dx) {
  return cell.node && cell.node.isBox ? dx / (cell.node.w + 1) * 0.98 : 0;
}

function numberPlaces(layer) {
  layer.forEach((cell, place) => { cell.place = place; });
}

function orderLayers(layers) {
  for (const layer of layers) numberPlaces(layer);
  const first = layers.map((layer) => layer.slice());
  const best = { crossings: Infinity, order: first };
  const cellCount = layers.reduce((sum, layer) => sum + layer.length, 0);
  // From the given order, from its mirror image, then from shuffled ones: sweeps end in different local optima.
  const starts = cellCount > 6000 ? 1 : cellCount > 1000 ? 3 : 8;
  const random = randomNumbers();
  for (let start = 0; start < starts && best.crossings > 0; ++start) {
    const shuffle = (layer) => layer.map((cell) => [random(), cell]).sort((a, b) => a[0] - b[0]).map(([, cell]) => cell);
    restoreOrder(layers, start === 0 ? first : start === 1 ? first.map((layer) => layer.slice().reverse()) : first.map(shuffle));
    improveOrder(layers, best, start % 2);
  }
  restoreOrder(layers, best.order);
}

// The same numbers in every run, so that a graph always looks the same.
function randomNumbers() {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
}

function restoreOrder(layers, order) {
  layers.forEach((layer, index) => {
    layer.splice(0, layer.length, ...order[index]);
    numberPlaces(layer);
  });
}

function improveOrder(layers, best, firstRound) {
  const remember = () => {
    const crossings = countCrossings(layers);
    const isBetter = crossings < best.crossings;
    if (isBetter) Object.assign(best, { crossings, order: layers.map((layer) => layer.slice()) });
    return isBetter;
  };
  remember();
  let sinceBetter = 0;
  for (let round = firstRound; round < roundsOfOrder && best.crossings > 0 && sinceBetter < 6; ++round) {
    const isDown = round % 2 === 0;
    for (let step = 1; step < layers.length; ++step) sortLayer(layers[isDown ? step : layers.length - 1 - step], isDown);
    const isBetter = remember();
    for (let pass = 0; pass < mostExchanges && exchangeNeighbors(layers); ++pass);
    sinceBetter = remember() || isBetter ? 0 : sinceBetter + 1;
  }
}

function sortLayer(layer, isDown) {
  for (const cell of layer) {
    const links = isDown ? cell.up : cell.down;
    cell.mean = links.length === 0 ? cell.place
      : links.reduce((sum, link) => sum + link.cell.place + portOf(link.cell, link.far) - link.dx * 1e-4, 0) / links.length;
  }
  layer.sort((a, b) => a.mean - b.mean || a.place - b.place);
  numberPlaces(layer);
}

// Whether exchanging neighbors in a layer removed crossings.
function exchangeNeighbors(layers) {
  let isChanged = false;
  for (const layer of layers) {
    for (let place = 0; place + 1 < layer.length; ++place) {
      const left = layer[place];
      const right = layer[place + 1];
      const gain = gainOfExchange(left.up, right.up) + gainOfExchange(left.down, right.down);
      if (gain <= 0) continue;
      layer[place] = right;
      layer[place + 1] = left;
      left.place = place + 1;
      right.place = place;
      isChanged = true;
    }
  }
  return isChanged;
}

function gainOfExchange(left, right) {
  let gain = 0;
  for (const a of left) {
    const atA = a.cell.place + portOf(a.cell, a.far);
    for (const b of right) gain += Math.sign(atA - b.cell.place - portOf(b.cell, b.far));
  }
  return gain;
}

function countCrossings(layers) {
  let crossings = 0;
  for (const layer of layers) {
    const ends = [];
    for (const cell of layer) {
      for (const link of cell.down) ends.push([cell.place + portOf(cell, link.own), link.cell.place + portOf(link.cell, link.far)]);
    }
    if (ends.length < 2) continue;
    ends.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const lower = [...new Set(ends.map((end) => end[1]))].sort((a, b) => a - b);
    const rankOf = new Map(lower.map((key, rank) => [key, rank]));
    const tree = new Int32Array(lower.length + 2);
    // Counts, for each end, the later ones to its left.
    for (let i = ends.length - 1; i >= 0; --i) {
      const rank = rankOf.get(ends[i][1]);
      for (let at = rank; at > 0; at -= at & -at) crossings += tree[at];
      for (let at = rank + 1; at < tree.length; at += at & -at) ++tree[at];
    }
  }
  return crossings;
}
