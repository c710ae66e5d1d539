// Draw a box on a picture, by mouse, finger or keys; the form carries it in the picture's pixels.
"use strict";
(() => {
  const canvas = document.getElementById("canvas");
  const shape = document.getElementById("box");
  const form = document.getElementById("place");
  const { width, height } = canvas.viewBox.baseVal;
  const box = Object.fromEntries(["x", "y", "w", "h"].map((name) => [name, Number(form[name].value) || 0]));
  let from = null;

  function show() {
    for (const [name, attribute] of [["x", "x"], ["y", "y"], ["w", "width"], ["h", "height"]]) {
      shape.setAttribute(attribute, box[name]);
      form[name].value = box.w && box.h ? Math.round(box[name]) : "";
    }
  }
  const keep = (value, most) => Math.min(Math.max(value, 0), most);
  function at(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(canvas.getScreenCTM().inverse());
    return { x: keep(place.x, width), y: keep(place.y, height) };
  }
  function span(to) {
    box.x = Math.round(Math.min(from.x, to.x));
    box.y = Math.round(Math.min(from.y, to.y));
    box.w = Math.round(Math.max(from.x, to.x)) - box.x;
    box.h = Math.round(Math.max(from.y, to.y)) - box.y;
    show();
  }
  canvas.addEventListener("pointerdown", (event) => {
    from = at(event);
    canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => { if (from) { span(at(event)); } });
  canvas.addEventListener("pointerup", (event) => { if (from) { span(at(event)); from = null; } });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) { return; }
    event.preventDefault();
    if (!box.w) { Object.assign(box, { x: width * 0.4, y: height * 0.4, w: width * 0.2, h: height * 0.2 }); }
    const size = Math.max(1, Math.round(width / 100));
    if (event.shiftKey) {
      box.w = Math.min(Math.max(box.w + step[0] * size, 4), width - box.x);
      box.h = Math.min(Math.max(box.h + step[1] * size, 4), height - box.y);
    } else {
      box.x = keep(box.x + step[0] * size, width - box.w);
      box.y = keep(box.y + step[1] * size, height - box.h);
    }
    show();
  });
  show();
})();
