// Shows a picture for a set time and tells by which frames it was shown.

const nextFrame = () => new Promise(requestAnimationFrame);

/** Milliseconds of one frame of this screen: the median of many. */
export async function measureFrame(many = 60) {
  const gaps = [];
  let before = await nextFrame();
  while (gaps.length < many) {
    const now = await nextFrame();
    if (now > before) gaps.push(now - before);
    before = now;
  }
  gaps.sort((one, two) => one - two);
  return gaps[Math.floor(gaps.length / 2)];
}

/**
 * Fixation, picture, mask. The picture is drawn in one frame and the mask in another; the time
 * between those two frames is how long it was shown. `dropped` frames are those that the screen
 * should have shown meanwhile and did not.
 */
export async function flash(field, bitmap, mask, times, frame) {
  const pen = field.getContext("2d", { alpha: false });
  const half = frame / 2;
  const fixation = times.fixation + Math.random() * 300;
  drawFixation(pen, field);
  const begun = await nextFrame();
  let now = begun;
  while (now - begun < fixation - half) now = await nextFrame();
  pen.drawImage(bitmap, 0, 0, field.width, field.height);
  field.dataset.phase = "picture";
  const onset = now;
  let frames = 0, dropped = 0, before = now;
  while (now - onset < times.duration - half) {
    frames += 1;
    now = await nextFrame();
    dropped += Math.max(0, Math.round((now - before) / frame) - 1);
    before = now;
  }
  pen.drawImage(mask, 0, 0, field.width, field.height);
  field.dataset.phase = "mask";
  return { onset, offset: now, shown: now - onset, frames, dropped };
}

export function drawBlank(field) {
  const pen = field.getContext("2d", { alpha: false });
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, field.width, field.height);
  field.dataset.phase = "blank";
}

function drawFixation(pen, field) {
  drawBlank(field);
  const middle = field.width / 2, arm = field.width / 40, thick = field.width / 160;
  pen.fillStyle = "#1c2430";
  pen.fillRect(middle - arm, middle - thick / 2, 2 * arm, thick);
  pen.fillRect(middle - thick / 2, middle - arm, thick, 2 * arm);
  field.dataset.phase = "fixation";
}

/** Blots of all colours over the whole field, so that nothing lingers on the eye. */
export function makeMask(side) {
  const made = new OffscreenCanvas(side, side), pen = made.getContext("2d");
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, side, side);
  const colours = ["#d62728", "#2563c9", "#f28518", "#2e8b57", "#f06ea0", "#8e44ad", "#1c2430", "#e6c229"];
  for (let place = 0; place < 900; place++) {
    pen.fillStyle = colours[Math.floor(Math.random() * colours.length)];
    const size = side * (0.01 + 0.04 * Math.random());
    pen.beginPath();
    pen.arc(side * Math.random(), side * Math.random(), size, 0, 7);
    pen.fill();
  }
  return made;
}
