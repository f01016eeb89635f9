// The view: what is open, selected and visible, and the actions of mouse, touch and keys.

const mostSeenAtFirst = 60;
const byId = (name) => document.getElementById(name);

class Viewer {
  constructor(found) {
    this.model = new ModelGraphs(found);
    this.canvas = byId('canvas');
    this.painter = new Painter(this.canvas);
    this.panel = new Panel(byId('panel'), this.model, {
      search: (words) => { byId('search').value = words; this.search(words); },
      reveal: (node) => this.reveal(node), toggle: (item) => this.toggle(item), openGraph: (graph) => this.openGraph(graph),
    });
    this.trees = new Map();
    this.state = { root: null, scale: 1, x: 0, y: 0, selected: null, hovered: null, overlay: '', heat: null };
    this.results = [];
    this.measure = (item) => this.measureItem(item);
    this.measure.title = (item) => item.parent ? Math.min(420, this.painter.width(item.title, 12, 600) + 60) : 0;
    this.measure.label = (item) => item.isOpen ? 0 : this.labelWidth(item);
    const path = found.model.path.split('/');
    const name = path[path.length - 1] === 'model.onnx' ? path.slice(-2).join('/') : path[path.length - 1];
    byId('title').textContent = name;
    byId('title').title = found.model.path;
    document.title = name + ' – ortool';
    const { summary } = found;
    byId('facts').textContent = [`${summary.node_count.toLocaleString('en')} nodes`, `${readableNumber(summary.parameter_count)} parameters`,
      summary.macs === null ? null : `${readableNumber(summary.macs)} MACs`].filter((text) => text).join(' · ');
    this.fillGraphs();
    this.listen();
    this.painter.resize();
    this.openGraph(this.model.main);
  }

  fillGraphs() {
    const select = byId('graph');
    select.hidden = this.model.functions.length === 0;
    this.graphs = [this.model.main, ...this.model.functions];
    this.graphs.forEach((graph, place) => select.append(element('option', { value: String(place) }, graph.title)));
    select.addEventListener('change', () => this.openGraph(this.graphs[Number(select.value)]));
  }

  treeOf(graph) {
    if (!this.trees.has(graph)) {
      const root = buildTree(graph);
      linkOutputs(root);
      computeBoundaries(root);
      openInitially(root, mostSeenAtFirst);
      this.trees.set(graph, root);
    }
    return this.trees.get(graph);
  }

  openGraph(graph) {
    byId('graph').value = String(this.graphs.indexOf(graph));
    this.state.root = this.treeOf(graph);
    this.state.hovered = null;
    this.layout();
    this.select(null);
    this.fit();
  }

  measureItem(item) {
    const lines = linesOf(item, '');
    const widest = Math.max(this.painter.width(lines[0], 12.5, 600), lines[1] ? this.painter.width(lines[1], 11) : 0);
    const sign = item.children ? 26 : 0;
    return { w: Math.min(240, Math.max(64, widest + 24 + sign)), h: lines.length > 1 ? 42 : 28 };
  }

  // Width of the widest shape text below the item.
  labelWidth(item) {
    let widest = 0;
    for (const value of [...item.makes].slice(0, 4)) widest = Math.max(widest, this.painter.width(labelOfShape(value), 10.5));
    return Math.min(mostLabelWidth, widest);
  }

  layout() {
    layoutTree(this.state.root, this.measure);
    this.heatUp();
    this.schedule();
  }

  schedule() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.keepInSight();
      this.painter.paint(this.state);
    });
  }

  // However far it is dragged, a part of the graph stays in the window.
  keepInSight() {
    const { state } = this;
    const margin = 60;
    const within = (place, size, window) => Math.min(window - margin, Math.max(margin - size * state.scale, place));
    state.x = within(state.x, state.root.w, this.canvas.clientWidth);
    state.y = within(state.y, state.root.h, this.canvas.clientHeight);
  }

  isUsable(item) { return item && item !== this.state.root; }

  // The position of an item's top left corner in the drawing.
  placeOf(item) {
    let x = 0;
    let y = 0;
    for (let at = item; at.parent; at = at.parent) {
      x += at.x;
      y += at.y;
    }
    return [x, y];
  }

  itemAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    let x = (clientX - box.left - this.state.x) / this.state.scale;
    let y = (clientY - box.top - this.state.y) / this.state.scale;
    let item = this.state.root;
    while (item.isOpen) {
      const child = item.children.find((one) => x >= one.x && x <= one.x + one.w && y >= one.y && y <= one.y + one.h);
      if (!child) break;
      x -= child.x;
      y -= child.y;
      item = child;
    }
    return { item: item === this.state.root ? null : item, x, y };
  }

  fit() {
    const { root } = this.state;
    const { clientWidth, clientHeight } = this.canvas;
    const scale = Math.min(clientWidth / root.w, clientHeight / root.h) * 0.96;
    this.state.scale = Math.min(1.1, Math.max(0.001, scale));
    // If the whole would be too small to read, show its top instead.
    if (this.state.scale < 0.62) this.state.scale = Math.min(0.85, Math.max(this.state.scale, clientWidth / root.w * 0.96));
    this.state.x = (clientWidth - root.w * this.state.scale) / 2;
    this.state.y = root.h * this.state.scale > clientHeight ? 8 : (clientHeight - root.h * this.state.scale) / 2;
    this.schedule();
  }

  fitAll() {
    const { root } = this.state;
    const { clientWidth, clientHeight } = this.canvas;
    this.state.scale = Math.min(1.1, clientWidth / root.w * 0.96, clientHeight / root.h * 0.96);
    this.state.x = (clientWidth - root.w * this.state.scale) / 2;
    this.state.y = (clientHeight - root.h * this.state.scale) / 2;
    this.schedule();
  }

  zoom(factor, clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const x = clientX === undefined ? this.canvas.clientWidth / 2 : clientX - box.left;
    const y = clientY === undefined ? this.canvas.clientHeight / 2 : clientY - box.top;
    const scale = Math.min(4, Math.max(0.002, this.state.scale * factor));
    const change = scale / this.state.scale;
    this.state.x = x - (x - this.state.x) * change;
    this.state.y = y - (y - this.state.y) * change;
    this.state.scale = scale;
    this.schedule();
  }

  center(item, least = 0.7) {
    const [x, y] = this.placeOf(item);
    if (this.state.scale < least) this.state.scale = Math.min(1, least + 0.2);
    const height = item.isOpen ? Math.min(item.h, this.canvas.clientHeight / this.state.scale * 0.8) : item.h;
    this.state.x = this.canvas.clientWidth / 2 - (x + item.w / 2) * this.state.scale;
    this.state.y = this.canvas.clientHeight / 2 - (y + height / 2) * this.state.scale;
    this.schedule();
  }

  // Marks all enclosing groups as needing a new layout.
  stale(item) {
    for (let at = item; at; at = at.parent) at.isStale = true;
  }

  toggle(item) {
    if (!item.children || item === this.state.root) return;
    const [, y] = this.placeOf(item);
    const [x] = this.placeOf(item);
    const middle = [this.state.x + (x + item.w / 2) * this.state.scale, this.state.y + y * this.state.scale];
    item.isOpen = !item.isOpen;
    this.stale(item);
    this.layout();
    // The box stays under the pointer.
    const [newX, newY] = this.placeOf(item);
    this.state.x = middle[0] - (newX + item.w / 2) * this.state.scale;
    this.state.y = middle[1] - newY * this.state.scale;
    this.select(item);
  }

  setAll(isOpen) {
    const started = performance.now();
    const { root } = this.state;
    const open = [...root.children];
    while (open.length) {
      const item = open.pop();
      if (!item.children) continue;
      item.isOpen = isOpen;
      item.isStale = true;
      open.push(...item.children);
    }
    root.isStale = true;
    let selected = this.state.selected;
    while (!isOpen && selected && selected.parent && selected.parent !== root) selected = selected.parent;
    this.layout();
    this.select(selected);
    this.fit();
    this.lastLayoutMs = performance.now() - started;
  }

  select(item) {
    this.state.selected = item;
    byId('trail').textContent = item ? [...this.panelPath(item)].join(' › ') : '';
    if (item) this.panel.showItem(item);
    else this.panel.showModel();
    this.schedule();
  }

  panelPath(item) {
    const titles = [];
    for (let at = item; at.parent; at = at.parent) titles.unshift(at.node ? at.node.name : at.title);
    return titles;
  }

  // Opens the groups that hide the node and goes there. A constant drawn inside its consumers leads to them.
  reveal(node) {
    let target = node;
    if (node.isFolded) {
      const reader = node.outputs[0].readers[0];
      if (!reader) return this.panel.showNode(node);
      target = reader.node;
    }
    let graph = target.graph;
    while (graph.owner) graph = graph.owner.graph;
    if (this.state.root !== this.treeOf(graph)) this.openGraph(graph);
    for (let at = target.item.parent; at && at.parent; at = at.parent) {
      if (!at.isOpen) {
        at.isOpen = true;
        this.stale(at);
      }
    }
    this.layout();
    this.select(target.item);
    this.center(target.item);
    if (node.isFolded) this.panel.showNode(node);
    return undefined;
  }

  search(words) {
    const parts = words.toLowerCase().split(/\s+/).filter((part) => part);
    if (parts.length === 0) {
      this.results = [];
      this.select(this.state.selected);
      return;
    }
    this.results = this.model.nodes.filter((node) => {
      const text = node.searchText || (node.searchText = [node.op, node.domain, node.name, ...node.outputs.flatMap((value) => value ? [value.name, value.dtype, labelOfShape(value)] : []),
        ...node.inputs.map((value) => value && (value.kind === 'stored' || value.kind === 'input') ? value.name : '')].join('\n').toLowerCase());
      return parts.every((part) => text.includes(part));
    });
    this.resultAt = -1;
    this.panel.showResults(words, this.results, this.resultAt);
  }

  nextResult(step) {
    if (this.results.length === 0) return;
    this.resultAt = (this.resultAt + step + this.results.length) % this.results.length;
    this.reveal(this.results[this.resultAt]);
    this.tell(`${this.resultAt + 1} of ${this.results.length}`);
  }

  setOverlay(metric) {
    this.state.overlay = metric;
    byId('overlay').value = metric;
    this.heatUp();
    this.schedule();
  }

  // The hottest visible item sets the scale.
  heatUp() {
    const { overlay, root } = this.state;
    const legend = byId('legend');
    legend.hidden = !overlay;
    this.state.heat = null;
    if (!overlay) return;
    let most = 0;
    const open = [root];
    while (open.length) {
      const item = open.pop();
      if (item.isOpen) open.push(...item.children);
      else most = Math.max(most, item.atOne[overlay]);
    }
    this.state.heat = (item) => item.atOne[overlay] > 0 ? Math.sqrt(item.atOne[overlay] / most) : -1;
    const isDark = document.documentElement.classList.contains('dark');
    const stops = [0, 0.25, 0.5, 0.75, 1].map((heat) => `hsl(${46 - 40 * heat} ${isDark ? 25 + 50 * heat : 60 + 30 * heat}% ${isDark ? 20 + 22 * heat : 96 - 38 * heat}%)`);
    const bar = element('i');
    bar.style.background = `linear-gradient(90deg, ${stops.join(', ')})`;
    legend.replaceChildren(element('span', {}, byId('overlay').selectedOptions[0].textContent.replace('Color: ', '')), bar,
      element('div', {}, element('span', {}, '0'), element('span', {}, readableNumber(most, overlay === 'bytes' ? 'B' : ''))),
      root[overlay] === null ? '* unknown dimensions taken as 1' : '');
  }

  setTheme(isDark) {
    document.documentElement.classList.toggle('dark', isDark);
    this.painter.readTheme();
    this.heatUp();
    this.schedule();
  }

  // Along an edge, to a neighbor in the layer, or to the first item.
  walk(key) {
    const { selected, root } = this.state;
    if (!selected) {
      this.go(root.children[0]);
      return;
    }
    if (key === 'ArrowUp' || key === 'ArrowDown') {
      const edges = selected.parent.edges.filter((edge) => key === 'ArrowUp' ? edge.to === selected : edge.from === selected);
      const next = edges.map((edge) => key === 'ArrowUp' ? edge.from : edge.to).find((item) => item);
      if (next) this.go(next);
      else if (selected.parent !== root) this.go(selected.parent);
      return;
    }
    const middle = (item) => item.y + item.h / 2;
    const isRight = key === 'ArrowRight';
    const beside = selected.parent.children.filter((item) => item !== selected && Math.abs(middle(item) - middle(selected)) < Math.max(item.h, selected.h) / 2 + 4 &&
      (isRight ? item.x > selected.x : item.x < selected.x));
    beside.sort((a, b) => isRight ? a.x - b.x : b.x - a.x);
    if (beside.length) this.go(beside[0]);
  }

  go(item) {
    if (!item) return;
    this.select(item);
    this.center(item, 0.5);
  }
}
