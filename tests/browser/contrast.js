// Every text that shows, with its contrast against what is painted behind it, as WCAG 2 defines it.
() => {
  const channel = (c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const ratio = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.getClientRects().length) continue;
    if (["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const inside = element instanceof SVGElement;
    if (inside && element.tagName !== "text") continue;
    const colour = parse(inside ? style.fill : style.color);
    found.push({ kind: "text", said: walker.currentNode.textContent.slice(0, 40), ratio: ratio(colour, behind(element)) });
  }
  for (const mark of document.querySelectorAll(".mark, .bar, .interval, .curve, .chance, .axis")) {
    const style = getComputedStyle(mark);
    const colour = parse(mark.matches(".mark, .bar") ? style.fill : style.stroke);
    found.push({ kind: "mark", said: mark.getAttribute("class"), ratio: ratio(colour, behind(mark)) });
  }
  return found;
}
