// SVG plots: axes and shapes, built element by element.

const space = 'http://www.w3.org/2000/svg';
const colorOf = (index) => 'k' + index % 8;

function element(name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key === 'class') made.className = value; else made.setAttribute(key, value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) made.append(child);
  }
  return made;
}

function shape(name, properties, text) {
  const made = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function digits(value) {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

function timeText(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms === 0) return '0';
  if (ms >= 1000) return digits(ms / 1000) + ' s';
  return ms >= 0.1 ? digits(ms) + ' ms' : digits(ms * 1000) + ' µs';
}

function bytesText(bytes) {
  if (!bytes) return '–';
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (bytes >= 1000 && unit + 1 < units.length) { bytes /= 1000; ++unit; }
  return digits(bytes) + ' ' + units[unit];
}

// Round tick values between two ends.
function ticks(low, high, wanted) {
  const step0 = (high - low) / wanted || 1;
  const power = Math.pow(10, Math.floor(Math.log10(step0)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= step0);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) found.push(at);
  return found;
}

// A frame with two axes, optionally logarithmic.
class Plot {
  constructor(options) {
    Object.assign(this, { width: 560, height: 300, left: 66, right: 14, top: 10, bottom: 40, logX: false, logY: false }, options);
    this.svg = shape('svg', { viewBox: `0 0 ${this.width} ${this.height}`, role: 'img', 'aria-label': this.label || '' });
  }
  place(value, range, isLog, from, to) {
    const [low, high] = isLog ? range.map(Math.log10) : range;
    const at = isLog ? Math.log10(value) : value;
    return from + (at - low) / (high - low || 1) * (to - from);
  }
  x(value) { return this.place(value, this.rangeX, this.logX, this.left, this.width - this.right); }
  y(value) { return this.place(value, this.rangeY, this.logY, this.height - this.bottom, this.top); }
  add(name, properties, text) { this.svg.append(shape(name, properties, text)); }
  marks(range, isLog, wanted) {
    if (!isLog) return ticks(range[0], range[1], wanted);
    const found = [];
    for (let power = Math.ceil(Math.log10(range[0]) - 1e-9); power <= Math.log10(range[1]) + 1e-9; ++power) found.push(Math.pow(10, power));
    return found.length >= 2 ? found : ticks(range[0], range[1], wanted).filter((value) => value > 0);
  }
  axes(textX, textY, titleX, titleY) {
    const floor = this.height - this.bottom;
    for (const value of this.marks(this.rangeY, this.logY, 5)) {
      this.add('line', { class: 'axis', x1: this.left, x2: this.width - this.right, y1: this.y(value), y2: this.y(value) });
      this.add('text', { x: this.left - 7, y: this.y(value) + 4, 'text-anchor': 'end' }, textY(value));
    }
    for (const value of this.marks(this.rangeX, this.logX, 6)) {
      this.add('line', { class: 'axis', x1: this.x(value), x2: this.x(value), y1: floor, y2: floor + 4 });
      this.add('text', { x: this.x(value), y: floor + 17, 'text-anchor': 'middle' }, textX(value));
    }
    this.add('line', { class: 'axis', x1: this.left, x2: this.width - this.right, y1: floor, y2: floor });
    this.add('text', { x: (this.left + this.width - this.right) / 2, y: this.height - 5, 'text-anchor': 'middle' }, titleX);
    if (titleY) this.add('text', { x: 12, y: this.top + (floor - this.top) / 2, 'text-anchor': 'middle', transform: `rotate(-90 12 ${this.top + (floor - this.top) / 2})` }, titleY);
  }
  line(points, color) {
    if (points.length === 0) return;
    this.add('path', { class: 'stroke ' + color, 'stroke-width': 1.8, d: points.map(([x, y], i) => (i ? 'L' : 'M') + this.x(x).toFixed(1) + ' ' + this.y(y).toFixed(1)).join('') });
  }
}
