// Drawing on the canvas, with less detail at small scales.

const mostLabelWidth = 120;

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.ruler = document.createElement('canvas').getContext('2d');
    this.widths = new Map();
    this.readTheme();
  }

  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue('--' + name).trim();
    this.isDark = document.documentElement.classList.contains('dark');
    this.colors = {};
    for (const name of ['page', 'panel', 'ink', 'soft', 'line', 'strong', 'group', 'group-edge', 'group-head', 'edge', 'chip']) {
      this.colors[name] = read(name);
    }
    this.family = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  }

  font(size, weight = 400) { return `${weight} ${size}px ${this.family}`; }

  width(text, size, weight = 400) {
    const name = `${size} ${weight} ${text}`;
    let width = this.widths.get(name);
    if (width === undefined) {
      this.ruler.font = this.font(size, weight);
      width = this.ruler.measureText(text).width;
      this.widths.set(name, width);
    }
    return width;
  }

  shorten(text, most, size, weight = 400) {
    if (this.width(text, size, weight) <= most) return text;
    let low = 0;
    let high = Math.min(text.length, 400);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.width(text.slice(0, middle) + '…', size, weight) <= most) low = middle;
      else high = middle - 1;
    }
    return text.slice(0, low) + '…';
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(clientHeight * ratio));
  }

  // state: {root, scale, x, y, selected, hovered, overlay}
  paint(state) {
    const context = this.context;
    this.state = state;
    this.drawnItems = 0;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = this.colors.page;
    context.fillRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    context.setTransform(this.ratio * state.scale, 0, 0, this.ratio * state.scale, this.ratio * state.x, this.ratio * state.y);
    this.view = [-state.x / state.scale, -state.y / state.scale, (this.canvas.clientWidth - state.x) / state.scale,
      (this.canvas.clientHeight - state.y) / state.scale];
    this.near = this.neighbors(state.selected);
    this.paintTree(state.root);
  }

  // Everything, at a scale that decides about details, in any context with the methods of a canvas.
  paintWhole(context, state, scale) {
    const own = { context: this.context, state: this.state, view: this.view, near: this.near };
    Object.assign(this, { context, state: { ...state, scale, selected: null, hovered: null }, near: new Set(),
      view: [-Infinity, -Infinity, Infinity, Infinity] });
    this.paintTree(state.root);
    Object.assign(this, own);
  }

  paintTree(root) {
    const { scale } = this.state;
    const open = [{ item: root, x: 0, y: 0 }];
    while (open.length) {
      const { item, x, y } = open.pop();
      if (!this.isSeen(x, y, x + item.w, y + item.h)) continue;
      ++this.drawnItems;
      if (!item.isOpen) {
        this.paintClosed(item, x, y);
        continue;
      }
      const isSmall = item !== root && Math.max(item.w, item.h) * scale < 36;
      if (item !== root) this.paintFrame(item, x, y);
      if (isSmall) continue;
      this.paintEdges(item, x, y);
      if (item !== root) this.paintHead(item, x, y);
      for (const child of item.children) open.push({ item: child, x: x + child.x, y: y + child.y });
    }
  }

  isSeen(left, top, right, bottom) {
    return right >= this.view[0] && left <= this.view[2] && bottom >= this.view[1] && top <= this.view[3];
  }

  neighbors(item) {
    const values = new Set();
    if (item) for (const value of [...item.reads, ...item.makes]) values.add(value);
    return values;
  }

  round(x, y, w, h, radius) {
    const context = this.context;
    context.beginPath();
    context.roundRect(x, y, w, h, Math.min(radius, h / 2));
  }

  paintFrame(item, x, y) {
    const context = this.context;
    this.round(x, y, item.w, item.h, 9);
    context.fillStyle = this.colors.group;
    context.fill();
    const isChosen = item === this.state.selected;
    context.lineWidth = (isChosen ? 2.5 : item === this.state.hovered ? 1.8 : 1.1) * Math.max(1, 0.7 / this.state.scale);
    context.strokeStyle = isChosen ? this.colors.strong : this.colors['group-edge'];
    context.stroke();
  }

  paintHead(item, x, y) {
    if (this.state.scale < 0.16) return;
    const context = this.context;
    context.beginPath();
    context.roundRect(x + 0.7, y + 0.7, item.w - 1.4, headHeight - 2, [8, 8, 0, 0]);
    context.fillStyle = this.colors['group-head'];
    context.fill();
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    const title = this.shorten(item.title, item.w - 40, 12, 600);
    context.font = this.font(12, 600);
    context.fillStyle = this.colors.ink;
    this.sign(x + 15, y + headHeight / 2, false);
    context.fillText(title, x + 27, y + headHeight / 2 + 0.5);
    const used = 27 + this.width(title, 12, 600) + 10;
    const note = this.shorten(noteOf(item, this.state.overlay), item.w - used - 12, 11);
    if (note.length < 3) return;
    context.font = this.font(11);
    context.fillStyle = this.colors.soft;
    context.fillText(note, x + used, y + headHeight / 2 + 0.5);
  }

  // A plus or a minus in a ring.
  sign(x, y, isClosed) {
    const context = this.context;
    context.beginPath();
    context.arc(x, y, 6, 0, 2 * Math.PI);
    context.moveTo(x - 3, y);
    context.lineTo(x + 3, y);
    if (isClosed) {
      context.moveTo(x, y - 3);
      context.lineTo(x, y + 3);
    }
    context.lineWidth = 1.1;
    context.strokeStyle = this.colors.soft;
    context.stroke();
  }

  shades(item) {
    const heat = this.state.heat ? this.state.heat(item) : null;
    if (heat !== null) {
      if (heat < 0) return { fill: this.isDark ? '#22272f' : '#f4f5f7', edge: this.colors['group-edge'], ink: this.colors.soft };
      const light = this.isDark ? 20 + 22 * heat : 96 - 38 * heat;
      return { fill: `hsl(${46 - 40 * heat} ${this.isDark ? 25 + 50 * heat : 60 + 30 * heat}% ${light}%)`,
        edge: `hsl(${46 - 40 * heat} 60% ${this.isDark ? 45 : 45}%)`, ink: this.isDark ? '#f4f1ec' : '#2a1a08' };
    }
    if (item.kind === 'group') return { fill: this.colors['group-head'], edge: this.colors['group-edge'], ink: this.colors.ink };
    if (!item.node) return { fill: this.isDark ? '#20323a' : '#e6f3f1', edge: this.isDark ? '#3f7c7a' : '#5aa79d', ink: this.colors.ink };
    const hue = hueOfKind[item.node.subgraphs.length ? 'control' : kindOfNode(item.node)];
    const gray = kindOfNode(item.node) === 'other' ? 0.35 : 1;
    return this.isDark
      ? { fill: `hsl(${hue} ${30 * gray}% 20%)`, edge: `hsl(${hue} ${42 * gray}% 46%)`, ink: `hsl(${hue} ${60 * gray}% 88%)` }
      : { fill: `hsl(${hue} ${72 * gray}% 94%)`, edge: `hsl(${hue} ${48 * gray}% 60%)`, ink: `hsl(${hue} ${55 * gray}% 20%)` };
  }

  paintClosed(item, x, y) {
    const context = this.context;
    const { scale, selected, hovered } = this.state;
    const shades = this.shades(item);
    const isChosen = item === selected;
    if (item.h * scale < 3) {
      context.fillStyle = shades.edge;
      context.fillRect(x, y, item.w, item.h);
      return;
    }
    const radius = item.node || item.kind === 'group' ? 7 : item.h / 2;
    if (item.kind === 'group' && scale > 0.2) {
      this.round(x + 4, y + 4, item.w, item.h, radius);
      context.fillStyle = this.colors.group;
      context.strokeStyle = this.colors['group-edge'];
      context.lineWidth = 1;
      context.fill();
      context.stroke();
    }
    this.round(x, y, item.w, item.h, radius);
    context.fillStyle = shades.fill;
    context.fill();
    context.lineWidth = (isChosen ? 2.8 : item === hovered ? 2 : 1.2) * Math.max(1, 0.7 / scale);
    context.strokeStyle = isChosen ? this.colors.strong : shades.edge;
    context.stroke();
    if (12 * scale < 4.5) return;
    const lines = linesOf(item, this.state.overlay);
    const hasSign = Boolean(item.children);
    const middle = x + item.w / 2 + (hasSign ? 8 : 0);
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    const top = y + item.h / 2 - (lines.length - 1) * 7.5 + 0.5;
    lines.forEach((line, place) => {
      const size = place === 0 ? 12.5 : 11;
      const weight = place === 0 ? 600 : 400;
      const text = this.shorten(line, item.w - (hasSign ? 34 : 14), size, weight);
      context.font = this.font(size, weight);
      context.fillStyle = shades.ink;
      context.globalAlpha = place === 0 ? 1 : 0.78;
      context.fillText(text, middle, top + place * 15.5);
    });
    context.globalAlpha = 1;
    if (hasSign) this.sign(x + 15, y + item.h / 2, true);
  }

  paintEdges(group, x, y) {
    const context = this.context;
    const { scale } = this.state;
    const width = Math.max(1.2, 0.9 / scale);
    const chosen = [];
    context.lineWidth = width;
    context.strokeStyle = this.colors.edge;
    context.fillStyle = this.colors.edge;
    for (const edge of group.edges) {
      const [left, top, right, bottom] = edge.box;
      if (!this.isSeen(x + left - 4, y + top, x + right + 4, y + bottom)) continue;
      if (edge.values.some((value) => this.near.has(value)) && this.touchesSelection(edge)) chosen.push(edge);
      else this.paintEdge(edge, x, y);
    }
    context.strokeStyle = this.colors.strong;
    context.fillStyle = this.colors.strong;
    context.lineWidth = width * 1.7;
    for (const edge of chosen) this.paintEdge(edge, x, y);
    if (12 * scale >= 7) this.paintShapes(group, x, y);
  }

  touchesSelection(edge) {
    const { selected } = this.state;
    return edge.values.some((value) => {
      const maker = makerOf(value);
      const madeHere = selected.makes.has(value);
      return madeHere || (selected.reads.has(value) && (edge.to === null || isInside(selected, edge.to) || edge.to === selected)) && maker;
    });
  }

  paintEdge(edge, x, y) {
    const context = this.context;
    const points = edge.points;
    context.beginPath();
    context.moveTo(x + points[0][0], y + points[0][1]);
    for (let i = 1; i < points.length; ++i) {
      const [fromX, fromY] = points[i - 1];
      const [toX, toY] = points[i];
      if (Math.abs(fromX - toX) < 0.5) {
        context.lineTo(x + toX, y + toY);
      } else {
        const half = (fromY + toY) / 2;
        context.bezierCurveTo(x + fromX, y + half, x + toX, y + half, x + toX, y + toY);
      }
    }
    context.stroke();
    if (!edge.to || this.state.scale < 0.35) return;
    const [endX, endY] = points[points.length - 1];
    context.beginPath();
    context.moveTo(x + endX, y + endY);
    context.lineTo(x + endX - 4, y + endY - 7);
    context.lineTo(x + endX + 4, y + endY - 7);
    context.fill();
  }

  // The shape of an edge's value, once next to its first segment.
  paintShapes(group, x, y) {
    const context = this.context;
    const done = new Set();
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    for (const edge of group.edges) {
      if (!edge.from || edge.isBack || edge.from.isOpen) continue;
      const name = edge.points[0][0] + ' ' + edge.points[0][1];
      if (done.has(name)) continue;
      done.add(name);
      const [startX, startY] = edge.points[0];
      if (!this.isSeen(x + startX, y + startY, x + startX + 120, y + startY + 20)) continue;
      const text = this.shorten(edge.values.length > 1 ? `${edge.values.length} values` : labelOfShape(edge.values[0]), mostLabelWidth, 10.5);
      const left = x + startX + 5;
      const middle = y + startY + (edge.from.kind === 'group' ? 12 : 9.5);
      context.font = this.font(10.5);
      context.lineWidth = 3;
      context.lineJoin = 'round';
      context.strokeStyle = group === this.state.root ? this.colors.page : this.colors.group;
      context.strokeText(text, left, middle);
      context.fillStyle = this.colors.soft;
      context.fillText(text, left, middle);
    }
  }
}

function labelOfShape(value) {
  if (!Array.isArray(value.shape)) return value.dtype === 'unknown' ? '?' : value.dtype;
  return value.shape.length === 0 ? 'scalar' : value.shape.map((dimension) => dimension === null ? '?' : String(dimension)).join('×');
}

// With a star where symbolic dimensions were assumed to be 1.
function figureText(item, metric) {
  const unit = metric === 'bytes' ? 'B' : '';
  return item[metric] === null ? readableNumber(item.atOne[metric], unit) + '*' : readableNumber(item[metric], unit);
}

function metricText(item, overlay) {
  return figureText(item, overlay) + { macs: ' MACs', parameters: ' parameters', bytes: '' }[overlay];
}

function noteOf(item, overlay) {
  if (item.kind === 'node') return item.node.name;
  const parts = [`${item.nodeCount} node${item.nodeCount === 1 ? '' : 's'}`];
  if (overlay) parts.push(metricText(item, overlay));
  return parts.join(' · ');
}

// The text of a closed box.
function linesOf(item, overlay) {
  if (item.kind === 'group') return [item.title, overlay ? figureText(item, overlay) : noteOf(item, '')];
  if (!item.node) return [item.title, `${item.value.dtype} ${labelOfShape(item.value)}`];
  const node = item.node;
  const title = (node.domain ? node.domain + '.' : '') + node.op;
  if (overlay && item.atOne[overlay] !== 0) return [title, figureText(item, overlay)];
  if (node.subgraphs.length) return [title, node.subgraphs.map((graph) => graph.title).join(', ')];
  const stored = node.inputs.filter((value) => value && (value.kind === 'stored' || isFolded(value)));
  const largest = stored.reduce((most, value) => !most || (elementCount(value.shape) || 0) > (elementCount(most.shape) || 0) ? value : most, null);
  return largest && largest.shape && elementCount(largest.shape) > 1 ? [title, labelOfShape(largest)] : [title];
}
