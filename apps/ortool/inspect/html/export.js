// Export of the whole graph as SVG and PNG.

const longestSide = 16384;
const mostPixels = 64e6;
const leastScale = 0.25;
const exportMargin = 16;

function escapeXml(text) {
  // Characters that XML does not allow, lone surrogates among them.
  const allowed = String(text).replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
  return allowed.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character]);
}

// The part of a canvas context that the painter uses, written as SVG elements.
class SvgContext {
  constructor(ruler) {
    this.ruler = ruler;
    this.parts = [];
    this.path = '';
    this.known = new Map();
    Object.assign(this, { fillStyle: '#000000', strokeStyle: '#000000', lineWidth: 1, font: '', textAlign: 'left', globalAlpha: 1 });
  }

  // Colors as #rrggbb, which every viewer reads.
  color(text) {
    if (!this.known.has(text)) {
      this.ruler.fillStyle = text;
      this.known.set(text, this.ruler.fillStyle);
    }
    return this.known.get(text);
  }

  number(value) { return String(Math.round(value * 100) / 100); }

  add(...commands) {
    this.path += commands.map((one) => typeof one === 'number' ? this.number(one) : one).join(' ') + ' ';
  }

  beginPath() { this.path = ''; }
  moveTo(x, y) { this.add('M', x, y); }
  lineTo(x, y) { this.add('L', x, y); }
  bezierCurveTo(aX, aY, bX, bY, x, y) { this.add('C', aX, aY, bX, bY, x, y); }

  // Full circles only.
  arc(x, y, radius) {
    this.add('M', x + radius, y, 'A', radius, radius, 0, 1, 1, x - radius, y, 'A', radius, radius, 0, 1, 1, x + radius, y);
  }

  roundRect(x, y, w, h, radii) {
    const [a, b, c, d] = (Array.isArray(radii) ? radii : [radii, radii, radii, radii]).map((radius) => Math.min(radius, w / 2, h / 2));
    this.add('M', x + a, y, 'L', x + w - b, y, 'A', b, b, 0, 0, 1, x + w, y + b, 'L', x + w, y + h - c, 'A', c, c, 0, 0, 1, x + w - c, y + h,
      'L', x + d, y + h, 'A', d, d, 0, 0, 1, x, y + h - d, 'L', x, y + a, 'A', a, a, 0, 0, 1, x + a, y, 'Z');
  }

  fill() { this.parts.push(`<path d="${this.path.trim()}" fill="${this.color(this.fillStyle)}"/>`); }
  stroke() {
    this.parts.push(`<path d="${this.path.trim()}" fill="none" stroke="${this.color(this.strokeStyle)}" stroke-width="${this.number(this.lineWidth)}"/>`);
  }

  fillRect(x, y, w, h) {
    const [left, top, width, height] = [x, y, w, h].map(this.number);
    this.parts.push(`<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${this.color(this.fillStyle)}"/>`);
  }

  // The text's middle is at y.
  text(text, x, y, style) {
    const [, weight, size, family] = this.font.match(/^(\d+) ([\d.]+)px (.*)$/);
    const anchor = this.textAlign === 'center' ? ' text-anchor="middle"' : '';
    const opacity = this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : '';
    this.parts.push(`<text x="${this.number(x)}" y="${this.number(y + 0.35 * size)}" font-family="${escapeXml(family)}" font-size="${size}"` +
      `${weight === '400' ? '' : ` font-weight="${weight}"`}${anchor}${opacity} ${style}>${escapeXml(text)}</text>`);
  }

  fillText(text, x, y) { this.text(text, x, y, `fill="${this.color(this.fillStyle)}"`); }
  strokeText(text, x, y) {
    this.text(text, x, y, `fill="none" stroke="${this.color(this.strokeStyle)}" stroke-width="${this.number(this.lineWidth)}" stroke-linejoin="round"`);
  }
}

Object.assign(Viewer.prototype, {
  svgText() {
    const { root } = this.state;
    const width = Math.ceil(root.w + 2 * exportMargin);
    const height = Math.ceil(root.h + 2 * exportMargin);
    const context = new SvgContext(document.createElement('canvas').getContext('2d'));
    this.painter.paintWhole(context, this.state, 1);
    // Taken from an element, since the page contains no address.
    const space = byId('vector').namespaceURI;
    return `<svg xmlns="${space}" width="${width}" height="${height}" viewBox="${-exportMargin} ${-exportMargin} ${width} ${height}">\n` +
      `<title>${escapeXml(document.title)}</title>\n<rect x="${-exportMargin}" y="${-exportMargin}" width="${width}" height="${height}" ` +
      `fill="${context.color(this.painter.colors.page)}"/>\n${context.parts.join('\n')}\n</svg>\n`;
  },

  // Twice the size on the screen at 100 %, or as much as browsers can draw; null if that could not be read.
  pngCanvas() {
    const { root } = this.state;
    const width = root.w + 2 * exportMargin;
    const height = root.h + 2 * exportMargin;
    const scale = Math.min(2, longestSide / width, longestSide / height, Math.sqrt(mostPixels / (width * height)));
    if (scale < leastScale) return null;
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.floor(width * scale));
    canvas.height = Math.max(1, Math.floor(height * scale));
    const context = canvas.getContext('2d');
    context.fillStyle = this.painter.colors.page;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(scale, 0, 0, scale, exportMargin * scale, exportMargin * scale);
    this.painter.paintWhole(context, this.state, scale);
    return canvas;
  },

  saveSvg() {
    this.save(new Blob([this.svgText()], { type: 'image/svg+xml' }), 'svg');
  },

  savePng() {
    const canvas = this.pngCanvas();
    const refuse = () => this.tell('The graph is too large for a PNG image: save it as SVG, or close groups first');
    if (!canvas) {
      refuse();
      return;
    }
    canvas.toBlob((blob) => {
      if (blob) this.save(blob, 'png', `${canvas.width} × ${canvas.height} pixels`);
      else refuse();
    }, 'image/png');
  },

  save(blob, extension, note = '') {
    const link = document.createElement('a');
    const name = byId('title').textContent.replace(/\/model\.onnx$|\.onnx$/, '').replace(/[^\w.-]+/g, '_') || 'model';
    link.href = URL.createObjectURL(blob);
    link.download = `${name}.${extension}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.tell([`Saved ${link.download}`, note].filter((text) => text).join(', '));
  },

  tell(text) {
    byId('message').textContent = text;
    clearTimeout(this.messageTimer);
    this.messageTimer = setTimeout(() => { byId('message').textContent = ''; }, 4000);
  },
});
