"use strict";
// Pointer, keyboard, buttons and legend of a chart.

class Controls {
  constructor(figure) {
    const data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    this.plot = figure.querySelector(".plot");
    this.chart = new Chart(this.plot, data);
    this.spoken = figure.querySelector(".spoken");
    this.tip = html("div", { class: "tip", hidden: "" });
    this.plot.append(this.tip);
    this.plot.before(this.tools());
    this.plot.after(this.legend());
    this.listen();
    this.refresh();
    new ResizeObserver(() => this.refresh()).observe(this.plot);
  }

  tools() {
    const bar = html("div", { class: "tools" });
    const labels = Object.keys(this.chart.data.series[0].x);
    if (labels.length > 1) bar.append(this.choice(labels));
    this.logs = ["x", "y"].map((which) => {
      const button = html("button", { type: "button", class: `log-${which}` }, `log ${which}`);
      button.onclick = () => {
        this.chart.log[which] = !this.chart.log[which];
        this.chart.zoom[which] = null;
        this.refresh();
      };
      bar.append(button);
      return button;
    });
    this.reset = html("button", { type: "button", class: "reset last" }, "Reset zoom");
    this.reset.onclick = () => this.home();
    bar.append(this.reset);
    return bar;
  }

  choice(labels) {
    const select = html("select", {}, ...labels.map((label) => html("option", {}, label)));
    select.onchange = () => {
      this.chart.against = select.value;
      this.chart.zoom.x = null;
      this.refresh();
    };
    return html("label", {}, "against ", select);
  }

  legend() {
    const bar = html("div", { class: "legend", role: "group", "aria-label": "Show or hide a curve" });
    this.chart.data.series.forEach((series, index) => {
      const button = html("button", {
        type: "button", "aria-pressed": String(this.chart.shown[index]),
      }, swatch(series, index), series.name);
      button.onclick = () => {
        this.chart.shown[index] = !this.chart.shown[index];
        button.setAttribute("aria-pressed", String(this.chart.shown[index]));
        this.refresh();
      };
      bar.append(button);
    });
    return bar;
  }

  refresh() {
    this.hide();
    this.chart.draw();
    ["x", "y"].forEach((which, i) => {
      this.logs[i].setAttribute("aria-pressed", String(this.chart.log[which]));
      this.logs[i].disabled = !this.chart.canLog(which);
    });
    this.reset.disabled = !(this.chart.zoom.x || this.chart.zoom.y);
  }

  home() {
    this.chart.zoom = { x: null, y: null };
    this.refresh();
  }

  listen() {
    const plot = this.plot;
    plot.addEventListener("pointerdown", (e) => this.press(e));
    plot.addEventListener("pointermove", (e) => this.move(e));
    plot.addEventListener("pointerup", (e) => this.release(e));
    plot.addEventListener("pointercancel", () => this.cancel());
    plot.addEventListener("pointerleave", (e) => {
      if (!this.start && e.pointerType === "mouse") this.hide();  // what a finger asked for stays
    });
    plot.addEventListener("dblclick", () => this.home());
    plot.addEventListener("keydown", (e) => this.key(e));
    plot.addEventListener("blur", () => this.hide());
  }

  at(event) {
    const frame = this.plot.getBoundingClientRect(), { left, right, top, bottom } = this.chart.box;
    return {
      x: Math.min(right, Math.max(left, event.clientX - frame.left)),
      y: Math.min(bottom, Math.max(top, event.clientY - frame.top)),
    };
  }

  press(event) {
    if (event.button !== 0) return;
    this.start = this.at(event);
    this.plot.setPointerCapture(event.pointerId);
    if (event.pointerType !== "mouse") this.show(this.start.x);
  }

  move(event) {
    const now = this.at(event);
    if (!this.start) return this.show(now.x);
    this.hide();
    const { x, y, width, height } = this.area(this.start, now);
    if (width + height > 6) {
      this.chart.over.replaceChildren(svg("rect", { class: "rubber", x, y, width, height }));
    }
  }

  cancel() {
    this.start = null;
    this.hide();
  }

  // What a drag marks: a range of one axis where it is flat, else both.
  area(a, b) {
    const box = this.chart.box;
    let [x0, x1] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
    let [y0, y1] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
    if (y1 - y0 < 14) [y0, y1] = [box.top, box.bottom];
    else if (x1 - x0 < 14) [x0, x1] = [box.left, box.right];
    return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
  }

  release(event) {
    if (!this.start) return;
    const from = this.start, to = this.at(event), chart = this.chart;
    this.start = null;
    if (Math.hypot(to.x - from.x, to.y - from.y) < 8) return this.show(to.x);
    const { x, y, width, height } = this.area(from, to);
    const box = chart.box;
    if (width < box.right - box.left) this.narrow("x", [x, x + width].map(chart.x.value));
    if (height < box.bottom - box.top) this.narrow("y", [y + height, y].map(chart.y.value));
    this.refresh();
  }

  // Zoom as far as numbers can be told apart, and no further.
  narrow(which, [low, high]) {
    if (high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high))) {
      this.chart.zoom[which] = [low, high];
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { left, right } = this.chart.box, step = event.shiftKey ? 40 : 8;
    const from = this.cursor ?? (left + right) / 2;
    const moves = { ArrowLeft: from - step, ArrowRight: from + step, Home: left, End: right };
    if (event.key in moves) {
      this.show(Math.min(right, Math.max(left, moves[event.key])), true);
    } else if (event.key === "+" || event.key === "=") this.scale(from, 0.6);
    else if (event.key === "-") this.scale(from, 1 / 0.6);
    else if (event.key === "0" || event.key === "Escape") this.home();
    else return;
    event.preventDefault();
  }

  scale(pixel, factor) {
    const { left, right } = this.chart.box, t = (pixel - left) / (right - left);
    this.narrow("x", [t - t * factor, t + (1 - t) * factor].map(this.chart.x.from));
    this.refresh();
    this.show(pixel, true);
  }

  show(pixel, aloud = false) {
    const chart = this.chart, { at, rows } = chart.nearest(pixel);
    this.cursor = pixel;
    if (at === null) return this.hide();
    const x = chart.x.place(at), { top, bottom } = chart.box;
    chart.over.replaceChildren(svg("line", { class: "cross", x1: x, x2: x, y1: top, y2: bottom }));
    for (const { series, index, x: px, y } of rows) {
      const py = chart.y.place(y);
      if (py >= top && py <= bottom) chart.over.append(marker(chart.x.place(px), py, series, index));
    }
    this.tip.replaceChildren(
      html("div", { class: "at" }, `${chart.against} ${write(at)}`),
      ...rows.map(({ series, index, y }) =>
        html("div", {}, swatch(series, index), series.name, html("b", {}, write(y)))));
    this.tip.hidden = false;
    this.settle(x);
    if (aloud) {
      const words = rows.map(({ series, y }) => `${series.name} ${write(y)}`);
      this.spoken.textContent = `${chart.against} ${write(at)}: ${words.join(", ")}`;
    }
  }

  settle(x) {
    const width = this.plot.clientWidth, own = this.tip.offsetWidth;
    const left = x + 14 + own < width ? x + 14 : Math.max(0, x - 14 - own);
    this.tip.style.transform = `translate(${left}px, ${this.chart.box.top + 8}px)`;
  }

  hide() {
    this.tip.hidden = true;
    this.chart.over?.replaceChildren();
  }
}

document.querySelectorAll("figure.curves").forEach((figure) => new Controls(figure));
