"use strict";
// A drawn network that can be zoomed, moved and read.

class Roads {
  constructor(figure) {
    this.place = figure.querySelector(".roads");
    this.svg = this.place.querySelector("svg");
    const { width, height } = this.svg.viewBox.baseVal;
    this.whole = { width, height };
    this.links = [...this.svg.querySelectorAll(".links path")].map((path) => this.read(path));
    this.tip = html("div", { class: "tip", hidden: "" });
    this.place.append(this.tip);
    this.place.before(this.tools());
    this.listen();
    this.home();
  }

  // The words move out of the element, lest the browser shows them a second time.
  read(path) {
    const title = path.querySelector("title"), words = title.textContent.split("; ");
    title.remove();
    return { path, words, ends: path.getAttribute("d").match(/-?[\d.]+/g).map(Number) };
  }

  tools() {
    const button = (words, act) => {
      const made = html("button", { type: "button" }, words);
      made.onclick = act;
      return made;
    };
    this.back = button("Whole network", () => this.home());
    this.back.classList.add("last");
    return html("div", { class: "tools" },
      button("Zoom in", () => this.zoom(0.6)), button("Zoom out", () => this.zoom(1 / 0.6)),
      html("span", {}, "drag to move, Ctrl and wheel to zoom"), this.back);
  }

  listen() {
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    this.svg.addEventListener("pointerdown", (event) => {
      this.from = this.near() ? { at: this.at(event), event } : null;
      if (this.from) this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointerup", () => { this.from = null; });
    this.svg.addEventListener("pointerleave", () => this.hide());
    this.svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.at(event));
    }, { passive: false });
  }

  near() {
    return this.view.width < 0.999 * this.whole.width;
  }

  at(event) {
    const point = new DOMPoint(event.clientX, event.clientY);
    return point.matrixTransform(this.svg.getScreenCTM().inverse());
  }

  home() {
    this.look(0, 0, this.whole.width);
  }

  zoom(factor, at = null) {
    const { x, y, width, height } = this.view;
    const to = at ?? { x: x + width / 2, y: y + height / 2 };
    const wide = Math.max(this.whole.width / 60, Math.min(this.whole.width, width * factor));
    const kept = wide / width;
    this.look(to.x - (to.x - x) * kept, to.y - (to.y - y) * kept, wide);
  }

  look(x, y, width) {
    const height = width * this.whole.height / this.whole.width;
    const within = (value, size, whole) => Math.max(0, Math.min(whole - size, value));
    this.view = { x: within(x, width, this.whole.width), y: within(y, height, this.whole.height),
      width, height };
    this.svg.setAttribute("viewBox", `${this.view.x} ${this.view.y} ${width} ${height}`);
    this.place.classList.toggle("near", this.near());
    this.back.disabled = !this.near();
    this.hide();
  }

  move(event) {
    const at = this.at(event);
    if (this.from && event.buttons) {
      this.look(this.view.x + this.from.at.x - at.x, this.view.y + this.from.at.y - at.y,
        this.view.width);
      return;
    }
    this.show(this.nearest(at), event);
  }

  nearest({ x, y }) {
    let best = 10 * this.view.width / this.svg.clientWidth, found = null;
    for (const link of this.links) {
      const [a, b, c, d] = link.ends, dx = c - a, dy = d - b;
      const share = ((x - a) * dx + (y - b) * dy) / (dx * dx + dy * dy || 1);
      const t = Math.max(0, Math.min(1, share));
      const apart = Math.hypot(x - a - t * dx, y - b - t * dy);
      if (apart <= best) [best, found] = [apart, link];
    }
    return found;
  }

  show(link, event) {
    this.hide();
    if (!link) return;
    this.shown = link.path;
    link.path.classList.add("on");
    this.tip.replaceChildren(...link.words.map((words, k) =>
      html("div", { class: k ? "" : "at" }, words)));
    this.tip.hidden = false;
    const box = this.place.getBoundingClientRect(), own = this.tip.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const left = x + 16 + own.width < box.width ? x + 16 : Math.max(0, x - 16 - own.width);
    const top = y + 16 + own.height < box.height ? y + 16 : Math.max(0, y - 16 - own.height);
    this.tip.style.transform = `translate(${left}px, ${top}px)`;
  }

  hide() {
    this.shown?.classList.remove("on");
    this.tip.hidden = true;
  }
}

document.querySelectorAll("figure.network").forEach((figure) => new Roads(figure));
