// Saves a drawing as a PNG with its title, range and price version printed in. Buttons: data-png="SELECTOR".
"use strict";
(() => {
  const PAINT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font", "text-anchor"];
  const PAD = 24, HEAD = 64, SCALE = 2;

  // The picture leaves the page's style sheet behind, so each part takes its own look along.
  function painted(original, copy) {
    const look = getComputedStyle(original);
    for (const name of PAINT) copy.style.setProperty(name, look.getPropertyValue(name));
    [...original.children].forEach((child, i) => painted(child, copy.children[i]));
    return copy;
  }
  function portable(svg) {
    const box = svg.getBoundingClientRect(), copy = painted(svg, svg.cloneNode(true));
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", box.width); copy.setAttribute("height", box.height);
    const defs = document.querySelector("svg.sprite defs");
    if (defs) copy.prepend(painted(defs, defs.cloneNode(true)));
    return [new XMLSerializer().serializeToString(copy), box];
  }
  async function drawn(svg, title, note) {
    const [text, box] = portable(svg), image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas"), body = getComputedStyle(document.body);
    canvas.width = SCALE * (box.width + 2 * PAD); canvas.height = SCALE * (box.height + HEAD + PAD);
    const pen = canvas.getContext("2d");
    pen.scale(SCALE, SCALE);
    pen.fillStyle = getComputedStyle(svg.closest(".card") || document.body).backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = body.color;
    pen.font = `600 15px ${body.fontFamily}`; pen.fillText(title, PAD, 28);
    pen.font = `400 12px ${body.fontFamily}`; pen.fillText(note, PAD, 48);
    pen.drawImage(image, PAD, HEAD, box.width, box.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }
  for (const button of document.querySelectorAll("[data-png]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const svg = document.querySelector(button.dataset.png), title = button.dataset.pngTitle;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await drawn(svg, title, button.dataset.pngNote));
      link.download = `${title.replace(/[^\p{L}\p{N}]+/gu, "-")}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
})();
